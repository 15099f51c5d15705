handshake.func @f(%a: !dataflow.tagged<i32, i4>, %b: !dataflow.tagged<i32, i17>, %c: !dataflow.tagged<vector<2xi32>, i4>, %d: !fabric.tagged<!fabric.bits<32>, i4>, ...) -> (i32) {
  return %a : i32
}
