fabric.module @bad_names (in0: !fabric.bits<32>) -> (out0: !fabric.bits<32>) attributes {index_width = 32} {
  fabric.fifo @buf (!fabric.bits<32>) -> (!fabric.bits<32>) attributes {depth = 2}
  fabric.fifo @buf (none) -> (none) attributes {depth = 2}
  fabric.instance @x : @nothing
  fabric.tile @t (a: none) -> () {
    fabric.instance @y : @nobody
    fabric.connect a -> y.in0
  }
  fabric.instance @t0 : @t
  fabric.instance @a : @buf
  fabric.connect in0 -> a.in0
  fabric.connect a.out0 -> out0
}
