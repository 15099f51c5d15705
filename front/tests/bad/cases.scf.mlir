func.func @f(%i: index, %a: i32) {
  scf.index_switch %i
  case 1 {
  }
  case 1 {
  }
  default {
  }
  cf.switch %a : i32, [default: ^one, 7: ^one, 7: ^one]
^one:
  return
}
