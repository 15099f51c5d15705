fabric.module @bad_fus (in0: !fabric.bits<32>) -> (out0: !fabric.bits<32>) attributes {index_width = 32} {
  fabric.fifo @buf (!fabric.bits<32>) -> (!fabric.bits<32>) attributes {depth = 2}
  fabric.spatial_pe @p (none) -> (none) {
    fabric.fu @f (%0: i32) -> (i32) attributes {latency = 0, interval = 1} {
      %1 = arith.addi %0, %9 : (i32, i32) -> (i32)
      fabric.yield %1
    }
  }
  fabric.spatial_pe @q (none) -> (none) {
    fabric.fu @f (%0: i32) -> (i16) attributes {latency = 0, interval = 1} {
      %1 = arith.addi %0, %0 : (i32, i32) -> (i32)
      fabric.yield %1
    }
  }
  fabric.spatial_pe @r (none) -> (none) {
    fabric.fu @f (%0: i32, %0: i32) -> (i32) attributes {latency = 0, interval = 1} {
      fabric.yield %0
    }
  }
  fabric.spatial_pe @s (none) -> (none) {
    fabric.fu @f (%0: i32) -> (i32) attributes {latency = 0} {
      fabric.yield %0
    }
  }
  fabric.spatial_pe @t (none) -> (none) {
    fabric.fu @f (%0: f32, %1: f32) -> (f32) attributes {latency = 0, interval = 1} {
      %2 = math.powf %0, %1 : (f32, f32) -> (f32)
      fabric.yield %2
    }
  }
  fabric.spatial_pe @u (!fabric.bits<32>) -> (!fabric.bits<32>) {
    fabric.fu @f (%0: i32) -> (i32) attributes {latency = 0, interval = 1} {
      %1 = arith.addi %0, %0 : (i16, i16) -> (i32)
      fabric.yield %1
    }
  }
  fabric.instance @a : @buf
  fabric.connect in0 -> a.in0
  fabric.connect a.out0 -> out0
}
