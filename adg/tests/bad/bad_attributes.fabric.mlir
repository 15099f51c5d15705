fabric.module @bad_attributes (in0: !fabric.bits<32>) -> (out0: !fabric.bits<32>) attributes {index_width = 32} {
  fabric.fifo @buf (!fabric.bits<32>) -> (!fabric.bits<32>) attributes {depth = 2}
  fabric.fifo @c (none) -> (none)
  fabric.fifo @d (none) -> (none) attributes {depth = 2, width = 4}
  fabric.fifo @e (none) -> (none) attributes {depth = "two"}
  fabric.fifo @f (none) -> (none) attributes {depth = 2, bypassable = 1}
  fabric.fifo @g (none) -> (none) attributes {depth = -1}
  fabric.spatial_sw @h (none) -> (none) attributes {connectivity = 1}
  fabric.spatial_sw @i (none) -> (none) attributes {connectivity = ["2"]}
  fabric.instance @a : @buf
  fabric.connect in0 -> a.in0
  fabric.connect a.out0 -> out0
}
