fabric.module @result_types (in0: !fabric.bits<32>) -> (out0: !fabric.bits<32>) attributes {index_width = 32} {
  fabric.spatial_pe @none (!fabric.bits<32>) -> (!fabric.bits<32>) {
    fabric.fu @f (%0: i32) -> (i32) attributes {latency = 0, interval = 1} {
      %1 = arith.addi %0, %0 : (i32, i32) -> ()
      fabric.yield %1
    }
  }
  fabric.spatial_pe @two (!fabric.bits<32>) -> (!fabric.bits<32>) {
    fabric.fu @f (%0: i32) -> (i32) attributes {latency = 0, interval = 1} {
      %1 = arith.addi %0, %0 : (i32, i32) -> (i32, i32)
      fabric.yield %1
    }
  }
  fabric.spatial_pe @short (!fabric.bits<1>, !fabric.bits<32>) -> (!fabric.bits<32>) {
    fabric.fu @f (%0: i1, %1: i32) -> (i32) attributes {latency = 0, interval = 1} {
      %2, %3 = handshake.cond_br %0, %1 : (i1, i32) -> (i32)
      fabric.yield %2
    }
  }
}
