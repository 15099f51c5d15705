// s = sum over i in 0..n of a[i] * b[i]: two memories in one scratchpad, one behind the other.
memref.global "private" @a : memref<8xi32> = dense<[1, 4, 7, 10, 13, 16, 19, 22]>
memref.global "private" @b : memref<8xi32> = dense<[9, 8, 7, 6, 5, 4, 3, 2]>

func.func @pad_pair(%n: index) -> i32 {
  %a = memref.get_global @a : memref<8xi32>
  %b = memref.get_global @b : memref<8xi32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (i32) {
    %x = memref.load %a[%i] : memref<8xi32>
    %y = memref.load %b[%i] : memref<8xi32>
    %p = arith.muli %x, %y : i32
    %next = arith.addi %acc, %p : i32
    scf.yield %next : i32
  }
  return %s : i32
}
