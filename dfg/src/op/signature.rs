//! What an op takes and gives: how many, of which types, and under which names.

use super::{AccessOp, Cast, Form, MemoryOp, OpKind, StateOp, SteerOp};
use crate::Type;

/// `Err` is what is allowed, in words.
fn need(ok: bool, allowed: &str) -> Result<(), String> {
    if ok {
        Ok(())
    } else {
        Err(allowed.to_string())
    }
}

impl OpKind {
    /// Names of the operands; `None` where their number is a parameter of the kind.
    fn fixed_operands(self) -> Option<&'static [&'static str]> {
        Some(match self.form() {
            Form::IntUnary(_) | Form::FloatUnary(_) | Form::Elementary(_) | Form::Cast(_) => &["in"],
            Form::IntBinary(_)
            | Form::Division(_)
            | Form::IntCompare(_)
            | Form::FloatBinary(_)
            | Form::FloatCompare(_) => &["lhs", "rhs"],
            Form::FloatTernary(_) => &["a", "b", "c"],
            Form::Choice(_) => &["condition", "true_value", "false_value"],
            Form::Steer(SteerOp::Constant) => &["trigger"],
            Form::Steer(SteerOp::CondBr) => &["condition", "value"],
            Form::State(StateOp::Stream(_)) => &["start", "step", "bound"],
            Form::State(StateOp::Gate) => &["before_value", "before_cond"],
            Form::State(StateOp::Carry | StateOp::CarryBr) => &["d", "a", "b"],
            Form::State(StateOp::Invariant | StateOp::InvariantBr) => &["d", "a"],
            Form::Access(AccessOp::Load) => &["address", "data_from_memory", "control"],
            Form::Access(AccessOp::Store) => &["address", "data", "control"],
            Form::Steer(SteerOp::Join(_) | SteerOp::Mux(_)) | Form::Memory(_) => return None,
        })
    }

    /// Number of operands.
    pub fn operand_count(self) -> usize {
        match self {
            OpKind::Join(n) => n as usize,
            OpKind::Mux(n) => n as usize + 1,
            OpKind::Memory(ports) | OpKind::Extmemory(ports) => ports.operands(),
            _ => self.fixed_operands().map_or(0, <[_]>::len),
        }
    }

    /// Number of results.
    pub fn result_count(self) -> usize {
        match self.form() {
            Form::Steer(SteerOp::CondBr)
            | Form::State(StateOp::Stream(_) | StateOp::Gate | StateOp::CarryBr | StateOp::InvariantBr)
            | Form::Access(_) => 2,
            Form::Memory(MemoryOp::Memory(ports) | MemoryOp::Extmemory(ports)) => ports.results(),
            _ => 1,
        }
    }

    /// `(T, ..., T) -> T` for one float type.
    pub fn is_float_arithmetic(self) -> bool {
        matches!(
            self.form(),
            Form::FloatBinary(_) | Form::FloatUnary(_) | Form::Elementary(_) | Form::FloatTernary(_)
        )
    }

    /// All operands and the result have one type, which is all that text says about it.
    pub fn has_one_type(self) -> bool {
        self.is_float_arithmetic()
            || matches!(self.form(), Form::IntBinary(_) | Form::Division(_) | Form::IntUnary(_))
    }

    /// Whether it has as many operands as one wants.
    pub fn is_variadic(self) -> bool {
        matches!(self.form(), Form::Steer(SteerOp::Join(_) | SteerOp::Mux(_)))
    }

    /// Checks operand and result types of this kind against each other. `Err` is what is allowed, in words.
    /// A memory's element type is not known here: its data ports must only agree with each other.
    pub fn check_types(self, operands: &[Type], results: &[Type]) -> Result<(), String> {
        if (operands.len(), results.len()) != (self.operand_count(), self.result_count()) {
            return Err(format!(
                "{} operands and {} results are needed",
                self.operand_count(),
                self.result_count()
            ));
        }
        let all = |t: Type| operands.iter().all(|&o| o == t);
        let all_one = operands.first().is_some_and(|&t| all(t) && results[0] == t);
        let first = operands.first().copied().unwrap_or(Type::None);
        match self.form() {
            Form::IntBinary(_) | Form::Division(_) => need(
                first.is_integral() && all_one,
                "both operands and the result have one integer or index type",
            ),
            Form::IntUnary(_) => {
                need(first.is_integral() && all_one, "operand and result have one integer or index type")
            }
            Form::IntCompare(_) => need(
                first.is_integral() && all(first) && results[0] == Type::I1,
                "both operands have one integer or index type, the result is i1",
            ),
            Form::FloatBinary(_) | Form::FloatUnary(_) | Form::Elementary(_) | Form::FloatTernary(_) => {
                need(first.is_float() && all_one, "operands and result have one float type")
            }
            Form::FloatCompare(_) => need(
                first.is_float() && all(first) && results[0] == Type::I1,
                "both operands have one float type, the result is i1",
            ),
            Form::Choice(_) => need(
                operands[0] == Type::I1 && operands[1] == operands[2] && results[0] == operands[1],
                "the condition is i1, both values and the result have one type",
            ),
            Form::Cast(cast) => check_cast(cast, first, results[0]),
            Form::Steer(op) => check_steer(op, operands, results),
            Form::State(op) => check_state(op, operands, results),
            Form::Access(AccessOp::Load | AccessOp::Store) => need(
                operands[0] == Type::Index
                    && operands[1] != Type::None
                    && operands[2] == Type::None
                    && results == [operands[1], Type::Index],
                "operands index, T and none, results T and index",
            ),
            Form::Memory(op) => check_memory(op, operands, results),
        }
    }

    /// Types that it can have, of the common widths: for messages, and for whoever needs one instance of each op.
    pub fn example_types(self) -> (Vec<Type>, Vec<Type>) {
        let (int, float, index, none) = (Type::I32, Type::F32, Type::Index, Type::None);
        let word = match self.form() {
            Form::FloatBinary(_)
            | Form::FloatUnary(_)
            | Form::Elementary(_)
            | Form::FloatTernary(_)
            | Form::FloatCompare(_) => float,
            _ => int,
        };
        let operands = match self.form() {
            Form::Cast(op) => vec![match op {
                Cast::Extsi | Cast::Extui | Cast::IndexCast | Cast::IndexCastui => Type::Int(8),
                Cast::Trunci | Cast::Sitofp | Cast::Uitofp => int,
                Cast::Extf | Cast::Fptosi | Cast::Fptoui | Cast::Bitcast => float,
                Cast::Truncf => Type::F64,
            }],
            Form::Choice(_) => vec![Type::I1, word, word],
            Form::Steer(SteerOp::Constant) => vec![none],
            Form::Steer(SteerOp::Join(n)) => vec![none; usize::from(n)],
            Form::Steer(SteerOp::CondBr) => vec![Type::I1, word],
            Form::Steer(SteerOp::Mux(n)) => {
                let select = Type::Int(loom_base::choice_bits(usize::from(n)).max(1) as u8);
                std::iter::once(select).chain(std::iter::repeat_n(word, usize::from(n))).collect()
            }
            Form::State(StateOp::Stream(_)) => vec![index; 3],
            Form::State(StateOp::Gate) => vec![word, Type::I1],
            Form::State(StateOp::Carry | StateOp::CarryBr) => vec![Type::I1, word, word],
            Form::State(StateOp::Invariant | StateOp::InvariantBr) => vec![Type::I1, word],
            Form::Access(_) => vec![index, word, none],
            Form::Memory(MemoryOp::Memory(ports) | MemoryOp::Extmemory(ports)) => {
                let stores = std::iter::repeat_n([word, index], usize::from(ports.stores)).flatten();
                stores.chain(std::iter::repeat_n(index, usize::from(ports.loads))).collect()
            }
            _ => vec![word; self.operand_count()],
        };
        let results = match self.form() {
            Form::IntCompare(_) | Form::FloatCompare(_) => vec![Type::I1],
            Form::Cast(op) => vec![match op {
                Cast::Extsi | Cast::Extui | Cast::Fptosi | Cast::Fptoui | Cast::Bitcast => int,
                Cast::Trunci => Type::Int(8),
                Cast::IndexCast | Cast::IndexCastui => index,
                Cast::Extf => Type::F64,
                Cast::Truncf | Cast::Sitofp | Cast::Uitofp => float,
            }],
            Form::Steer(SteerOp::Join(_)) => vec![none],
            Form::State(StateOp::Stream(_)) => vec![index, Type::I1],
            Form::State(StateOp::Gate) => vec![word, Type::I1],
            Form::Access(_) => vec![word, index],
            Form::Memory(MemoryOp::Memory(ports) | MemoryOp::Extmemory(ports)) => {
                let done = usize::from(ports.loads) + usize::from(ports.stores);
                std::iter::repeat_n(word, usize::from(ports.loads))
                    .chain(std::iter::repeat_n(none, done))
                    .collect()
            }
            _ => vec![word; self.result_count()],
        };
        (operands, results)
    }

    /// Names of the operands, for messages and reports; variadic ones are numbered.
    pub fn operand_name(self, i: usize) -> String {
        match self {
            OpKind::Mux(_) if i == 0 => "select".to_string(),
            OpKind::Mux(_) => format!("in{}", i - 1),
            OpKind::Memory(ports) | OpKind::Extmemory(ports) => {
                let stores = 2 * ports.stores as usize;
                match i {
                    _ if i >= stores => format!("load{}_address", i - stores),
                    _ if i.is_multiple_of(2) => format!("store{}_data", i / 2),
                    _ => format!("store{}_address", i / 2),
                }
            }
            _ => self.fixed_operands().map_or_else(|| format!("in{i}"), |names| names[i].to_string()),
        }
    }

    /// Names of the results, for messages and reports.
    pub fn result_name(self, i: usize) -> String {
        let name = match self {
            OpKind::CondBr | OpKind::CarryBr | OpKind::InvariantBr => ["true_side", "false_side"][i],
            OpKind::Stream(_) => ["index", "cont"][i],
            OpKind::Gate => ["after_value", "after_cond"][i],
            OpKind::Load => ["data", "address_to_memory"][i],
            OpKind::Store => ["data_to_memory", "address_to_memory"][i],
            OpKind::Memory(ports) | OpKind::Extmemory(ports) => {
                let (loads, stores) = (ports.loads as usize, ports.stores as usize);
                return match i {
                    _ if i < loads => format!("load{i}_data"),
                    _ if i < loads + stores => format!("store{}_done", i - loads),
                    _ => format!("load{}_done", i - loads - stores),
                };
            }
            _ => "out",
        };
        name.to_string()
    }
}

fn check_cast(cast: Cast, from: Type, to: Type) -> Result<(), String> {
    let int_width = |t: Type| match t {
        Type::Int(w) => u32::from(w),
        _ => 0,
    };
    let (int_from, int_to) = (int_width(from), int_width(to));
    let floats = from.is_float() && to.is_float();
    let same = from.width(0) > 0 && from.width(0) == to.width(0);
    match cast {
        Cast::Extsi | Cast::Extui => {
            need(int_from > 0 && int_to > int_from, "from an integer to a wider integer")
        }
        Cast::Trunci => need(int_to > 0 && int_to < int_from, "from an integer to a narrower integer"),
        Cast::IndexCast | Cast::IndexCastui => need(
            (from == Type::Index && int_to > 0) || (int_from > 0 && to == Type::Index),
            "from an integer to index or from index to an integer",
        ),
        Cast::Extf => need(floats && to.width(0) > from.width(0), "from a float to a wider float"),
        Cast::Truncf => need(floats && to.width(0) < from.width(0), "from a float to a narrower float"),
        Cast::Sitofp | Cast::Uitofp => need(int_from > 0 && to.is_float(), "from an integer to a float"),
        Cast::Fptosi | Cast::Fptoui => need(from.is_float() && int_to > 0, "from a float to an integer"),
        Cast::Bitcast => need(
            from != Type::Index && to != Type::Index && same,
            "between types of the same width, none of them index",
        ),
    }
}

fn check_steer(op: SteerOp, operands: &[Type], results: &[Type]) -> Result<(), String> {
    match op {
        SteerOp::Constant => {
            need(operands[0] == Type::None && results[0] != Type::None, "from a none token to a value")
        }
        SteerOp::Join(_) => need(results[0] == Type::None, "the result is none"),
        SteerOp::CondBr => need(
            operands[0] == Type::I1 && results.iter().all(|&r| r == operands[1]),
            "the condition is i1, the value and both results have one type",
        ),
        SteerOp::Mux(n) => {
            let wide_enough = match operands[0] {
                Type::Index => true,
                Type::Int(w) => u32::from(w) >= loom_base::choice_bits(n as usize).max(1),
                _ => false,
            };
            need(
                wide_enough
                    && (operands[0] == Type::I1 || n > 2)
                    && operands[1..].iter().chain(results).all(|&t| t == results[0]),
                "the select is i1 for two inputs, an integer wide enough or index for more; all data has one type",
            )
        }
    }
}

fn check_state(op: StateOp, operands: &[Type], results: &[Type]) -> Result<(), String> {
    match op {
        StateOp::Stream(_) => need(
            operands.iter().all(|&t| t == Type::Index) && results[0] == Type::Index && results[1] == Type::I1,
            "three index operands, results index and i1",
        ),
        StateOp::Gate => need(
            operands[1] == Type::I1 && results[0] == operands[0] && results[1] == Type::I1,
            "operands T and i1, results T and i1",
        ),
        StateOp::Carry => need(
            operands[0] == Type::I1 && operands[1] == operands[2] && results[0] == operands[1],
            "operands i1, T and T, result T",
        ),
        StateOp::Invariant => {
            need(operands[0] == Type::I1 && results[0] == operands[1], "operands i1 and T, result T")
        }
        StateOp::CarryBr => need(
            operands[0] == Type::I1
                && operands[1] == operands[2]
                && results.iter().all(|&r| r == operands[1]),
            "operands i1, T and T, results T and T",
        ),
        StateOp::InvariantBr => need(
            operands[0] == Type::I1 && results.iter().all(|&r| r == operands[1]),
            "operands i1 and T, results T and T",
        ),
    }
}

fn check_memory(op: MemoryOp, operands: &[Type], results: &[Type]) -> Result<(), String> {
    let (MemoryOp::Memory(ports) | MemoryOp::Extmemory(ports)) = op;
    let (loads, stores) = (ports.loads as usize, ports.stores as usize);
    let data = (0..stores).map(|i| operands[ports.store_data(i)]);
    let data = data.chain((0..loads).map(|i| results[ports.load_data(i)]));
    let data: Vec<Type> = data.collect();
    let addresses = (0..stores).map(|i| operands[ports.store_address(i)]);
    let mut addresses = addresses.chain((0..loads).map(|i| operands[ports.load_address(i)]));
    need(
        data.iter().all(|&t| t == data[0] && t != Type::None)
            && addresses.all(|t| t == Type::Index)
            && results[loads..].iter().all(|&t| t == Type::None),
        "(data, index) of each store, then index of each load; data of each load, then a none for each",
    )
}
