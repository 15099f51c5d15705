fabric.module @bad_types (in0: !fabric.bits<32>) -> (out0: !fabric.bits<32>) attributes {index_width = 32} {
  fabric.fifo @buf (!fabric.bits<32>) -> (!fabric.bits<32>) attributes {depth = 2}
  fabric.fifo @c (!fabric.byte<32>) -> (!fabric.bits<32>) attributes {depth = 2}
  fabric.fifo @d (!fabric.bits<4294967296>) -> (none) attributes {depth = 2}
  fabric.fifo @e (!fabric.bits<8>) -> (!fabric.bits<16>) attributes {depth = 2}
  fabric.add_tag @f (!fabric.tagged<none, i4>) -> (!fabric.bits<8>)
  fabric.fifo @g (!fabric.tagged<!fabric.bits<8>, x4>) -> (none) attributes {depth = 2}
  fabric.instance @a : @buf
  fabric.connect in0 -> a.in0
  fabric.connect a.out0 -> out0
}
