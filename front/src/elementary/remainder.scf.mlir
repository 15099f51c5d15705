// The remainder of doubles, C's fmod, which is exact: that of whole numbers, by long division in digits of 11 bits.
func.func @remainder(%x: f64, %y: f64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %digit = arith.constant 11 : i64
  %places = arith.constant 52 : i64
  %magnitude = arith.constant 9223372036854775807 : i64
  %fraction = arith.constant 4503599627370495 : i64
  %implied = arith.constant 4503599627370496 : i64
  %infinity = arith.constant 9218868437227405312 : i64
  %nan = arith.constant 0x7FF8000000000000 : f64
  %bias = arith.constant 1075 : i64
  %middle = arith.constant 1023 : i64
  %xs = arith.bitcast %x : f64 to i64
  %ys = arith.bitcast %y : f64 to i64
  %a = arith.andi %xs, %magnitude : i64
  %b = arith.andi %ys, %magnitude : i64
  // Subnormals have the exponent of the least normal numbers, and no implied bit.
  %xe = arith.shrui %a, %places : i64
  %ye = arith.shrui %b, %places : i64
  %xf = arith.andi %a, %fraction : i64
  %yf = arith.andi %b, %fraction : i64
  %xi = arith.ori %xf, %implied : i64
  %yi = arith.ori %yf, %implied : i64
  %x_small = arith.cmpi eq, %xe, %zero : i64
  %y_small = arith.cmpi eq, %ye, %zero : i64
  %xm = arith.select %x_small, %xf, %xi : i64
  %ym0 = arith.select %y_small, %yf, %yi : i64
  %xp = arith.select %x_small, %one, %xe : i64
  %yp = arith.select %y_small, %one, %ye : i64
  // Nothing is divided by zero: that is no number in the end.
  %y_zero = arith.cmpi eq, %b, %zero : i64
  %ym = arith.select %y_zero, %one, %ym0 : i64
  %steps = arith.subi %xp, %yp : i64
  %first = arith.remui %xm, %ym : i64
  %rest:2 = scf.while (%m = %first, %left = %steps) : (i64, i64) -> (i64, i64) {
    %more = arith.cmpi sgt, %left, %zero : i64
    scf.condition(%more) %m, %left : i64, i64
  } do {
  ^bb0(%m: i64, %left: i64):
    %few = arith.cmpi slt, %left, %digit : i64
    %by = arith.select %few, %left, %digit : i64
    %wide = arith.shli %m, %by : i64
    %next = arith.remui %wide, %ym : i64
    %after = arith.subi %left, %by : i64
    scf.yield %next, %after : i64, i64
  }
  // Times 2^(exponent - 1075), by two factors that are no subnormals.
  %number = arith.sitofp %rest#0 : i64 to f64
  %exponent = arith.subi %yp, %bias : i64
  %half = arith.shrsi %exponent, %one : i64
  %other = arith.subi %exponent, %half : i64
  %half_biased = arith.addi %half, %middle : i64
  %other_biased = arith.addi %other, %middle : i64
  %half_bits = arith.shli %half_biased, %places : i64
  %other_bits = arith.shli %other_biased, %places : i64
  %half_power = arith.bitcast %half_bits : i64 to f64
  %other_power = arith.bitcast %other_bits : i64 to f64
  %scaled = arith.mulf %number, %half_power : f64
  %value = arith.mulf %scaled, %other_power : f64
  %bits = arith.bitcast %value : f64 to i64
  // The sign is that of the dividend, which is its own remainder where it is smaller.
  %sign = arith.xori %xs, %a : i64
  %signed = arith.ori %bits, %sign : i64
  %is_less = arith.cmpi ult, %a, %b : i64
  %chosen = arith.select %is_less, %xs, %signed : i64
  %result = arith.bitcast %chosen : i64 to f64
  %x_finite = arith.cmpi ult, %a, %infinity : i64
  %y_none = arith.cmpi ugt, %b, %infinity : i64
  %y_wrong = arith.ori %y_none, %y_zero : i1
  %true = arith.constant true
  %y_right = arith.xori %y_wrong, %true : i1
  %is_number = arith.andi %x_finite, %y_right : i1
  %out = arith.select %is_number, %result, %nan : f64
  return %out : f64
}
