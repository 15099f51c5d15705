fabric.module @bad_connections (in0: !fabric.bits<32>) -> (out0: !fabric.bits<32>) attributes {index_width = 32} {
  fabric.fifo @buf (!fabric.bits<32>) -> (!fabric.bits<32>) attributes {depth = 2}
  fabric.connect a.out2 -> out0
  fabric.connect z.out0 -> a.in0
  fabric.connect in7 -> a.in0
  fabric.connect a.out0 a.in0
  fabric.instance @a : @buf
  fabric.connect in0 -> a.in0
  fabric.connect a.out0 -> out0
}
