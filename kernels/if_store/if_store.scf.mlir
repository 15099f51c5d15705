// if_store: for i in 0..n: if a[i] > 0 then b[i] = a[i]. The other side does nothing and must still let
// order pass.
func.func @if_store(%a: memref<?xi32> {llvm.noalias}, %b: memref<?xi32> {llvm.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  scf.for %i = %c0 to %n step %c1 {
    %x = memref.load %a[%i] : memref<?xi32>
    %positive = arith.cmpi sgt, %x, %zero : i32
    scf.if %positive {
      memref.store %x, %b[%i] : memref<?xi32>
    }
  }
  return
}
