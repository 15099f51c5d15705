//! Ops that are read as several others, against arithmetic of the host.

use loom_base::{sign_extend, truncate, Rng};
use loom_front::compile::{compile, CompileOptions};
use loom_front::interp::{Argument, Machine, MachineOptions, View};
use loom_testkit::programs::read;

#[test]
fn extended_products_and_sums_as_in_128_bits() {
    let mut rng = Rng::new(17);
    for width in [1, 8, 31, 32, 33, 48, 63, 64u32] {
        let text = format!(
            "func.func @f(%a: i{width}, %b: i{width}) -> (i{width}, i{width}, i{width}, i{width}, i{width}, i1) {{\n\
             %l, %h = arith.mului_extended %a, %b : i{width}\n\
             %m:2 = \"arith.mulsi_extended\"(%a, %b) : (i{width}, i{width}) -> (i{width}, i{width})\n\
             %s, %o = arith.addui_extended %a, %b : i{width}, i1\n\
             return %l, %h, %m#0, %m#1, %s, %o : i{width}, i{width}, i{width}, i{width}, i{width}, i1\n}}\n"
        );
        let program = read(&text);
        compile(&program, &CompileOptions::default()).expect("it becomes a graph");
        for _ in 0..400 {
            let corner = [0, 1, u64::MAX, 1 << (width - 1)][rng.below(4)];
            let a = truncate(if rng.chance(30) { corner } else { rng.next_u64() }, width);
            let b = truncate(rng.next_u64() >> rng.below(64), width);
            let mut machine = Machine::new(&program, MachineOptions::default());
            let got = machine.call("f", &[Argument::Scalar(a), Argument::Scalar(b)]).expect("it runs");
            let unsigned = u128::from(a) * u128::from(b);
            let signed = (i128::from(sign_extend(a, width)) * i128::from(sign_extend(b, width))) as u128;
            let halves = |n: u128| [truncate(n as u64, width), truncate((n >> width) as u64, width)];
            let sum = u128::from(a) + u128::from(b);
            let over = (sum >> width) as u64;
            let want = [halves(unsigned), halves(signed), [truncate(sum as u64, width), over]].concat();
            assert_eq!(got, want, "i{width} {a:x} {b:x}");
        }
    }
}

#[test]
fn float_powers_have_the_sign_of_the_base() {
    let program = read(
        "func.func @f(%x: f32, %n: i32) -> f32 {\n  %y = math.fpowi %x, %n : f32, i32\n  return %y : f32\n}\n",
    );
    for (x, n, want) in [(-2.0f32, 3, -8.0f32), (-2.0, 10, 1024.0), (2.0, -2, 0.25), (-1.0, 16_777_217, -1.0)]
    {
        let mut machine = Machine::new(&program, MachineOptions::default());
        let arguments = [Argument::Scalar(x.to_bits().into()), Argument::Scalar(u64::from(n as u32))];
        assert_eq!(machine.call("f", &arguments).expect("it runs"), [u64::from(want.to_bits())], "{x} {n}");
    }
}

/// Copies between layouts and of open extents, and views made from a memref's numbers.
#[test]
fn memory_is_copied_and_taken_apart() {
    let program = read(
        "func.func @f(%a: memref<?x4xi32>, %b: memref<3x4xi32>, %c: memref<16xi32>) -> (index, index, index, index, i32) {
           memref.assume_alignment %a, 16 : memref<?x4xi32>
           %part = memref.subview %b[0, 1] [3, 2] [1, 2] : memref<3x4xi32> to memref<3x2xi32, strided<[4, 2], offset: 1>>
           %room = memref.alloc() : memref<3x2xi32>
           memref.copy %part, %room : memref<3x2xi32, strided<[4, 2], offset: 1>> to memref<3x2xi32>
           memref.copy %a, %b : memref<?x4xi32> to memref<3x4xi32>
           %base, %o, %s:2, %t:2 = memref.extract_strided_metadata %part : memref<3x2xi32, strided<[4, 2], offset: 1>> -> memref<i32>, index, index, index, index, index
           %flat = memref.reinterpret_cast %base to offset: [%o], sizes: [%s#0], strides: [%t#0] : memref<i32> to memref<?xi32, strided<[?], offset: ?>>
           %i = arith.constant 2 : index
           %x = memref.load %flat[%i] : memref<?xi32, strided<[?], offset: ?>>
           \"memref.copy\"(%c, %c) : (memref<16xi32>, memref<16xi32>) -> ()
           %d = arith.constant 1 : index
           %y = memref.load %room[%i, %d] : memref<3x2xi32>
           %z = arith.muli %x, %y : i32
           %e, %p, %n:2, %u:2 = memref.extract_strided_metadata %a : memref<?x4xi32> -> memref<i32>, index, index, index, index, index
           return %p, %n#0, %u#0, %t#1, %z : index, index, index, index, i32
         }
",
    );
    compile(&program, &CompileOptions::default()).unwrap_or_else(|d| panic!("{}", d[0].message));
    let mut machine = Machine::new(&program, MachineOptions::default());
    let arrays = [(0, 100..112), (1, 0..12), (2, 0..16)].map(|(i, words): (usize, std::ops::Range<u64>)| {
        let count = words.clone().count();
        let buffer = machine.add_buffer(words.collect());
        let ty = program.funcs[0].argument_types[i].memref().expect("an array");
        Argument::Memref(View::whole(ty, buffer, count).expect("it fits"))
    });
    // Word [2, 1] of the part is 2 * 4 + 1 + 2 of the array before the copy, and [2] of its first column after it.
    let want = [0, 3, 4, 2, 109 * 11];
    assert_eq!(machine.call("f", &arrays).unwrap_or_else(|f| panic!("{}", f.message)), want);
}
