fabric.module @bad_statements (in0: !fabric.bits<32>) -> (out0: !fabric.bits<32>) attributes {index_width = 32} {
  fabric.fifo @buf (!fabric.bits<32>) -> (!fabric.bits<32>) attributes {depth = 2}
  fabric.buffer @b (none) -> (none)
  hello
  fabric.fifo buf2 (!fabric.bits<32>) -> (!fabric.bits<32>) attributes {depth = 2}
  fabric.fifo @c (!fabric.bits<32> -> (!fabric.bits<32>) attributes {depth = 2}
  fabric.memory @m (none) -> (none)
  $
  fabric.instance @a : @buf
  fabric.connect in0 -> a.in0
  fabric.connect a.out0 -> out0
}
