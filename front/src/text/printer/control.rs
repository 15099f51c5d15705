//! Operations with regions: ifs, switches and loops.

use super::{arrow, hints, Printer};
use crate::ir::{Operation, RegionId, ValueId, ValueType};
use crate::predicate;
use loom_dfg::{ContCond, Counter, StepOp, Type};
use std::collections::BTreeMap;

impl Printer<'_> {
    pub(super) fn print_switch(&mut self, op: &Operation, level: usize, cases: &[i64]) {
        let results = self.results_known(op);
        let types = match op.results.is_empty() {
            true => String::new(),
            false => format!(" -> {}", self.types(&op.results)),
        };
        self.line(level, &format!("{results}scf.index_switch {}{types}", self.values(&op.operands)));
        for (case, &region) in cases.iter().zip(op.regions.iter().skip(1)) {
            self.line(level, &format!("case {case} {{"));
            self.region(region, level + 1, false);
            self.line(level, "}");
        }
        self.line(level, "default {");
        if let Some(&region) = op.regions.first() {
            self.region(region, level + 1, false);
        }
        self.line(level, "}");
    }

    pub(super) fn print_if(&mut self, op: &Operation, level: usize) {
        let results = self.results_known(op);
        let types = arrow(&self.all_types(&op.results));
        self.line(level, &format!("{results}scf.if {}{types} {{", self.values(&op.operands)));
        let hide = op.results.is_empty();
        for (i, &region) in op.regions.iter().enumerate() {
            if i > 0 {
                if self.func.region(region).blocks.is_empty() {
                    break;
                }
                self.line(level, "} else {");
            }
            self.region(region, level + 1, hide);
        }
        self.line(level, "}");
    }

    pub(super) fn print_for(&mut self, op: &Operation, level: usize) {
        let results = self.results_known(op);
        let region = op.regions.first().copied();
        let arguments = self.entry_arguments(region);
        let names: Vec<String> = arguments.iter().map(|&v| self.define(v)).collect();
        let at = |i: usize| op.operands.get(i).map_or(String::new(), |&v| self.value(v));
        let induction = names.first().cloned().unwrap_or_default();
        let mut head = format!("{results}scf.for {induction} = {} to {} step {}", at(0), at(1), at(2));
        if op.operands.len() > 3 {
            let pairs: Vec<String> = (names.iter().skip(1).zip(&op.operands[3..]))
                .map(|(n, &v)| format!("{n} = {}", self.value(v)))
                .collect();
            head += &format!(" iter_args({}){}", pairs.join(", "), arrow(&self.all_types(&op.results)));
        }
        if let Some(ty) = arguments.first().map(|&v| self.func.ty(v)) {
            if *ty != ValueType::Scalar(Type::Index) {
                head += &format!(" : {ty}");
            }
        }
        self.line(level, &(head + " {"));
        if let Some(region) = region {
            self.region(region, level + 1, op.results.is_empty());
        }
        self.line(level, &format!("}}{}", hints::text(" ", &op.hints)));
    }

    fn entry_arguments(&self, region: Option<RegionId>) -> Vec<ValueId> {
        let block = region.and_then(|r| self.func.entry(r));
        block.map_or(Vec::new(), |b| self.func.block(b).arguments.clone())
    }

    fn while_head(
        &mut self,
        results: &str,
        pairs: &[(String, String)],
        from: &str,
        to: &[ValueType],
    ) -> String {
        let list: Vec<String> = pairs.iter().map(|(n, v)| format!("{n} = {v}")).collect();
        let list = if list.is_empty() { String::new() } else { format!("({}) ", list.join(", ")) };
        let to = match to {
            [one] => one.to_string(),
            many => format!("({})", many.iter().map(|t| t.to_string()).collect::<Vec<_>>().join(", ")),
        };
        format!("{results}scf.while {list}: ({from}) -> {to} {{")
    }

    pub(super) fn print_while(&mut self, op: &Operation, level: usize) {
        let results = self.results_known(op);
        let before = self.entry_arguments(op.regions.first().copied());
        let pairs: Vec<(String, String)> =
            (before.iter().zip(&op.operands)).map(|(&a, &v)| (self.define(a), self.value(v))).collect();
        let head = self.while_head(&results, &pairs, &self.types(&op.operands), &self.all_types(&op.results));
        self.line(level, &head);
        if let Some(&region) = op.regions.first() {
            self.region(region, level + 1, false);
        }
        self.line(level, "} do {");
        let after = self.entry_arguments(op.regions.get(1).copied());
        if !after.is_empty() {
            let list: Vec<String> =
                after.iter().map(|&v| format!("{}: {}", self.define(v), self.func.ty(v))).collect();
            self.line(level, &format!("^bb0({}):", list.join(", ")));
        }
        if let Some(&region) = op.regions.get(1) {
            self.region(region, level + 1, false);
        }
        self.line(level, &format!("}}{}", hints::text(" attributes ", &op.hints)));
    }

    /// A loop that text has no `scf.for` for: tests, then runs the body and steps the induction value.
    pub(super) fn print_raised(&mut self, op: &Operation, level: usize, counter: Counter, cond: ContCond) {
        let (Some(&region), [lower, upper, step, inits @ ..]) = (op.regions.first(), &op.operands[..]) else {
            return self.line(level, "// a loop without body");
        };
        let arguments = self.entry_arguments(Some(region));
        let ty = self.func.ty(*lower).clone();
        let name = arguments.first().map_or(String::new(), |&v| self.func.value(v).name.clone());
        // The last value of the induction is a result of the while and nobody uses it.
        let last = self.fresh(&name);
        let mut list: Vec<String> = Vec::new();
        for &v in &op.results {
            list.push(match self.names[v.0 as usize].clone() {
                Some(name) => name,
                None => self.define(v),
            });
        }
        let results = match list.is_empty() {
            true => format!("%{last} = "),
            false => format!("%{last}, {} = ", list.join(", ")),
        };
        let mut before: Vec<String> = vec![format!("%{}", self.fresh(&name))];
        for &v in arguments.iter().skip(1) {
            let name = self.func.value(v).name.clone();
            before.push(format!("%{}", self.fresh(&name)));
        }
        let starts: Vec<String> = std::iter::once(lower).chain(inits).map(|&v| self.value(v)).collect();
        let pairs: Vec<(String, String)> = before.iter().cloned().zip(starts).collect();
        let mut types = vec![ty.clone()];
        types.extend(self.all_types(inits));
        let joined = types.iter().map(|t| t.to_string()).collect::<Vec<_>>().join(", ");
        let head = self.while_head(&results, &pairs, &joined, &types);
        self.line(level, &head);
        let predicate = predicate::of_loop(counter, cond).text();
        let go = format!("%{}", self.fresh(""));
        let upper = self.value(*upper);
        self.line(level + 1, &format!("{go} = arith.cmpi {predicate}, {}, {upper} : {ty}", before[0]));
        self.line(level + 1, &format!("scf.condition({go}) {} : {joined}", before.join(", ")));
        self.line(level, "} do {");
        let list: Vec<String> =
            arguments.iter().map(|&v| format!("{}: {}", self.define(v), self.func.ty(v))).collect();
        self.line(level, &format!("^bb0({}):", list.join(", ")));
        let block = self.func.entry(region).map(|b| self.func.block(b));
        let ops = block.map_or(&[][..], |b| &b.ops[..]);
        let Some((&end, ops)) = ops.split_last() else {
            return self.line(level, "}");
        };
        for &op in ops {
            self.operation(op, level + 1, &BTreeMap::new());
        }
        let unsigned = counter.is_unsigned();
        let (mnemonic, may_wrap) = match counter.step_op {
            StepOp::Add => ("addi", true),
            StepOp::Sub => ("subi", true),
            StepOp::Mul => ("muli", true),
            StepOp::Shl => ("shli", true),
            StepOp::Div => (if unsigned { "divui" } else { "divsi" }, false),
            StepOp::Shr => (if unsigned { "shrui" } else { "shrsi" }, false),
        };
        // Unsigned loops were raised where their range shows that nothing wraps.
        let flags = if may_wrap && !unsigned { " overflow<nsw>" } else { "" };
        let induction = arguments.first().map_or(String::new(), |&v| self.value(v));
        let next = format!("%{}", self.fresh(""));
        let step = self.value(*step);
        self.line(level + 1, &format!("{next} = arith.{mnemonic} {induction}, {step}{flags} : {ty}"));
        let mut yields = vec![next];
        yields.extend(self.func.op(end).operands.iter().map(|&v| self.value(v)));
        self.line(level + 1, &format!("scf.yield {} : {joined}", yields.join(", ")));
        self.line(level, &format!("}}{}", hints::text(" attributes ", &op.hints)));
    }
}
