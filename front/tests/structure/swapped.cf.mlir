// Two arrays that change places after each turn, and how often that was: a body for each way they lie, and no number says which is which
// but behind the loop.
func.func @f(%a: memref<?xi32>, %b: memref<?xi32>, %n: i32, %turns: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %first = arith.constant 0 : index
  cf.br ^turn(%zero, %zero, %one : i32, i32, i32)
^turn(%t: i32, %from: i32, %to: i32):
  %go = arith.cmpi slt, %t, %turns : i32
  cf.cond_br %go, ^words(%zero : i32), ^end
^words(%i: i32):
  %more = arith.cmpi slt, %i, %n : i32
  cf.cond_br %more, ^which, ^next
^which:
  %at = arith.index_cast %i : i32 to index
  %is_a = arith.cmpi eq, %from, %zero : i32
  cf.cond_br %is_a, ^load_a, ^load_b
^load_a:
  %x = memref.load %a[%at] : memref<?xi32>
  cf.br ^loaded(%x : i32)
^load_b:
  %y = memref.load %b[%at] : memref<?xi32>
  cf.br ^loaded(%y : i32)
^loaded(%word: i32):
  %double = arith.addi %word, %word : i32
  %into_a = arith.cmpi eq, %to, %zero : i32
  cf.cond_br %into_a, ^store_a, ^store_b
^store_a:
  memref.store %double, %a[%at] : memref<?xi32>
  cf.br ^stored
^store_b:
  memref.store %double, %b[%at] : memref<?xi32>
  cf.br ^stored
^stored:
  %j = arith.addi %i, %one overflow<nsw> : i32
  cf.br ^words(%j : i32)
^next:
  %u = arith.addi %t, %one overflow<nsw> : i32
  cf.br ^turn(%u, %to, %from : i32, i32, i32)
^end:
  %last = arith.cmpi eq, %from, %zero : i32
  cf.cond_br %last, ^in_a, ^in_b
^in_a:
  %r = memref.load %a[%first] : memref<?xi32>
  return %r : i32
^in_b:
  %s = memref.load %b[%first] : memref<?xi32>
  return %s : i32
}
