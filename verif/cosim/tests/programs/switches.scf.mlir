// Switches without cases, without results, with a negative case, and a division by zero.
func.func @f(%i: index, %x: i32) -> (i32, i32) {
  %o = arith.constant 1 : i32
  %r:2 = scf.index_switch %i -> i32, i32
  default {
    %y = arith.addi %x, %o : i32
    scf.yield %y, %x : i32, i32
  }
  scf.index_switch %i
  case 1 {
    scf.yield
  }
  default {
  }
  %q = scf.index_switch %i -> i32
  case 0 {
    scf.yield %r#0 : i32
  }
  case -1 {
    scf.yield %r#1 : i32
  }
  case 7 {
    %t = arith.divsi %r#0, %x : i32
    scf.yield %t : i32
  }
  default {
    scf.yield %x : i32
  }
  return %q, %r#1 : i32, i32
}
