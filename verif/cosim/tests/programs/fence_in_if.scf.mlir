// A fence on one side of nested ifs.
func.func @f(%a: memref<16xi32> {llvm.noalias}, %b: memref<16xi32> {llvm.noalias}, %c: i1, %d: i1) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %z = arith.constant 0 : i32
  %o = arith.constant 1 : i32
  memref.store %o, %a[%c0] : memref<16xi32>
  scf.if %c {
    memref.store %o, %b[%c1] : memref<16xi32>
    scf.if %d {
      "loom.fence"() : () -> ()
      memref.store %z, %a[%c2] : memref<16xi32>
    } else {
      memref.store %o, %a[%c3] : memref<16xi32>
    }
  }
  %x = memref.load %a[%c2] : memref<16xi32>
  %y = memref.load %b[%c1] : memref<16xi32>
  %s = arith.addi %x, %y : i32
  return %s : i32
}
