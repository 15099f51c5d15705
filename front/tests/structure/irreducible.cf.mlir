// A jump into the middle of a loop: what it reaches before the loop's start is there twice.
func.func @pair(%c: i1, %x: i32, %n: i32) -> i32 {
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  cf.cond_br %c, ^a(%x : i32), ^b(%x : i32)
^a(%i: i32):
  %j = arith.muli %i, %two : i32
  %stop = arith.cmpi sgt, %j, %n : i32
  cf.cond_br %stop, ^end(%j : i32), ^b(%j : i32)
^b(%k: i32):
  %l = arith.addi %k, %one : i32
  cf.br ^a(%l : i32)
^end(%r: i32):
  return %r : i32
}
