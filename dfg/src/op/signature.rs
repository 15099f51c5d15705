//! What an op takes and gives: types, and names of operands and results.

use super::{Form, OpKind};
use crate::Type;

impl OpKind {
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
        let need = |ok: bool, allowed: &str| if ok { Ok(()) } else { Err(allowed.to_string()) };
        let all = |t: Type| operands.iter().all(|&o| o == t);
        let all_one = operands.first().is_some_and(|&t| all(t) && results[0] == t);
        let first = operands.first().copied().unwrap_or(Type::None);
        match self.form() {
            Form::IntBinary => need(
                first.is_integral() && all_one,
                "both operands and the result have one integer or index type",
            ),
            Form::IntUnary => {
                need(first.is_integral() && all_one, "operand and result have one integer or index type")
            }
            Form::IntCompare => need(
                first.is_integral() && all(first) && results[0] == Type::I1,
                "both operands have one integer or index type, the result is i1",
            ),
            Form::FloatBinary | Form::FloatUnary | Form::FloatTernary => {
                need(first.is_float() && all_one, "operands and result have one float type")
            }
            Form::FloatCompare => need(
                first.is_float() && all(first) && results[0] == Type::I1,
                "both operands have one float type, the result is i1",
            ),
            Form::Cast => self.check_cast(first, results[0]),
            Form::Special => self.check_special(operands, results),
        }
    }

    fn check_cast(self, from: Type, to: Type) -> Result<(), String> {
        let int_width = |t: Type| match t {
            Type::Int(w) => u32::from(w),
            _ => 0,
        };
        let (int_from, int_to) = (int_width(from), int_width(to));
        let (ok, allowed) = match self {
            OpKind::Extsi | OpKind::Extui => {
                (int_from > 0 && int_to > int_from, "from an integer to a wider integer")
            }
            OpKind::Trunci => (int_to > 0 && int_to < int_from, "from an integer to a narrower integer"),
            OpKind::IndexCast | OpKind::IndexCastui => (
                (from == Type::Index && int_to > 0) || (int_from > 0 && to == Type::Index),
                "from an integer to index or from index to an integer",
            ),
            OpKind::Extf => (
                from.is_float() && to.is_float() && to.width(0) > from.width(0),
                "from a float to a wider float",
            ),
            OpKind::Truncf => (
                from.is_float() && to.is_float() && to.width(0) < from.width(0),
                "from a float to a narrower float",
            ),
            OpKind::Sitofp | OpKind::Uitofp => (int_from > 0 && to.is_float(), "from an integer to a float"),
            OpKind::Fptosi | OpKind::Fptoui => (from.is_float() && int_to > 0, "from a float to an integer"),
            _ => (
                from != Type::Index && to != Type::Index && from.width(0) > 0 && from.width(0) == to.width(0),
                "between types of the same width, none of them index",
            ),
        };
        if ok {
            Ok(())
        } else {
            Err(allowed.to_string())
        }
    }

    fn check_special(self, operands: &[Type], results: &[Type]) -> Result<(), String> {
        let need = |ok: bool, allowed: &str| if ok { Ok(()) } else { Err(allowed.to_string()) };
        match self {
            OpKind::Select => need(
                operands[0] == Type::I1 && operands[1] == operands[2] && results[0] == operands[1],
                "the condition is i1, both values and the result have one type",
            ),
            OpKind::Constant => {
                need(operands[0] == Type::None && results[0] != Type::None, "from a none token to a value")
            }
            OpKind::Join(_) => need(results[0] == Type::None, "the result is none"),
            OpKind::CondBr => need(
                operands[0] == Type::I1 && results.iter().all(|&r| r == operands[1]),
                "the condition is i1, the value and both results have one type",
            ),
            OpKind::Mux(n) => {
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
            OpKind::Stream(_) => need(
                operands.iter().all(|&t| t == Type::Index)
                    && results[0] == Type::Index
                    && results[1] == Type::I1,
                "three index operands, results index and i1",
            ),
            OpKind::Gate => need(
                operands[1] == Type::I1 && results[0] == operands[0] && results[1] == Type::I1,
                "operands T and i1, results T and i1",
            ),
            OpKind::Carry => need(
                operands[0] == Type::I1 && operands[1] == operands[2] && results[0] == operands[1],
                "operands i1, T and T, result T",
            ),
            OpKind::Invariant => {
                need(operands[0] == Type::I1 && results[0] == operands[1], "operands i1 and T, result T")
            }
            OpKind::Load => need(
                operands[0] == Type::Index
                    && operands[1] != Type::None
                    && operands[2] == Type::None
                    && results == [operands[1], Type::Index],
                "operands index, T and none, results T and index",
            ),
            OpKind::Store => need(
                operands[0] == Type::Index
                    && operands[1] != Type::None
                    && operands[2] == Type::None
                    && results == [operands[1], Type::Index],
                "operands index, T and none, results T and index",
            ),
            OpKind::Memory(ports) | OpKind::Extmemory(ports) => {
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
            _ => Ok(()),
        }
    }

    /// Names of the operands, for messages and reports; variadic ones are numbered.
    pub fn operand_name(self, i: usize) -> String {
        let fixed: &[&str] = match self {
            OpKind::Select => &["condition", "true_value", "false_value"],
            OpKind::Constant => &["trigger"],
            OpKind::CondBr => &["condition", "value"],
            OpKind::Stream(_) => &["start", "step", "bound"],
            OpKind::Gate => &["before_value", "before_cond"],
            OpKind::Carry => &["d", "a", "b"],
            OpKind::Invariant => &["d", "a"],
            OpKind::Load => &["address", "data_from_memory", "control"],
            OpKind::Store => &["address", "data", "control"],
            OpKind::Mux(_) if i == 0 => &["select"],
            OpKind::Mux(_) => return format!("in{}", i - 1),
            OpKind::Join(_) => return format!("in{i}"),
            OpKind::Memory(ports) | OpKind::Extmemory(ports) => {
                let stores = 2 * ports.stores as usize;
                return match i {
                    _ if i >= stores => format!("load{}_address", i - stores),
                    _ if i.is_multiple_of(2) => format!("store{}_data", i / 2),
                    _ => format!("store{}_address", i / 2),
                };
            }
            _ => match self.operand_count() {
                1 => &["in"],
                2 => &["lhs", "rhs"],
                _ => &["a", "b", "c"],
            },
        };
        fixed[i].to_string()
    }

    /// Names of the results, for messages and reports.
    pub fn result_name(self, i: usize) -> String {
        let name = match self {
            OpKind::CondBr => ["true_side", "false_side"][i],
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
