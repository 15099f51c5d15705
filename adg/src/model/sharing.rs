//! Function units of a PE that are one piece of hardware: as one of them is active at a time, one adder can be the
//! sum of one and the difference of another.
//!
//! Two units share when their ops are of one [`Resource`], on operands of the same meaning, with the same timing. Guarantees:
//! every unit is in exactly one group, groups stand in the order of their first units, units in a group in theirs. Looks at no
//! unit but those of one op whose ports are the op's.

use super::{FunctionUnit, SpatialPe};
use loom_dfg::op::{Cast, Division, FloatBinary, Form, IntBinary, IntCompare};
use loom_dfg::Type;

/// What units can be made of, one of them at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Resource {
    /// Sums and differences of integers.
    Adder,
    /// Order of integers: compares, minima, maxima.
    Comparator,
    /// Shifts.
    Shifter,
    /// Bitwise and, or, exclusive or.
    Logic,
    /// Casts that keep low bits and fill the high ones.
    Extender,
    /// Divisions of integers that round to zero, and their remainders.
    Divider,
    /// Sums and differences of floats.
    FloatAdder,
    /// Order of floats: compares, minima, maxima.
    FloatComparator,
    /// Integers made floats.
    FloatOfInteger,
    /// Floats made integers.
    IntegerOfFloat,
}

impl Resource {
    /// As it stands in names of modules.
    pub fn name(self) -> &'static str {
        match self {
            Resource::Adder => "adder",
            Resource::Comparator => "comparator",
            Resource::Shifter => "shifter",
            Resource::Logic => "logic",
            Resource::Extender => "extender",
            Resource::Divider => "divider",
            Resource::FloatAdder => "float_adder",
            Resource::FloatComparator => "float_comparator",
            Resource::FloatOfInteger => "float_of_integer",
            Resource::IntegerOfFloat => "integer_of_float",
        }
    }
}

/// Units of a PE that are one piece of hardware.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedUnits {
    /// What they are made of; none for a unit that stands alone.
    pub resource: Option<Resource>,
    /// The units, by their index in the PE.
    pub units: Vec<usize>,
}

/// What must be the same in all units that share.
#[derive(PartialEq, Eq)]
struct Key {
    resource: Resource,
    /// Types that say what the bits of operands and results mean, where the resource has one of each.
    types: Option<[Type; 2]>,
    latency: i32,
    interval: i32,
}

/// None for a unit that nothing shares.
fn key(fu: &FunctionUnit, index_width: u32) -> Option<Key> {
    let resource = resource(fu.single_op()?.form())?;
    let body = &fu.body[0];
    // Integers are their width, and an index is one.
    let meaning = |ty: Type| if ty.is_float() { ty } else { Type::Int(ty.width(index_width) as u8) };
    let (operand, result) = (meaning(fu.inputs[0]), meaning(body.results[0]));
    let types = match resource {
        Resource::Extender => None,
        Resource::FloatOfInteger | Resource::IntegerOfFloat => Some([operand, result]),
        // A compare's result is a bit whatever it compares.
        _ => Some([operand, operand]),
    };
    Some(Key { resource, types, latency: fu.latency, interval: fu.interval })
}

fn resource(form: Form) -> Option<Resource> {
    Some(match form {
        Form::IntBinary(op) => match op {
            IntBinary::Addi | IntBinary::Subi => Resource::Adder,
            IntBinary::Andi | IntBinary::Ori | IntBinary::Xori => Resource::Logic,
            IntBinary::Shli | IntBinary::Shrui | IntBinary::Shrsi => Resource::Shifter,
            IntBinary::Maxsi | IntBinary::Maxui | IntBinary::Minsi | IntBinary::Minui => Resource::Comparator,
            IntBinary::Muli => return None,
        },
        Form::IntCompare(IntCompare::Cmpi) => Resource::Comparator,
        Form::Division(Division::Divsi | Division::Divui | Division::Remsi | Division::Remui) => {
            Resource::Divider
        }
        Form::Cast(op) => match op {
            Cast::Extsi
            | Cast::Extui
            | Cast::Trunci
            | Cast::IndexCast
            | Cast::IndexCastui
            | Cast::Bitcast => Resource::Extender,
            Cast::Sitofp | Cast::Uitofp => Resource::FloatOfInteger,
            Cast::Fptosi | Cast::Fptoui => Resource::IntegerOfFloat,
            Cast::Extf | Cast::Truncf => return None,
        },
        Form::FloatBinary(op) => match op {
            FloatBinary::Addf | FloatBinary::Subf => Resource::FloatAdder,
            FloatBinary::Maximumf | FloatBinary::Minimumf | FloatBinary::Maxnumf | FloatBinary::Minnumf => {
                Resource::FloatComparator
            }
            _ => return None,
        },
        Form::FloatCompare(_) => Resource::FloatComparator,
        _ => return None,
    })
}

impl SpatialPe {
    /// Its function units by the hardware that they are.
    pub fn shared_units(&self, index_width: u32) -> Vec<SharedUnits> {
        let mut groups: Vec<(Option<Key>, Vec<usize>)> = Vec::new();
        for (at, fu) in self.fus.iter().enumerate() {
            let key = key(fu, index_width);
            match groups.iter_mut().find(|(k, _)| key.is_some() && *k == key) {
                Some((_, units)) => units.push(at),
                None => groups.push((key, vec![at])),
            }
        }
        let group = |(key, units): (Option<Key>, Vec<usize>)| SharedUnits {
            resource: key.filter(|_| units.len() > 1).map(|k| k.resource),
            units,
        };
        groups.into_iter().map(group).collect()
    }
}
