//! Operands, results and terminators of each kind of operation.

use super::Verifier;
use crate::codes;
use crate::edit::constant_int;
use crate::ir::{Kind, MemrefLayout, MemrefType, OpId, RegionId, ValueId, ValueType};
use loom_base::truncate;
use loom_dfg::Type;

const INDEX: ValueType = ValueType::Scalar(Type::Index);
const I1: ValueType = ValueType::Scalar(Type::I1);

fn list(types: &[ValueType]) -> String {
    format!("({})", types.iter().map(|t| t.to_string()).collect::<Vec<_>>().join(", "))
}

/// The operation's name as text has it.
fn title(kind: &Kind) -> String {
    let name = match kind {
        Kind::Scalar(op) => op.kind().mnemonic(),
        Kind::Constant(_) => "arith.constant",
        Kind::Poison => "ub.poison",
        Kind::If => "scf.if",
        Kind::For { .. } => "scf.for",
        Kind::While => "scf.while",
        Kind::IndexSwitch { .. } => "scf.index_switch",
        Kind::Yield => "scf.yield",
        Kind::Condition => "scf.condition",
        Kind::Load => "memref.load",
        Kind::Store => "memref.store",
        Kind::Alloc { on_stack: false } => "memref.alloc",
        Kind::Alloc { on_stack: true } => "memref.alloca",
        Kind::Dealloc => "memref.dealloc",
        Kind::Cast => "memref.cast",
        Kind::Subview { .. } => "memref.subview",
        Kind::ReinterpretCast { .. } => "memref.reinterpret_cast",
        Kind::CollapseShape { .. } => "memref.collapse_shape",
        Kind::ExpandShape { .. } => "memref.expand_shape",
        Kind::Dim => "memref.dim",
        Kind::GetGlobal(_) => "memref.get_global",
        Kind::Call(_) => "func.call",
        Kind::Return => "func.return",
        Kind::Br => "cf.br",
        Kind::CondBr => "cf.cond_br",
        Kind::Switch { .. } => "cf.switch",
        Kind::Assert(_) => "cf.assert",
        Kind::Fence => "loom.fence",
    };
    format!("`{name}`")
}

impl Verifier<'_> {
    fn types(&self, values: &[ValueId]) -> Vec<ValueType> {
        values.iter().map(|&v| self.func.ty(v).clone()).collect()
    }

    /// Reports when the types differ.
    fn same(&mut self, id: OpId, what: &str, found: &[ValueType], wanted: &[ValueType]) -> bool {
        if found == wanted {
            return true;
        }
        let (code, help) = match found.len() == wanted.len() {
            true => (codes::TYPE_MISMATCH, "use values of these types"),
            false => (codes::ARITY, "give as many as are needed"),
        };
        let name = title(&self.func.op(id).kind);
        let message = format!("{what} of {name} are {}, needed are {}", list(found), list(wanted));
        self.fail(id, code, message, help);
        false
    }

    fn operands_are(&mut self, id: OpId, wanted: &[ValueType]) -> bool {
        let found = self.types(&self.func.op(id).operands);
        self.same(id, "the operands", &found, wanted)
    }

    fn results_are(&mut self, id: OpId, wanted: &[ValueType]) -> bool {
        let found = self.types(&self.func.op(id).results);
        self.same(id, "the results", &found, wanted)
    }

    fn memref(&mut self, id: OpId, at: usize) -> Option<MemrefType> {
        let found = self.func.op(id).operands.get(at).and_then(|&v| self.func.ty(v).memref()).cloned();
        if found.is_none() {
            let message = format!("operand {at} of {} is no memref", title(&self.func.op(id).kind));
            self.fail(id, codes::TYPE_MISMATCH, message, "give it a memref");
        }
        found
    }

    fn result_memref(&mut self, id: OpId) -> Option<MemrefType> {
        let found = match &self.func.op(id).results[..] {
            [one] => self.func.ty(*one).memref().cloned(),
            _ => None,
        };
        if found.is_none() {
            let message = format!("{} gives one memref", title(&self.func.op(id).kind));
            self.fail(id, codes::TYPE_MISMATCH, message, "give it one result, a memref");
        }
        found
    }

    /// Everything of an operation but what is inside of its regions.
    pub(super) fn operation(&mut self, id: OpId) {
        let func = self.func;
        let op = func.op(id);
        let regions = match &op.kind {
            Kind::If | Kind::While => 2,
            Kind::For { .. } => 1,
            Kind::IndexSwitch { cases } => cases.len() + 1,
            _ => 0,
        };
        if op.regions.len() != regions {
            let message =
                format!("{} with {} regions, {regions} are needed", title(&op.kind), op.regions.len());
            return self.fail(id, codes::STRUCTURE, message, "give it as many regions as it has ways");
        }
        let jumps = match &op.kind {
            Kind::Br => 1,
            Kind::CondBr => 2,
            Kind::Switch { cases } => cases.len() + 1,
            _ => 0,
        };
        if op.successors.len() != jumps {
            let message =
                format!("{} with {} blocks, {jumps} are needed", title(&op.kind), op.successors.len());
            return self.fail(id, codes::ARITY, message, "give it one block for each way");
        }
        match &op.kind {
            Kind::Scalar(scalar) => self.scalar(id, scalar.kind()),
            Kind::Constant(bits) => {
                self.operands_are(id, &[]);
                if let Some(ty) = self.one_scalar(id) {
                    if truncate(*bits, ty.width(64)) != *bits {
                        let message = format!("the bits {bits:#x} are too many for `{ty}`");
                        self.fail(id, codes::LITERAL, message, "keep only the low bits");
                    }
                }
            }
            Kind::Poison => {
                self.operands_are(id, &[]);
                self.one_scalar(id);
            }
            Kind::If => {
                self.operands_are(id, &[I1]);
                for &region in &op.regions {
                    self.entry_arguments(id, region, &[]);
                }
            }
            Kind::For { .. } => self.counted(id),
            Kind::While => {
                let (inits, results) = (self.types(&op.operands), self.types(&op.results));
                self.entry_arguments(id, op.regions[0], &inits);
                self.entry_arguments(id, op.regions[1], &results);
            }
            Kind::IndexSwitch { cases } => {
                self.operands_are(id, &[INDEX]);
                for &region in &op.regions {
                    self.entry_arguments(id, region, &[]);
                }
                self.distinct(id, cases);
            }
            Kind::Yield | Kind::Condition | Kind::Return | Kind::Br => {}
            Kind::CondBr => drop(self.operands_are(id, &[I1])),
            Kind::Switch { cases } => {
                let ty = match &op.operands[..] {
                    [flag] => func.ty(*flag).scalar().filter(|t| matches!(t, Type::Int(_))),
                    _ => None,
                };
                self.distinct(id, cases);
                let Some(ty) = ty else {
                    let message = "`cf.switch` takes one integer";
                    return self.fail(id, codes::TYPE_MISMATCH, message, "cast it, for instance to `i32`");
                };
                let width = ty.width(64);
                let fits = |c: i64| {
                    let c = i128::from(c);
                    c >= -(1i128 << (width - 1)) && c < 1i128 << width
                };
                if let Some(case) = cases.iter().find(|&&c| !fits(c)) {
                    let message = format!("the case {case} does not fit `{ty}`");
                    self.fail(id, codes::LITERAL, message, "remove the case");
                }
            }
            Kind::Assert(_) => {
                self.operands_are(id, &[I1]);
                self.results_are(id, &[]);
            }
            Kind::Fence => {
                self.operands_are(id, &[]);
                self.results_are(id, &[]);
            }
            Kind::Call(name) => self.call(id, name),
            _ => self.memory(id),
        }
        if op.kind.is_terminator() {
            self.results_are(id, &[]);
        }
    }

    fn one_scalar(&mut self, id: OpId) -> Option<Type> {
        let op = self.func.op(id);
        let found = match &op.results[..] {
            [one] => self.func.ty(*one).scalar(),
            _ => None,
        };
        if found.is_none() {
            let message = format!("{} gives one number", title(&op.kind));
            self.fail(id, codes::TYPE_MISMATCH, message, "give it one result, a scalar");
        }
        found
    }

    fn scalar(&mut self, id: OpId, kind: loom_dfg::OpKind) {
        let op = self.func.op(id);
        let all =
            |values: &[ValueId]| values.iter().map(|&v| self.func.ty(v).scalar()).collect::<Option<Vec<_>>>();
        let (Some(operands), Some(results)) = (all(&op.operands), all(&op.results)) else {
            let message = format!("{} on a memref", title(&op.kind));
            return self.fail(
                id,
                codes::TYPE_MISMATCH,
                message,
                "choose with `scf.if` what to load or store",
            );
        };
        if kind.class() != loom_dfg::op::Class::Arith {
            let message = format!("{} is an op of a dataflow graph", title(&op.kind));
            return self.fail(id, codes::NOT_SUPPORTED, message, "use arithmetic only");
        }
        if let Err(allowed) = kind.check_types(&operands, &results) {
            let code = match (operands.len(), results.len()) == (kind.operand_count(), kind.result_count()) {
                true => codes::TYPE_MISMATCH,
                false => codes::ARITY,
            };
            let (from, to) = (list(&self.types(&op.operands)), list(&self.types(&op.results)));
            self.fail(id, code, format!("{} from {from} to {to}", title(&op.kind)), &allowed);
        }
    }

    fn entry_arguments(&mut self, id: OpId, region: RegionId, wanted: &[ValueType]) {
        if let Some(entry) = self.func.entry(region) {
            let found = self.types(&self.func.block(entry).arguments);
            self.same(id, "the arguments of a region", &found, wanted);
        }
    }

    fn counted(&mut self, id: OpId) {
        let func = self.func;
        let op = func.op(id);
        let types = self.types(&op.operands);
        let [lower, upper, step, inits @ ..] = &types[..] else {
            let message = format!("`scf.for` with {} operands", types.len());
            return self.fail(id, codes::ARITY, message, "give it a lower bound, an upper bound and a step");
        };
        let integral = lower.scalar().is_some_and(Type::is_integral);
        if !integral || upper != lower || step != lower {
            let message = format!("bounds and step are {}", list(&types[..3]));
            return self.fail(id, codes::TYPE_MISMATCH, message, "all three have one integer or index type");
        }
        self.results_are(id, inits);
        let mut arguments = vec![lower.clone()];
        arguments.extend_from_slice(inits);
        self.entry_arguments(id, op.regions[0], &arguments);
        let plain = op.kind == Kind::COUNT_UP;
        match constant_int(func, op.operands[2]) {
            Some(n) if n == 0 || (plain && n < 0) => {
                let message = format!("the step of the loop is {n}");
                let help = "a step is at least 1; count down with `scf.while`";
                self.fail(id, codes::STEP, message, help);
            }
            _ => {}
        }
    }

    fn distinct(&mut self, id: OpId, cases: &[i64]) {
        let mut sorted = cases.to_vec();
        sorted.sort_unstable();
        if let Some(w) = sorted.windows(2).find(|w| w[0] == w[1]) {
            self.fail(id, codes::CASES, format!("the case {} stands twice", w[0]), "remove one");
        }
    }

    fn call(&mut self, id: OpId, name: &str) {
        let Some(&callee) = self.callees.get(name) else {
            if self.complete {
                let message = format!("there is no function `@{name}`");
                self.fail(
                    id,
                    codes::UNKNOWN_SYMBOL,
                    message,
                    "define it, or declare it with `func.func private`",
                );
            }
            return;
        };
        if self.operands_are(id, &callee.argument_types) {
            self.results_are(id, &callee.result_types);
        }
    }

    fn memory(&mut self, id: OpId) {
        let func = self.func;
        let op = func.op(id);
        match &op.kind {
            Kind::Load | Kind::Store => {
                let stored = usize::from(op.kind == Kind::Store);
                let Some(ty) = self.memref(id, stored) else {
                    return;
                };
                let element = ValueType::Scalar(ty.element);
                let subscripts = op.operands.len() - stored - 1;
                if subscripts != ty.shape.len() {
                    let message = format!("{subscripts} subscripts for `{ty}`");
                    let help = "give one subscript for each dimension";
                    return self.fail(id, codes::SHAPE, message, help);
                }
                let rank = ty.shape.len();
                let mut wanted = vec![element.clone(); stored];
                wanted.push(ValueType::Memref(ty));
                wanted.extend(vec![INDEX; rank]);
                self.operands_are(id, &wanted);
                self.results_are(id, if stored == 1 { &[] } else { std::slice::from_ref(&element) });
            }
            Kind::Alloc { .. } => {
                let Some(ty) = self.result_memref(id) else {
                    return;
                };
                let open = ty.shape.iter().filter(|d| d.is_none()).count();
                self.operands_are(id, &vec![INDEX; open]);
                if ty.layout != MemrefLayout::Identity {
                    let message = format!("an allocation of `{ty}`");
                    self.fail(id, codes::SHAPE, message, "allocate without layout, then take a view");
                }
            }
            Kind::Dealloc => {
                if self.memref(id, 0).is_some() && op.operands.len() != 1 {
                    self.fail(id, codes::ARITY, "`memref.dealloc` takes one memref", "remove the others");
                }
                self.results_are(id, &[]);
            }
            Kind::Dim => {
                if let Some(ty) = self.memref(id, 0) {
                    self.operands_are(id, &[ValueType::Memref(ty.clone()), INDEX]);
                    self.results_are(id, &[INDEX]);
                    self.dim(id, &ty);
                }
            }
            Kind::GetGlobal(name) => {
                self.operands_are(id, &[]);
                let program = self.program;
                match program.global(name) {
                    Some(global) => drop(self.results_are(id, &[ValueType::Memref(global.ty.clone())])),
                    None if self.complete => {
                        let message = format!("there is no global `@{name}`");
                        self.fail(id, codes::UNKNOWN_SYMBOL, message, "define it with `memref.global`");
                    }
                    None => {}
                }
            }
            _ => {
                let (Some(source), Some(result)) = (self.memref(id, 0), self.result_memref(id)) else {
                    return;
                };
                let mut wanted = vec![INDEX; op.operands.len()];
                wanted[0] = ValueType::Memref(source.clone());
                if matches!(op.kind, Kind::Cast | Kind::CollapseShape { .. }) {
                    wanted.truncate(1);
                }
                if self.operands_are(id, &wanted) {
                    self.view(id, &source, &result);
                }
            }
        }
    }

    /// The last operation of a block of `region`, which belongs to `parent`.
    pub(super) fn terminator(&mut self, id: OpId, region: RegionId, parent: Option<OpId>) {
        let func = self.func;
        let op = func.op(id);
        let found = self.types(&op.operands);
        let allowed = match parent.map(|p| func.op(p)) {
            None => match op.kind {
                Kind::Return => {
                    self.same(id, "the values", &found, &func.result_types);
                    true
                }
                Kind::Br | Kind::CondBr | Kind::Switch { .. } => {
                    self.jumps(id, region);
                    true
                }
                _ => false,
            },
            Some(parent) if parent.kind == Kind::While && parent.regions.first() == Some(&region) => {
                let mut wanted = vec![I1];
                wanted.extend(self.types(&parent.results));
                if op.kind == Kind::Condition {
                    self.same(id, "the values", &found, &wanted);
                }
                op.kind == Kind::Condition
            }
            Some(parent) => {
                let wanted = match parent.kind {
                    Kind::While => self.types(&parent.operands),
                    _ => self.types(&parent.results),
                };
                if op.kind == Kind::Yield {
                    self.same(id, "the values", &found, &wanted);
                }
                op.kind == Kind::Yield
            }
        };
        if !allowed {
            let message = format!("a block ends with {} here", title(&op.kind));
            self.fail(id, codes::TERMINATOR, message, super::ends(func, parent));
        }
    }

    fn jumps(&mut self, id: OpId, region: RegionId) {
        let func = self.func;
        let op = func.op(id);
        if op.kind == Kind::Br && !op.operands.is_empty() {
            self.fail(id, codes::ARITY, "`cf.br` has operands of its own", "give them to the block");
        }
        for to in &op.successors {
            let blocks = &func.region(region).blocks;
            match blocks.iter().position(|&b| b == to.block) {
                None => {
                    self.fail(id, codes::STRUCTURE, "a jump out of its region", "jump inside of the function")
                }
                Some(0) => {
                    let help = "put a block that jumps to a copy of it in front";
                    self.fail(id, codes::STRUCTURE, "a jump to the entry block", help);
                }
                Some(_) => {
                    let found = self.types(&to.arguments);
                    let wanted = self.types(&func.block(to.block).arguments);
                    self.same(id, "the block arguments", &found, &wanted);
                }
            }
        }
    }
}
