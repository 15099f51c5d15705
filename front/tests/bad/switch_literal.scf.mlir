func.func @f(%a: i8) {
  cf.switch %a : i8, [default: ^one, 300: ^one]
^one:
  return
}
