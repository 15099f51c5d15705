fabric.module @illegal (first: !fabric.bits<32>) -> (out0: !fabric.bits<32>) attributes {index_width = 8} {
  fabric.fifo @buf (!fabric.bits<32>) -> (!fabric.bits<32>) attributes {depth = 2}
  fabric.spatial_pe @p (!fabric.bits<32>, !fabric.bits<32>) -> (!fabric.bits<32>) {
    fabric.fu @carry (%0: i1, %1: i32, %2: i32) -> (i32) attributes {latency = 0, interval = 1} {
      %3 = dataflow.carry %0, %1, %2 : (i1, i32, i32) -> (i32)
      fabric.yield %3
    }
  }
  fabric.spatial_sw @sw (!fabric.bits<8>) -> (!fabric.bits<8>) attributes {connectivity = ["0"]}
  fabric.instance @a : @buf
  fabric.connect first -> a.in0
  fabric.connect a.out0 -> out0
  fabric.connect a.out0 -> a.in0
}
