// find_two_exits: the first place of key in a[0..n]; the loop ends there or behind the array. Written as
// lifting unstructured control flow gives it: the before-region holds the body, a selector says which exit
// was taken, and what an exit does not use is poison. Results: the place or -1, and a times 2 at the place
// or 0.
func.func @find_two_exits(%a: memref<?xi32> {llvm.noalias}, %n: index, %key: i32) -> (i32, i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %minus = arith.constant -1 : i32
  %no_place = ub.poison : index
  %no_word = ub.poison : i32
  %exit:4 = scf.while (%i = %c0) : (index) -> (index, i32, index, i32) {
    %inside = arith.cmpi slt, %i, %n : index
    %step:4 = scf.if %inside -> (index, i32, i32, i32) {
      %v = memref.load %a[%i] : memref<?xi32>
      %equal = arith.cmpi eq, %v, %key : i32
      %found = arith.extui %equal : i1 to i32
      %other = arith.cmpi ne, %v, %key : i32
      %again = arith.extui %other : i1 to i32
      %after = scf.if %equal -> (index) {
        scf.yield %no_place : index
      } else {
        %next = arith.addi %i, %c1 : index
        scf.yield %next : index
      }
      scf.yield %after, %found, %again, %v : index, i32, i32, i32
    } else {
      scf.yield %no_place, %two, %zero, %no_word : index, i32, i32, i32
    }
    %go_on = arith.trunci %step#2 : i32 to i1
    scf.condition(%go_on) %step#0, %step#3, %i, %step#1 : index, i32, index, i32
  } do {
  ^bb0(%next: index, %word: i32, %place: index, %selector: i32):
    scf.yield %next : index
  }
  %which = arith.index_castui %exit#3 : i32 to index
  %r:2 = scf.index_switch %which -> i32, i32
  case 1 {
    %place = arith.index_cast %exit#2 : index to i32
    %twice = arith.shli %exit#1, %one : i32
    scf.yield %place, %twice : i32, i32
  }
  default {
    scf.yield %minus, %zero : i32, i32
  }
  return %r#0, %r#1 : i32, i32
}
