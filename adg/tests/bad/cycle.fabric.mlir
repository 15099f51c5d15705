fabric.module @cycle (in0: !fabric.bits<32>) -> (out0: !fabric.bits<32>) attributes {index_width = 32} {
  fabric.fifo @buf (!fabric.bits<32>) -> (!fabric.bits<32>) attributes {depth = 2}
  fabric.spatial_sw @bar (!fabric.bits<32>) -> (!fabric.bits<32>) attributes {connectivity = ["1"]}
  fabric.instance @s : @bar
  fabric.instance @t : @bar
  fabric.connect s.out0 -> t.in0
  fabric.connect t.out0 -> s.in0
  fabric.instance @a : @buf
  fabric.connect in0 -> a.in0
  fabric.connect a.out0 -> out0
}
