// s = sum over i in 0..n of a[i] * a[n - 1 - i]: two loads of one memref.
memref.global "private" @a : memref<8xi32> = dense<[1, 4, 7, 10, 13, 16, 19, 22]>

func.func @pad_loads(%n: index) -> i32 {
  %a = memref.get_global @a : memref<8xi32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %last = arith.subi %n, %c1 : index
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (i32) {
    %j = arith.subi %last, %i : index
    %x = memref.load %a[%i] : memref<8xi32>
    %y = memref.load %a[%j] : memref<8xi32>
    %p = arith.muli %x, %y : i32
    %next = arith.addi %acc, %p : i32
    scf.yield %next : i32
  }
  return %s : i32
}
