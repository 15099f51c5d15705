fabric.module @not_closed (in0: !fabric.bits<32>) -> (out0: !fabric.bits<32>) attributes {index_width = 32} {
  fabric.fifo @buf (!fabric.bits<32>) -> (!fabric.bits<32>) attributes {depth = 2}
  fabric.instance @a : @buf
