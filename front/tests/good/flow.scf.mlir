// Structured and unstructured control flow.
func.func private @callee(i32, memref<?xi32> {llvm.noalias}) -> (i32, i32)
func.func @if(%c: i1, %a: i32, %b: i32) -> i32 {
  scf.if %c {
  }
  scf.if %c {
    "loom.fence"() : () -> ()
  } else {
    %x = arith.addi %a, %b : i32
  }
  %r:2 = scf.if %c -> (i32, i32) {
    %x = arith.addi %a, %b : i32
    scf.yield %x, %a : i32, i32
  } else {
    scf.yield %b, %b : i32, i32
  }
  %0:2 = scf.if %c -> (i32, i32) {
    scf.yield %r#0, %r#1 : i32, i32
  } else {
    scf.yield %r, %b : i32, i32
  }
  return %0#1 : i32
}
func.func @loops(%n: index, %m: i32, %s: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %i to %n step %c1 {
    }
  }
  %sum = scf.for %i = %z to %m step %one iter_args(%acc = %s) -> (i32) : i32 {
    %next = arith.addi %acc, %i : i32
    scf.yield %next : i32
  }
  %w:2 = scf.while (%a = %sum, %b = %m) : (i32, i32) -> (i32, i32) {
    %go = arith.cmpi ne, %a, %b : i32
    scf.condition(%go) %a, %b : i32, i32
  } do {
  ^bb0(%a: i32, %b: i32):
    %next = arith.addi %a, %one : i32
    scf.yield %next, %b : i32, i32
  } attributes {x}
  scf.while : () -> () {
    %go = arith.constant false
    scf.condition(%go)
  } do {
    scf.yield
  }
  %k = scf.index_switch %n -> i32
  case 2 {
    scf.yield %w#0 : i32
  }
  case -5 {
    scf.yield %w#1 : i32
  }
  default {
    scf.yield %z : i32
  }
  scf.index_switch %n
  default {
  }
  %k2, %k3 = scf.index_switch %n -> i32, index
  case 0 {
    scf.yield %k, %n : i32, index
  }
  default {
    scf.yield %z, %c0 : i32, index
  }
  return %k2 : i32
}
func.func @blocks(%a: i32, %c: i1, %m: memref<4xi32>) -> i32 {
  %d = memref.cast %m : memref<4xi32> to memref<?xi32>
  %r:2 = func.call @callee(%a, %d) : (i32, memref<?xi32>) -> (i32, i32)
  cf.assert %c, "a \22quoted\22\0A message"
  cf.cond_br %c, ^two(%r#0 : i32), ^one
^three(%u: i32):
  cf.switch %u : i32, [
    default: ^one,
    1: ^two(%v : i32),
    -2: ^three(%a : i32)
  ]
^two(%x: i32):
  %v = arith.addi %x, %a : i32
  cf.br ^three(%v : i32)
^one:
  return %a : i32
}
