fabric.module @odd (in0: none) -> (out0: none) attributes {index_width = 48} {
  fabric.spatial_pe @mixed (!fabric.bits<48>, !fabric.bits<48>, none, !fabric.bits<48>, !fabric.bits<32>, none) -> (!fabric.bits<48>, !fabric.bits<32>, none) attributes {output_buffers} {
    fabric.fu @mac (%0: i32, %1: i32, %2: i32) -> (i1, i32) attributes {latency = 3, interval = 2} {
      %3 = arith.muli %0, %1 : (i32, i32) -> (i32)
      %4 = arith.addi %3, %2 : (i32, i32) -> (i32)
      %5 = arith.cmpi %4, %0 : (i32, i32) -> (i1)
      fabric.yield %5, %4
    }
    fabric.fu @widen (%0: i8, %1: index) -> (index) attributes {latency = 0, interval = 1} {
      %2 = arith.extsi %0 : (i8) -> (i32)
      %3 = arith.index_cast %2 : (i32) -> (index)
      %4 = arith.shli %3, %1 : (index, index) -> (index)
      fabric.yield %4
    }
    fabric.fu @turn (%0: i32, %1: i32) -> (i32) attributes {latency = 0, interval = 1} {
      %2 = arith.subi %1, %0 : (i32, i32) -> (i32)
      fabric.yield %2
    }
    fabric.fu @select (%0: i32, %1: i32, %2: index, %3: i32) -> (index) attributes {latency = 2, interval = 1} {
      %4 = arith.muli %0, %1 : (i32, i32) -> (i32)
      %5 = fabric.mux %4, %0, %3 : (i32, i32, i32) -> (i32)
      %6 = arith.addi %5, %3 : (i32, i32) -> (i32)
      %7 = fabric.mux %6, %4 : (i32, i32) -> (i32)
      %8 = arith.index_cast %7 : (i32) -> (index)
      %9 = fabric.mux %2, %8 : (index, index) -> (index)
      %10 = arith.addi %9, %2 : (index, index) -> (index)
      fabric.yield %10
    }
    fabric.fu @join_4 (%0: none, %1: none, %2: none, %3: none) -> (none) attributes {latency = 0, interval = 1} {
      %4 = handshake.join %0, %1, %2, %3 : (none, none, none, none) -> (none)
      fabric.yield %4
    }
    fabric.fu @mux_none (%0: i1, %1: none, %2: none) -> (none) attributes {latency = 0, interval = 1} {
      %3 = handshake.mux %0, %1, %2 : (i1, none, none) -> (none)
      fabric.yield %3
    }
    fabric.fu @mux3_f32 (%0: i2, %1: f32, %2: f32, %3: f32) -> (f32) attributes {latency = 0, interval = 1} {
      %4 = handshake.mux %0, %1, %2, %3 : (i2, f32, f32, f32) -> (f32)
      fabric.yield %4
    }
    fabric.fu @constant_index (%0: none) -> (index) attributes {latency = 0, interval = 1} {
      %1 = handshake.constant %0 : (none) -> (index)
      fabric.yield %1
    }
    fabric.fu @gate_none (%0: none, %1: i1) -> (none, i1) attributes {latency = -1, interval = -1} {
      %2, %3 = dataflow.gate %0, %1 : (none, i1) -> (none, i1)
      fabric.yield %2, %3
    }
    fabric.fu @stream_shr (%0: index, %1: index, %2: index) -> (index, i1) attributes {latency = -1, interval = -1} {
      %3, %4 = dataflow.stream %0, %1, %2 {step_op = ">>="} : (index, index, index) -> (index, i1)
      fabric.yield %3, %4
    }
  }
  fabric.fifo @control (none) -> (none) attributes {depth = 1}
  fabric.tile @one (go: none) -> (done: none) {
    fabric.instance @entry : @control
    fabric.instance @pe : @mixed
    fabric.connect go -> entry.in0
    fabric.connect entry.out0 -> pe.in2
    fabric.connect pe.out2 -> done
  }
  fabric.instance @first : @one at (-1, 0)
  fabric.instance @second : @one
  fabric.connect second.done -> out0
  fabric.connect first.done -> second.go
  fabric.connect in0 -> first.go
}
