//! Random functions in C. None has undefined behaviour: arithmetic that may leave its range is unsigned, divisors and shift
//! amounts are bounded, indices are masked, floats are kept finite, and loops count. Every fourth one jumps by `goto`: past
//! blocks and out of them, back, and into the middle of what goes round; never past a declaration that is used.

use loom_base::Rng;
use std::fmt::Write;

/// Words of each array argument.
pub const LENGTH: usize = 32;

/// A type of C.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Ty {
    Int { bits: u32, signed: bool },
    F16,
    F32,
    F64,
}

impl Ty {
    pub const ALL: [Ty; 11] = [
        Ty::Int { bits: 32, signed: true },
        Ty::Int { bits: 32, signed: false },
        Ty::Int { bits: 8, signed: true },
        Ty::Int { bits: 8, signed: false },
        Ty::Int { bits: 16, signed: true },
        Ty::Int { bits: 16, signed: false },
        Ty::Int { bits: 64, signed: true },
        Ty::Int { bits: 64, signed: false },
        Ty::F32,
        Ty::F64,
        Ty::F16,
    ];

    pub fn name(self) -> String {
        match self {
            Ty::Int { bits, signed } => format!("{}int{bits}_t", if signed { "" } else { "u" }),
            Ty::F16 => "_Float16".into(),
            Ty::F32 => "float".into(),
            Ty::F64 => "double".into(),
        }
    }

    pub fn bytes(self) -> usize {
        match self {
            Ty::Int { bits, .. } => bits as usize / 8,
            Ty::F16 => 2,
            Ty::F32 => 4,
            Ty::F64 => 8,
        }
    }

    fn is_float(self) -> bool {
        !matches!(self, Ty::Int { .. })
    }
}

/// How large functions get.
#[derive(Clone, Copy)]
pub enum Size {
    /// Up to 17 statements, and those that they enclose, of all types.
    Any,
    /// Up to 4, of numbers that a fabric of 32 bits has.
    Small,
}

impl Size {
    /// Types of numbers, integers first.
    fn types(self) -> &'static [Ty] {
        self.either(&Ty::ALL, &NARROW)
    }

    pub fn either<T>(self, any: T, small: T) -> T {
        match self {
            Size::Any => any,
            Size::Small => small,
        }
    }
}

const NARROW: [Ty; 7] = [Ty::ALL[0], Ty::ALL[1], Ty::ALL[2], Ty::ALL[3], Ty::ALL[4], Ty::ALL[5], Ty::F32];

/// What comes before the functions.
pub const PRELUDE: &str = "#include <stdint.h>\n#include <stddef.h>\n#include <string.h>\n\
    static inline _Float16 fin16(_Float16 x) { return x > -1e4f16 && x < 1e4f16 ? x : 1.0f16; }\n\
    static inline float fin32(float x) { return x > -1e6f && x < 1e6f ? x : 1.0f; }\n\
    static inline double fin64(double x) { return x > -1e6 && x < 1e6 ? x : 1.0; }\n\
    static inline int32_t div_i(int32_t a, int32_t b) { return b == 0 || b == -1 ? a : a / b; }\n\
    static inline int32_t rem_i(int32_t a, int32_t b) { return b == 0 || b == -1 ? a : a % b; }\n\
    static inline uint32_t div_u(uint32_t a, uint32_t b) { return b == 0 ? a : a / b; }\n\
    static inline uint32_t rem_u(uint32_t a, uint32_t b) { return b == 0 ? a : a % b; }\n\
    static inline uint64_t rem_l(uint64_t a, uint64_t b) { return b == 0 ? a : a % b; }\n\
    static const int16_t table[16] = {3, -7, 100, 0, 5, -32768, 32767, 9, 1, 2, -3, 4, -5, 6, -7, 8};\n\
    struct pair { int32_t first; float second; };\n\
    struct mixed { int64_t wide; int16_t narrow; uint8_t byte; int8_t sign; int32_t word; };\n";

/// Fields of the two structs.
pub const PAIR: [Ty; 2] = [Ty::ALL[0], Ty::F32];
pub const MIXED: [Ty; 5] = [Ty::ALL[6], Ty::ALL[4], Ty::ALL[3], Ty::ALL[2], Ty::ALL[0]];

/// An argument that is an array.
#[derive(Clone)]
pub struct Array {
    pub name: &'static str,
    /// Fields of an element; one for a plain number.
    pub fields: Vec<Ty>,
    pub text: String,
}

/// A function, and what it takes: arrays, then `n` and `k`.
pub struct Function {
    pub name: String,
    pub text: String,
    pub arrays: Vec<Array>,
    pub k: Ty,
    pub result: Ty,
}

struct Writer<'r> {
    rng: &'r mut Rng,
    size: Size,
    out: String,
    indent: usize,
    /// Places of numbers: an expression with `#` for a masked index, and the type.
    places: Vec<(String, Ty)>,
    /// Numbers that may be read only.
    counters: Vec<String>,
    variables: usize,
    loops: usize,
    budget: usize,
    result: Ty,
    gotos: bool,
    /// Labels of this function so far, and those that a block may jump to, with what counts jumps back.
    labels: usize,
    targets: Vec<(String, Option<String>)>,
}

pub fn function(name: &str, size: Size, rng: &mut Rng) -> Function {
    let mut arrays = Vec::new();
    for array in ["a", "b", "c"] {
        let ty = *rng.pick(size.types());
        let (fields, text) = match (array, rng.below(3)) {
            ("c", 0) => (PAIR.to_vec(), "struct pair".into()),
            ("c", 1) if matches!(size, Size::Any) => (MIXED.to_vec(), "struct mixed".into()),
            _ => (vec![ty], ty.name()),
        };
        arrays.push(Array { name: array, fields, text });
    }
    // Pointers that are chosen between have one type.
    if rng.below(3) == 0 {
        (arrays[1].fields, arrays[1].text) = (arrays[0].fields.clone(), arrays[0].text.clone());
    }
    let (k, result) = (*rng.pick(size.types()), *rng.pick(size.types()));
    let restrict = if rng.below(2) == 0 { "restrict " } else { "" };
    let n = ["int", "size_t", "long"][rng.below(size.either(3, 1))];
    let mut w = Writer {
        rng,
        size,
        out: String::new(),
        indent: 1,
        places: vec![("k".into(), k)],
        counters: vec!["n".into()],
        variables: 0,
        loops: 0,
        budget: 0,
        result,
        gotos: false,
        labels: 0,
        targets: Vec::new(),
    };
    w.budget = size.either(4, 1) + w.rng.below(size.either(14, 4));
    w.gotos = w.rng.below(4) == 0;
    for array in &arrays {
        match &array.fields[..] {
            [one] => w.places.push((format!("{}[#]", array.name), *one)),
            [a, b] => w.places.extend([("c[#].first".into(), *a), ("c[#].second".into(), *b)]),
            fields => {
                let names = ["wide", "narrow", "byte", "sign", "word"];
                w.places.extend(names.iter().zip(fields).map(|(n, t)| (format!("c[#].{n}"), *t)));
            }
        }
    }
    w.locals();
    while w.budget > 0 {
        w.statement(&arrays);
    }
    let value = w.expression(result, 2);
    w.line(&format!("return {value};"));
    let arguments: Vec<String> = arrays.iter().map(|a| format!("{} *{restrict}{}", a.text, a.name)).collect();
    let head = format!("{} {name}({}, {n} n, {} k)", result.name(), arguments.join(", "), k.name());
    Function { name: name.into(), text: format!("{head}\n{{\n{}}}\n", w.out), arrays, k, result }
}

impl Writer<'_> {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{:1$}{text}", "", 4 * self.indent);
    }

    fn one_of<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.rng.below(list.len())]
    }

    fn ty(&mut self) -> Ty {
        *self.rng.pick(self.size.types())
    }

    fn integer(&mut self) -> Ty {
        let types = self.size.types();
        types[self.rng.below(types.iter().filter(|ty| !ty.is_float()).count())]
    }

    fn fresh(&mut self) -> String {
        self.variables += 1;
        format!("v{}", self.variables)
    }

    fn locals(&mut self) {
        for _ in 0..1 + self.rng.below(3) {
            let (name, ty) = (self.fresh(), self.ty());
            let value = self.expression(ty, 1);
            self.line(&format!("{} {name} = {value};", ty.name()));
            self.places.push((name, ty));
        }
        if self.rng.below(3) == 0 {
            let (name, ty) = (self.fresh(), self.ty());
            self.line(&format!("{} {name}[{LENGTH}] = {{0}};", ty.name()));
            self.places.push((format!("{name}[#]"), ty));
        }
        // Numbers beside an array that is indexed.
        if self.rng.below(3) == 0 {
            let (name, array, top, flag) = (self.fresh(), self.ty(), self.ty(), self.integer());
            let fields = [format!("words[{LENGTH}]"), "top".into(), "flag".into()];
            let types = [array, top, flag];
            let list: Vec<String> =
                types.iter().zip(&fields).map(|(ty, f)| format!("{} {f};", ty.name())).collect();
            self.line(&format!("struct {{ {} }} {name} = {{0}};", list.join(" ")));
            let places = ["words[#]", "top", "flag"].map(|f| format!("{name}.{f}"));
            self.places.extend(places.into_iter().zip(types));
        }
    }

    /// Something that can be assigned to.
    fn place(&mut self) -> (String, Ty) {
        let (text, ty) = self.places[self.rng.below(self.places.len())].clone();
        match text.contains('#') {
            true => (self.element(&text), ty),
            false => (text, ty),
        }
    }

    /// A place with an index for `#`.
    fn element(&mut self, text: &str) -> String {
        let index = match self.rng.below(3) {
            0 => self.rng.below(LENGTH).to_string(),
            _ => {
                let counter = self.counters[self.rng.below(self.counters.len())].clone();
                match self.rng.below(3) {
                    0 => format!("({counter} + {}) & {}", self.rng.below(9), LENGTH - 1),
                    1 => format!("{counter} & {}", LENGTH - 1),
                    _ => {
                        let wide = self.leaf(self.size.either(Ty::ALL[7], Ty::ALL[1]));
                        format!("({counter} * 3 + {wide}) & {}", LENGTH - 1)
                    }
                }
            }
        };
        text.replace('#', &index)
    }

    fn leaf(&mut self, ty: Ty) -> String {
        let text = match self.rng.below(7) {
            0 if ty.is_float() => format!("{}.5", self.rng.below(40)),
            0 => (self.rng.next_u64() as i32 >> self.rng.below(32)).to_string(),
            1 => self.counters[self.rng.below(self.counters.len())].clone(),
            2 => {
                let counter = self.counters[self.rng.below(self.counters.len())].clone();
                format!("table[{counter} & 15]")
            }
            _ => {
                // Indices of leaves are simple, so that this ends.
                let (text, from) = self.places[self.rng.below(self.places.len())].clone();
                let index = self.rng.below(LENGTH).to_string();
                return self.converted(&text.replace('#', &index), from, ty);
            }
        };
        format!("({})({text})", ty.name())
    }

    fn converted(&mut self, text: &str, from: Ty, to: Ty) -> String {
        match (from.is_float(), to.is_float()) {
            (true, false) => {
                // Of unsigned numbers only what is not negative converts.
                let through = self.size.either("(int64_t)fin64", "(int32_t)fin32");
                format!("({}){through}({text})", to.name())
            }
            _ => format!("({})({text})", to.name()),
        }
    }

    fn expression(&mut self, ty: Ty, depth: usize) -> String {
        if depth == 0 {
            return self.leaf(ty);
        }
        if self.rng.below(6) == 0 {
            let from = self.ty();
            let inner = self.expression(from, depth - 1);
            let converted = self.converted(&inner, from, ty);
            return if ty.is_float() { finite(&converted, ty) } else { converted };
        }
        let Ty::Int { bits, signed } = ty else {
            let (a, b) = (self.expression(ty, depth - 1), self.expression(ty, depth - 1));
            return match self.rng.below(6) {
                0 => {
                    let condition = self.condition(depth - 1);
                    format!("({condition} ? {a} : {b})")
                }
                1 => finite(&format!("{}({a})", self.size.either("__builtin_fabs", "__builtin_fabsf")), ty),
                op => finite(&format!("{a} {} {b}", ["+", "-", "*", "-"][op - 2]), ty),
            };
        };
        let name = ty.name();
        let unsigned = if bits == 64 { "uint64_t" } else { "uint32_t" };
        let (a, b) = (self.expression(ty, depth - 1), self.expression(ty, depth - 1));
        match self.rng.below(14) {
            0 => format!("({name})(({unsigned}){a} << (({unsigned}){b} & {}))", bits - 1),
            1 => format!("({name})({a} >> (({unsigned}){b} & {}))", bits - 1),
            2 => {
                let condition = self.condition(depth - 1);
                format!("({condition} ? {a} : {b})")
            }
            3 => format!("({name}){}", self.condition(depth - 1)),
            4 if signed => {
                format!("({name}){}((int32_t){a}, (int32_t){b})", self.one_of(&["div_i", "rem_i"]))
            }
            4 => {
                let remainder = self.size.either("rem_l", "rem_u");
                format!("({name}){}({a}, {b})", self.one_of(&["div_u", remainder]))
            }
            5 => format!("({name})~{a}"),
            6 => format!("({a} < {b} ? {a} : {b})"),
            7 if bits >= 32 => {
                let all = if bits == 64 { "ll" } else { "" };
                format!(
                    "({name})__builtin_{}{all}(({unsigned}){a} | 1)",
                    self.one_of(&["clz", "ctz", "popcount"])
                )
            }
            8 if bits == 32 => format!("({name})(((uint32_t){a} << 7) | ((uint32_t){a} >> 25))"),
            op => {
                let op = ["+", "-", "*", "&", "|", "^"][op % 6];
                format!("({name})(({unsigned}){a} {op} ({unsigned}){b})")
            }
        }
    }

    fn condition(&mut self, depth: usize) -> String {
        if depth > 0 && self.rng.below(3) == 0 {
            let (a, b) = (self.condition(depth - 1), self.condition(depth - 1));
            return format!("({a} {} {b})", self.one_of(&["&&", "||"]));
        }
        let ty = self.ty();
        let (a, b) = (self.expression(ty, depth.min(1)), self.expression(ty, depth.min(1)));
        format!("({a} {} {b})", self.one_of(&["<", "<=", ">", ">=", "==", "!="]))
    }

    fn block(&mut self, arrays: &[Array], most: usize) {
        self.indent += 1;
        let places = self.places.len();
        for _ in 0..1 + self.rng.below(most) {
            self.statement(arrays);
        }
        self.places.truncate(places);
        self.indent -= 1;
    }

    fn statement(&mut self, arrays: &[Array]) {
        self.budget = self.budget.saturating_sub(1);
        let deep = self.indent > 4 || self.budget == 0;
        match self.rng.below(if self.gotos { 18 } else { 14 }) {
            0 | 1 if !deep => {
                let condition = self.condition(1);
                self.line(&format!("if ({condition}) {{"));
                self.block(arrays, 3);
                if self.rng.below(2) == 0 {
                    self.line("} else {");
                    self.block(arrays, 3);
                }
                self.line("}");
            }
            2..=5 if !deep && self.loops + self.targets.len() < 3 => self.repeat(arrays),
            6 if !deep => {
                let ty = self.integer();
                let value = self.expression(ty, 1);
                self.line(&format!("switch ({value} & 3) {{"));
                for case in 0..2 + self.rng.below(2) {
                    self.line(&format!("case {case}:"));
                    self.block(arrays, 2);
                    if self.rng.below(3) > 0 {
                        self.line("    break;");
                    }
                }
                self.line("default:");
                self.block(arrays, 1);
                self.line("}");
            }
            7 if self.loops > 0 => {
                let condition = self.condition(1);
                let way = self.one_of(&["break", "continue"]);
                // In a switch, `break` leaves that; both are fine.
                self.line(&format!("if ({condition}) {way};"));
            }
            8 if self.rng.below(4) == 0 => {
                let condition = self.condition(1);
                let value = self.expression(self.result, 1);
                self.line(&format!("if ({condition}) return {value};"));
            }
            9 => self.walk(arrays),
            10 if self.rng.below(3) == 0 => {
                let plain = arrays[0].text.clone();
                let name = self.fresh();
                self.line(&format!("{plain} {name}[8];"));
                let from = self.rng.below(20);
                self.line(&format!("memcpy({name}, a + {from}, sizeof {name});"));
                self.places.push((format!("{name}[#]").replace('#', "(#) & 7"), arrays[0].fields[0]));
                self.line("(void)0;");
            }
            // A struct is copied, or changed on the way.
            11 if arrays[2].fields.len() > 1 && self.rng.below(2) == 0 => {
                let name = self.fresh();
                let [from, to] = [0, 1].map(|_| self.element("c[#]"));
                self.line(&format!("{{ {} {name} = {from};", arrays[2].text));
                if self.rng.below(2) == 0 {
                    let field = if arrays[2].fields.len() == 2 { "first" } else { "narrow" };
                    let value = self.expression(arrays[2].fields[usize::from(field == "narrow")], 1);
                    self.line(&format!("    {name}.{field} = {value};"));
                }
                self.line(&format!("    {to} = {name}; }}"));
            }
            14 if !deep => self.skip(arrays),
            15 if !deep && self.loops + self.targets.len() < 3 => self.go_back(arrays),
            16 if !self.targets.is_empty() => self.jump(),
            _ => {
                let (target, ty) = self.place();
                let value = self.expression(ty, 2);
                self.line(&format!("{target} = {value};"));
            }
        }
    }

    fn repeat(&mut self, arrays: &[Array]) {
        self.loops += 1;
        let i = self.fresh();
        let count = 1 + self.rng.below(6);
        let head = match self.rng.below(self.size.either(12, 8)) {
            0 => format!("for (unsigned {i} = 0; {i} < {count}; {i}++) {{"),
            1 => format!("for (int {i} = {count}; {i} >= 0; {i}--) {{"),
            2 => {
                let ty = self.size.either("size_t", "unsigned");
                format!("for ({ty} {i} = 0; {i} < ({ty})(n & 7); {i}++) {{")
            }
            3 => format!("for (int {i} = 1; {i} < 40; {i} *= 2) {{"),
            4 => format!("for (uint8_t {i} = 0; {i} != {count}; {i}++) {{"),
            5 => {
                let condition = self.condition(1);
                format!("for (int {i} = 0; {i} < {count} && {condition}; {i} += 1) {{")
            }
            6 => format!("for (unsigned {i} = (unsigned)n & 7; {i} > 0; {i} >>= 1) {{"),
            7 => format!("for (int {i} = 0; {i} < n; {i}++) {{"),
            8 => format!("for (size_t {i} = n; {i}-- > 0;) {{"),
            9 => format!("for (long {i} = (long)n - 1; {i} >= 0; {i} -= {count}) {{"),
            10 => format!("for (size_t {i} = 0; {i} + 1 < n; {i}++) {{"),
            _ => format!("for (int64_t {i} = {count}; {i} <= (int64_t)n; {i} += 2) {{"),
        };
        self.line(&head);
        self.counters.push(i);
        self.block(arrays, 3);
        self.counters.pop();
        self.line("}");
        self.loops -= 1;
    }

    fn label(&mut self) -> String {
        self.labels += 1;
        format!("l{}", self.labels)
    }

    /// A block of its own, which may jump to a label.
    fn jumping(&mut self, arrays: &[Array], target: (String, Option<String>)) {
        self.targets.push(target);
        self.line("{");
        self.block(arrays, 3);
        self.line("}");
        self.targets.pop();
    }

    /// A block that is jumped past and out of.
    fn skip(&mut self, arrays: &[Array]) {
        let (label, condition) = (self.label(), self.condition(1));
        self.line(&format!("if ({condition}) goto {label};"));
        self.jumping(arrays, (label.clone(), None));
        self.line(&format!("{label}:;"));
    }

    /// A loop of jumps, which half of the time may begin in its middle.
    fn go_back(&mut self, arrays: &[Array]) {
        let (top, middle, count) = (self.label(), self.label(), self.fresh());
        self.line(&format!("int {count} = 0;"));
        let enters = self.rng.below(2) == 0;
        if enters {
            let condition = self.condition(1);
            self.line(&format!("if ({condition}) goto {middle};"));
        }
        self.line(&format!("{top}:;"));
        self.jumping(arrays, (top.clone(), Some(count.clone())));
        if enters {
            self.line(&format!("{middle}:;"));
            self.jumping(arrays, (top.clone(), Some(count.clone())));
        }
        let (condition, most) = (self.condition(1), 2 + self.rng.below(4));
        self.line(&format!("if (++{count} < {most} && {condition}) goto {top};"));
    }

    /// To a label outside of this block: ahead, or back a few times.
    fn jump(&mut self) {
        let (label, count) = self.targets[self.rng.below(self.targets.len())].clone();
        let condition = self.condition(1);
        let more = count.map_or(String::new(), |count| format!(" && ++{count} < 4"));
        self.line(&format!("if ({condition}{more}) goto {label};"));
    }

    /// A pointer that moves, into one array or one of two.
    fn walk(&mut self, arrays: &[Array]) {
        let (p, i) = (self.fresh(), self.fresh());
        let ty = arrays[0].fields[0];
        let base = match arrays[0].text == arrays[1].text {
            true => format!("({} ? a : b)", self.condition(0)),
            false => "a".into(),
        };
        let (from, count) = (self.rng.below(20), 1 + self.rng.below(8));
        self.line(&format!("{} *{p} = {base} + {from};", arrays[0].text));
        self.line(&format!("for (int {i} = 0; {i} < {count}; {i}++) {{"));
        let value = self.expression(ty, 1);
        let condition = self.condition(0);
        self.line(&format!("    if ({condition}) *{p} = {value};"));
        self.line(&format!("    {p}++;"));
        self.line("}");
    }
}

fn finite(text: &str, ty: Ty) -> String {
    let limit = match ty {
        Ty::F16 => "fin16",
        Ty::F32 => "fin32",
        _ => "fin64",
    };
    format!("{limit}({text})")
}
