//! Mutant schemata: one copy of a source file that holds all its mutants, each behind a number.
//!
//! A site `a < b` becomes `(if active(7) { a <= b } else { a < b })`, where `active` is a function of the copy that
//! compares with `LOOM_MUTANT`. So everything is built once. A mutated branch holds no other mutants: only one is
//! active at a time. What a mutation would not compile to is decided by the compiler, not here; the caller names such sites in
//! `left_out`.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use std::collections::{BTreeMap, BTreeSet};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{
    parse_quote, BinOp, Block, Expr, ImplItemFn, Item, ItemFn, ItemMod, Lit, LitInt, Macro, RangeLimits,
    ReturnType, Signature, Stmt, Token, Type, UnOp,
};

/// One mutant.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// What `LOOM_MUTANT` is set to.
    pub id: u32,
    /// Source file, relative to the workspace.
    pub file: String,
    /// The function it is in.
    pub function: String,
    /// Line and column of the site.
    pub at: (usize, usize),
    /// What is changed, in words or as `old` -> `new`. With file and function it names the mutant.
    pub change: String,
}

/// Calls that give nothing, by name, where no semicolon tells it.
const UNIT_CALLS: &[&str] = &["bad", "error", "extend", "push", "push_str", "set"];
/// Macros whose arguments are expressions.
const EXPRESSION_MACROS: &[&str] = &["format", "vec", "write", "writeln"];

/// Characters of source text in a mutant's words.
const LONGEST: usize = 100;

/// Adds the mutants of a file to `mutants` (their numbers continue there) and gives the instrumented text.
pub fn instrument(
    file: &str,
    source: &str,
    left_out: &BTreeSet<u32>,
    mutants: &mut Vec<Mutant>,
) -> Result<String, syn::Error> {
    let mut tree = syn::parse_file(source)?;
    let first = mutants.len();
    let mut pass = Pass { file, left_out, mutants, functions: Vec::new(), around: Vec::new() };
    pass.visit_file_mut(&mut tree);
    number_repeated(&mut mutants[first..]);
    // What mutants are warned about is the point of them.
    tree.attrs.push(parse_quote!(#![allow(warnings, unconditional_panic, arithmetic_overflow)]));
    Ok(prettyplease::unparse(&tree))
}

/// Mutants of one function with the same words get numbers, in order of position.
fn number_repeated(mutants: &mut [Mutant]) {
    let mut order: Vec<usize> = (0..mutants.len()).collect();
    order.sort_by_key(|&m| (mutants[m].at, m));
    let mut seen: BTreeMap<(String, String), usize> = BTreeMap::new();
    for m in order {
        let count = seen.entry((mutants[m].function.clone(), mutants[m].change.clone())).or_default();
        *count += 1;
        if *count > 1 {
            mutants[m].change += &format!(" #{count}");
        }
    }
}

struct Pass<'a> {
    file: &'a str,
    left_out: &'a BTreeSet<u32>,
    mutants: &'a mut Vec<Mutant>,
    functions: Vec<String>,
    /// Source text of the expressions around the present one.
    around: Vec<String>,
}

impl Pass<'_> {
    /// A new mutant's number; nothing where it does not compile.
    fn site(&mut self, span: Span, change: String) -> Option<u32> {
        let id = self.mutants.len() as u32;
        let at = (span.start().line, span.start().column + 1);
        let function = self.functions.join("::");
        self.mutants.push(Mutant { id, file: self.file.into(), function, at, change });
        (!self.left_out.contains(&id)).then_some(id)
    }

    /// `e` with the mutants of one site around it.
    fn choose(&mut self, e: &mut Expr, span: Span, mutations: Vec<(String, Expr)>) {
        for (change, mutated) in mutations {
            if let Some(id) = self.site(span, change) {
                let block = |e: Expr| syn::ExprBlock {
                    attrs: Vec::new(),
                    label: None,
                    block: Block { brace_token: Default::default(), stmts: vec![Stmt::Expr(e, None)] },
                };
                let original = std::mem::replace(e, Expr::PLACEHOLDER);
                let choice = syn::ExprIf {
                    attrs: Vec::new(),
                    if_token: Default::default(),
                    cond: Box::new(parse_quote!(::loom_base::mutant::active(#id))),
                    then_branch: block(mutated).block,
                    else_branch: Some((Default::default(), Box::new(Expr::Block(block(original))))),
                };
                let expr = Box::new(Expr::If(choice));
                *e = Expr::Paren(syn::ExprParen { attrs: Vec::new(), paren_token: Default::default(), expr });
            }
        }
    }

    fn condition(&mut self, cond: &mut Expr) {
        let exchanged = matches!(cond, Expr::Binary(b) if matches!(b.op, BinOp::Eq(_) | BinOp::Ne(_)));
        let dropped = matches!(cond, Expr::Unary(u) if matches!(u.op, UnOp::Not(_)));
        let original = cond.clone();
        self.visit_expr_mut(cond);
        // Those are mutants already.
        if exchanged || dropped || has_let(&original) {
            return;
        }
        let change = format!("negate `{}`", text(&original));
        self.choose(cond, original.span(), vec![(change, parse_quote!(!(#original)))]);
    }

    fn body(&mut self, attrs: &[syn::Attribute], signature: &Signature, block: &mut Block) {
        if signature.constness.is_some() || is_test(attrs) {
            return;
        }
        self.functions.push(signature.ident.to_string());
        let around = std::mem::take(&mut self.around);
        let start = block.span();
        let mut first: Vec<Stmt> = Vec::new();
        for value in defaults(&signature.output) {
            let change = match *value {
                "" => "return at once".to_string(),
                value => format!("return `{value}` at once"),
            };
            if let Some(id) = self.site(start, change) {
                let value: TokenStream = value.parse().expect("an expression");
                first.push(parse_quote!(if ::loom_base::mutant::active(#id) { return #value; }));
            }
        }
        self.visit_block_mut(block);
        block.stmts.splice(0..0, first);
        self.around = around;
        self.functions.pop();
    }

    /// Leaves out a statement.
    fn drop(&mut self, stmt: &mut Stmt, original: &Stmt) {
        let change = format!("drop `{}`", text(original));
        if let Some(id) = self.site(original.span(), change) {
            *stmt = parse_quote!(if !::loom_base::mutant::active(#id) { #stmt });
        }
    }
}

impl VisitMut for Pass<'_> {
    fn visit_item_mut(&mut self, item: &mut Item) {
        // Constants are evaluated before the program runs.
        if !matches!(item, Item::Const(_) | Item::Static(_) | Item::Enum(_)) {
            visit_mut::visit_item_mut(self, item);
        }
    }

    fn visit_item_mod_mut(&mut self, module: &mut ItemMod) {
        if !is_test(&module.attrs) {
            visit_mut::visit_item_mod_mut(self, module);
        }
    }

    fn visit_item_fn_mut(&mut self, f: &mut ItemFn) {
        self.body(&f.attrs, &f.sig, &mut f.block);
    }

    fn visit_impl_item_fn_mut(&mut self, f: &mut ImplItemFn) {
        self.body(&f.attrs, &f.sig, &mut f.block);
    }

    fn visit_impl_item_const_mut(&mut self, _: &mut syn::ImplItemConst) {}

    fn visit_type_mut(&mut self, _: &mut Type) {}

    fn visit_pat_mut(&mut self, _: &mut syn::Pat) {}

    fn visit_attribute_mut(&mut self, _: &mut syn::Attribute) {}

    fn visit_macro_mut(&mut self, mac: &mut Macro) {
        let known = mac.path.get_ident().is_some_and(|name| EXPRESSION_MACROS.iter().any(|m| name == m));
        let parsed = mac.parse_body_with(Punctuated::<Expr, Token![,]>::parse_terminated);
        if let (true, Ok(mut list)) = (known, parsed) {
            for e in &mut list {
                match e {
                    Expr::Assign(named) => self.visit_expr_mut(&mut named.right),
                    e => self.visit_expr_mut(e),
                }
            }
            mac.tokens = list.to_token_stream();
        }
    }

    fn visit_stmt_mut(&mut self, stmt: &mut Stmt) {
        let original = stmt.clone();
        visit_mut::visit_stmt_mut(self, stmt);
        let is_dropped = match &original {
            Stmt::Expr(Expr::Call(_) | Expr::MethodCall(_) | Expr::Assign(_), Some(_)) => true,
            Stmt::Expr(Expr::Binary(b), Some(_)) => exchanged(&b.op).is_some(),
            Stmt::Macro(m) => m.mac.path.is_ident("write") || m.mac.path.is_ident("writeln"),
            Stmt::Local(local) => {
                let to_macro = local.init.as_ref().is_some_and(|i| matches!(*i.expr, Expr::Macro(_)));
                matches!(local.pat, syn::Pat::Wild(_)) && to_macro
            }
            _ => false,
        };
        if is_dropped {
            self.drop(stmt, &original);
        }
    }

    fn visit_expr_if_mut(&mut self, e: &mut syn::ExprIf) {
        self.condition(&mut e.cond);
        let last = e.then_branch.stmts.last().cloned();
        self.visit_block_mut(&mut e.then_branch);
        match &mut e.else_branch {
            Some((_, otherwise)) => self.visit_expr_mut(otherwise),
            // Without an else the block gives nothing, whether it is left early or not.
            None => {
                let leaves = |s: &Stmt| {
                    matches!(s, Stmt::Expr(Expr::Return(_) | Expr::Continue(_) | Expr::Break(_), _))
                };
                if let (Some(stmt), Some(last)) = (e.then_branch.stmts.last_mut(), last.filter(leaves)) {
                    self.drop(stmt, &last);
                }
            }
        }
    }

    fn visit_expr_while_mut(&mut self, e: &mut syn::ExprWhile) {
        self.condition(&mut e.cond);
        self.visit_block_mut(&mut e.body);
    }

    fn visit_arm_mut(&mut self, arm: &mut syn::Arm) {
        if let Some((_, guard)) = &mut arm.guard {
            let original = guard.clone();
            self.visit_expr_mut(guard);
            if !has_let(&original) {
                let change = |to: &str| format!("`if {}` -> `if {to}`", text(&original));
                let mutations =
                    vec![(change("true"), parse_quote!(true)), (change("false"), parse_quote!(false))];
                self.choose(guard, original.span(), mutations);
            }
        }
        let original = arm.body.clone();
        self.visit_expr_mut(&mut arm.body);
        let name = match &*original {
            Expr::MethodCall(call) => call.method.to_string(),
            Expr::Call(call) => text(&call.func),
            _ => return,
        };
        if UNIT_CALLS.contains(&name.as_str()) {
            if let Some(id) = self.site(original.span(), format!("drop `{}`", text(&original))) {
                let body = &arm.body;
                *arm.body = parse_quote!(if !::loom_base::mutant::active(#id) { #body });
            }
        }
    }

    fn visit_expr_repeat_mut(&mut self, e: &mut syn::ExprRepeat) {
        // The length of an array is a constant.
        self.visit_expr_mut(&mut e.expr);
    }

    fn visit_expr_mut(&mut self, e: &mut Expr) {
        let original = e.clone();
        let here = text(&original);
        let mut mutations: Vec<(String, Expr)> = Vec::new();
        let span = match &original {
            Expr::Binary(b) => b.op.span(),
            _ => original.span(),
        };
        match &original {
            Expr::Binary(b) => {
                if let Some(op) = exchanged(&b.op) {
                    let mut other = b.clone();
                    other.op = op;
                    other.left = Box::new(parenthesized(&b.left));
                    other.right = Box::new(parenthesized(&b.right));
                    let was = text(&b.op);
                    mutations
                        .push((format!("`{was}` -> `{}` in `{here}`", text(&other.op)), Expr::Binary(other)));
                }
            }
            Expr::Unary(u) if matches!(u.op, UnOp::Not(_) | UnOp::Neg(_)) => {
                mutations.push((format!("`{here}` -> `{}`", text(&u.expr)), (*u.expr).clone()));
            }
            Expr::Lit(lit) => {
                if let Lit::Int(int) = &lit.lit {
                    if let Some(other) = one_off(int) {
                        let around = self.around.last().cloned().unwrap_or_default();
                        mutations
                            .push((format!("`{here}` -> `{other}` in `{around}`"), parse_quote!(#other)));
                    }
                }
            }
            _ => {}
        }
        let is_block = matches!(original, Expr::Block(_) | Expr::If(_) | Expr::Match(_) | Expr::Closure(_));
        if !is_block {
            self.around.push(here);
        }
        visit_mut::visit_expr_mut(self, e);
        if let Expr::Range(range) = e {
            self.bound(range, &original);
        }
        if !is_block {
            self.around.pop();
        }
        self.choose(e, span, mutations);
    }
}

impl Pass<'_> {
    /// `a..b` ends one later, `a..=b` one earlier.
    fn bound(&mut self, range: &mut syn::ExprRange, original: &Expr) {
        let Expr::Range(before) = original else { return };
        let (Some(end), Some(bare)) = (&mut range.end, &before.end) else { return };
        let (other, words): (Expr, _) = match range.limits {
            RangeLimits::HalfOpen(_) => (parse_quote!((#bare) + 1), "includes its end"),
            RangeLimits::Closed(_) => (parse_quote!((#bare) - 1), "excludes its end"),
        };
        self.choose(end, before.limits.span(), vec![(format!("`{}` {words}", text(before)), other)]);
    }
}

/// The values a function of this type can return at once; the empty one stands for no value.
fn defaults(output: &ReturnType) -> &'static [&'static str] {
    let ReturnType::Type(_, ty) = output else { return &[""] };
    let Type::Path(path) = &**ty else { return &[] };
    let Some(last) = path.path.segments.last() else { return &[] };
    match last.ident.to_string().as_str() {
        "bool" => &["true", "false"],
        "u8" | "u16" | "u32" | "u64" | "usize" | "i32" | "i64" => &["0", "1"],
        "String" => &["String::new()"],
        "Vec" | "Diagnostics" => &["Vec::new()"],
        "Option" => &["None"],
        "BTreeMap" | "BTreeSet" => &["Default::default()"],
        "Result" if last.arguments.to_token_stream().to_string().starts_with("< ()") => &["Ok(())"],
        _ => &[],
    }
}

fn exchanged(op: &BinOp) -> Option<BinOp> {
    Some(match op {
        BinOp::Add(_) => BinOp::Sub(Default::default()),
        BinOp::Sub(_) => BinOp::Add(Default::default()),
        BinOp::Mul(_) => BinOp::Div(Default::default()),
        BinOp::Div(_) => BinOp::Mul(Default::default()),
        BinOp::Rem(_) => BinOp::Mul(Default::default()),
        BinOp::And(_) => BinOp::Or(Default::default()),
        BinOp::Or(_) => BinOp::And(Default::default()),
        BinOp::BitXor(_) => BinOp::BitAnd(Default::default()),
        BinOp::BitAnd(_) => BinOp::BitOr(Default::default()),
        BinOp::BitOr(_) => BinOp::BitAnd(Default::default()),
        BinOp::Shl(_) => BinOp::Shr(Default::default()),
        BinOp::Shr(_) => BinOp::Shl(Default::default()),
        BinOp::Eq(_) => BinOp::Ne(Default::default()),
        BinOp::Ne(_) => BinOp::Eq(Default::default()),
        BinOp::Lt(_) => BinOp::Le(Default::default()),
        BinOp::Le(_) => BinOp::Lt(Default::default()),
        BinOp::Gt(_) => BinOp::Ge(Default::default()),
        BinOp::Ge(_) => BinOp::Gt(Default::default()),
        BinOp::AddAssign(_) => BinOp::SubAssign(Default::default()),
        BinOp::SubAssign(_) => BinOp::AddAssign(Default::default()),
        BinOp::MulAssign(_) => BinOp::DivAssign(Default::default()),
        BinOp::DivAssign(_) => BinOp::MulAssign(Default::default()),
        BinOp::BitAndAssign(_) => BinOp::BitOrAssign(Default::default()),
        BinOp::BitOrAssign(_) => BinOp::BitAndAssign(Default::default()),
        BinOp::ShlAssign(_) => BinOp::ShrAssign(Default::default()),
        BinOp::ShrAssign(_) => BinOp::ShlAssign(Default::default()),
        _ => return None,
    })
}

/// One less, or 1 for 0.
fn one_off(int: &LitInt) -> Option<LitInt> {
    let value: u128 = int.base10_parse().ok()?;
    let other = value.checked_sub(1).unwrap_or(1);
    Some(LitInt::new(&format!("{other}{}", int.suffix()), int.span()))
}

fn parenthesized(e: &Expr) -> Expr {
    match e {
        Expr::Path(_) | Expr::Lit(_) | Expr::Paren(_) => e.clone(),
        _ => parse_quote!((#e)),
    }
}

/// Whether a condition binds names.
fn has_let(e: &Expr) -> bool {
    match e {
        Expr::Let(_) => true,
        Expr::Binary(b) => has_let(&b.left) || has_let(&b.right),
        _ => false,
    }
}

fn is_test(attrs: &[syn::Attribute]) -> bool {
    attrs.iter().any(|a| {
        a.path().is_ident("test")
            || a.path().is_ident("cfg") && a.to_token_stream().to_string().contains("test")
    })
}

/// Source text on one line.
fn text(node: &impl ToTokens) -> String {
    let tokens = node.to_token_stream();
    let span = tokens.clone().into_iter().map(|t| t.span()).reduce(|a, b| a.join(b).unwrap_or(a));
    let source = span.and_then(|s| s.source_text()).unwrap_or_else(|| tokens.to_string());
    let line = source.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}...", &line[..at]),
        None => line,
    }
}

/// The site whose code the lines of an instrumented text stand in: the innermost one.
pub fn site_at(instrumented: &str, line: usize) -> Option<u32> {
    struct Find {
        line: usize,
        found: Option<u32>,
    }
    impl<'ast> syn::visit::Visit<'ast> for Find {
        fn visit_expr_if(&mut self, e: &'ast syn::ExprIf) {
            let span = e.span();
            if (span.start().line..=span.end().line).contains(&self.line) {
                // Later ones are further in.
                self.found = number(&e.cond).or(self.found);
            }
            syn::visit::visit_expr_if(self, e);
        }
    }
    fn number(cond: &Expr) -> Option<u32> {
        match cond {
            Expr::Unary(not) => number(&not.expr),
            Expr::Call(call) if text(&call.func).ends_with("mutant::active") => match call.args.first() {
                Some(Expr::Lit(syn::ExprLit { lit: Lit::Int(id), .. })) => id.base10_parse().ok(),
                _ => None,
            },
            _ => None,
        }
    }
    let mut find = Find { line, found: None };
    syn::visit::Visit::visit_file(&mut find, &syn::parse_file(instrumented).ok()?);
    find.found
}

/// The instrumenter on a text with one site of each kind.
pub fn check() {
    let source = include_str!("sample.txt");
    let mut mutants = Vec::new();
    instrument("sample", source, &BTreeSet::new(), &mut mutants).expect("the sample parses");
    mutants.sort_by_key(|m| (m.at, m.id));
    let found: String =
        mutants.iter().map(|m| format!("{} {}: {}\n", m.at.0, m.function, m.change)).collect();
    let expected = include_str!("sample.expected.txt");
    assert_eq!(found, expected, "the mutants of sample.txt are those of sample.expected.txt");
}
