// in: n 3 0 2
// out: i 10 11 12 13 10 10 11 12
// out: go 1 1 1 0 0 1 1 0
// out: y 105 106 107 108 105 105 106 107
handshake.func @immediates(%n: index, ...) -> (index, i1, index)
    attributes {argNames = ["n"], resNames = ["i", "go", "y"]} {
  %ten = arith.constant 10 : index
  %one = arith.constant 1 : index
  %many = arith.constant 95 : index
  %bound = arith.addi %n, %ten : index
  %i, %go = dataflow.stream %ten, %one, %bound {step_op = "+=", cont_cond = "<"}
  %i_f:2 = fork [2] %i : index
  %y = arith.addi %many, %i_f#1 : index
  return %i_f#0, %go, %y : index, i1, index
}
