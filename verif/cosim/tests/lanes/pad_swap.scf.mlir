// Swaps a[i] and a[n - 1 - i] for i in 0..n/2: two loads and two stores of one memref, in place.
memref.global "private" @a : memref<8xi32> = dense<[1, 4, 7, 10, 13, 16, 19, 22]>

func.func @pad_swap(%n: index) {
  %a = memref.get_global @a : memref<8xi32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %half = arith.shrui %n, %c1 : index
  %last = arith.subi %n, %c1 : index
  scf.for %i = %c0 to %half step %c1 {
    %j = arith.subi %last, %i : index
    %x = memref.load %a[%i] : memref<8xi32>
    %y = memref.load %a[%j] : memref<8xi32>
    memref.store %y, %a[%i] : memref<8xi32>
    memref.store %x, %a[%j] : memref<8xi32>
  }
  return
}
