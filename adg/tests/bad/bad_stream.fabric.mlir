fabric.module @bad_stream (in0: !fabric.bits<32>) -> (out0: !fabric.bits<32>) attributes {index_width = 32} {
  fabric.fifo @buf (!fabric.bits<32>) -> (!fabric.bits<32>) attributes {depth = 2}
  fabric.spatial_pe @p (!fabric.bits<32>, !fabric.bits<32>, !fabric.bits<32>) -> (!fabric.bits<32>, none) {
    fabric.fu @f (%0: index, %1: index, %2: index) -> (index, i1) attributes {latency = -1, interval = -1} {
      %3, %4 = dataflow.stream %0, %1, %2 : (index, index, index) -> (index, i1)
      fabric.yield %3, %4
    }
  }
  fabric.instance @a : @buf
  fabric.connect in0 -> a.in0
  fabric.connect a.out0 -> out0
}
