fabric.module @fifo_kind (in0: !fabric.bits<32>) -> (out0: !fabric.bits<32>) {
  fabric.fifo @both (!fabric.bits<32>) -> (!fabric.bits<32>) attributes {depth = 2, bypassable, fall_through}
  fabric.instance @both : @both
  fabric.connect in0 -> both.in0
  fabric.connect both.out0 -> out0
}
