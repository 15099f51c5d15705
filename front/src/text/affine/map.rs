//! Affine maps and sets, and the expressions in them, as text has them.

use crate::codes;
use crate::ir::ValueId;
use crate::text::parser::{Operand, Parsed, Parser};
use crate::text::terms::Attr;
use loom_base::Diagnostic;
use loom_dfg::Type;
use loom_mlir::Tok;
use std::ops::Range;

/// `d0 * 4 + s0`.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::text) enum Expr {
    Number(i64),
    /// Of the operands, dimensions first.
    Operand(usize),
    Both(Arith, Box<Expr>, Box<Expr>),
}

/// Subtraction is the addition of a multiple.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::text) enum Arith {
    Add,
    Mul,
    Mod,
    FloorDiv,
    CeilDiv,
}

/// `(d0, d1)[s0] -> (...)`, or what a set asks of its operands.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::text) struct Map {
    pub dimensions: usize,
    pub operands: usize,
    pub results: Vec<Expr>,
    /// Of a set: which results must be 0; the others must not be negative.
    pub equal: Vec<bool>,
}

impl Map {
    /// Whether it gives its dimensions as they are.
    pub fn is_identity(&self) -> bool {
        let same = self.results.iter().enumerate().all(|(i, e)| *e == Expr::Operand(i));
        same && self.operands == self.dimensions && self.results.len() == self.dimensions
    }
}

/// What names stand for in an expression.
pub(super) enum Names {
    /// Those of a map.
    Listed(Vec<String>),
    /// Values, which become operands as they are met.
    Values(Vec<Operand>),
}

/// A map with what it is applied to.
pub(super) struct Applied {
    pub map: Map,
    pub operands: Vec<ValueId>,
}

fn both(op: Arith, a: Expr, b: Expr) -> Expr {
    Expr::Both(op, Box::new(a), Box::new(b))
}

impl Parser<'_> {
    /// `affine_map<...>` and `affine_set<...>`.
    pub fn affine_literal(&mut self) -> Parsed<Map> {
        let is_set = self.advance() == "affine_set";
        self.expect(b'<', "of the map")?;
        self.expect(b'(', "of the dimensions")?;
        let mut names = self.names_to(b')')?;
        let dimensions = names.len();
        if self.eat(b'[') {
            names.extend(self.names_to(b']')?);
        }
        let operands = names.len();
        match is_set {
            true => self.expect(b':', "before the constraints")?,
            false => self.expect_arrow()?,
        }
        self.expect(b'(', "of the results")?;
        let mut names = Names::Listed(names);
        let (mut results, mut equal) = (Vec::new(), Vec::new());
        while !self.eat(b')') {
            let mut result = self.affine_sum(&mut names)?;
            if is_set {
                let (constraint, is_equal) = self.constraint(result, &mut names)?;
                result = constraint;
                equal.push(is_equal);
            }
            results.push(result);
            if !self.eat(b',') && !self.is(b')') {
                return self.unexpected("`,` or `)` after the expression");
            }
        }
        self.expect(b'>', "after the map")?;
        Ok(Map { dimensions, operands, results, equal })
    }

    /// `>= e`, `<= e` or `== e` behind an expression: what must not be negative, or be 0.
    fn constraint(&mut self, left: Expr, names: &mut Names) -> Parsed<(Expr, bool)> {
        let mark = [b'>', b'<', b'='].into_iter().find(|&m| self.eat(m));
        let Some(mark) = mark.filter(|_| self.eat(b'=')) else {
            return self.unexpected("`>=`, `<=` or `==`");
        };
        let right = self.affine_sum(names)?;
        let (more, less) = if mark == b'<' { (right, left) } else { (left, right) };
        let difference = match less {
            Expr::Number(0) => more,
            less => both(Arith::Add, more, both(Arith::Mul, less, Expr::Number(-1))),
        };
        Ok((difference, mark == b'='))
    }

    fn names_to(&mut self, close: u8) -> Parsed<Vec<String>> {
        let mut names = Vec::new();
        while !self.eat(close) {
            if self.peek() != Tok::Word {
                return self.unexpected("a name");
            }
            names.push(self.advance().to_string());
            if !self.eat(b',') && !self.is(close) {
                return self.unexpected("`,` or the end of the list");
            }
        }
        Ok(names)
    }

    pub(super) fn affine_sum(&mut self, names: &mut Names) -> Parsed<Expr> {
        self.deeper(|p| {
            let mut sum = p.affine_product(names)?;
            loop {
                if p.eat(b'+') {
                    sum = both(Arith::Add, sum, p.affine_product(names)?);
                } else if p.eat(b'-') {
                    let less = p.affine_product(names)?;
                    sum = both(Arith::Add, sum, negated(less));
                } else {
                    return Ok(sum);
                }
            }
        })
    }

    fn affine_product(&mut self, names: &mut Names) -> Parsed<Expr> {
        let mut product = self.affine_leaf(names)?;
        loop {
            let op = match () {
                _ if self.eat(b'*') => Arith::Mul,
                _ if self.eat_word("mod") => Arith::Mod,
                _ if self.eat_word("floordiv") => Arith::FloorDiv,
                _ if self.eat_word("ceildiv") => Arith::CeilDiv,
                _ => return Ok(product),
            };
            let span = self.span();
            let right = self.affine_leaf(names)?;
            if op != Arith::Mul && matches!(right, Expr::Number(n) if n <= 0) {
                let d = Diagnostic::error(codes::ATTRIBUTE, "a division by a number that is not positive");
                return self.fail(d.at(span, "").help("divide by a positive number"));
            }
            product = both(op, product, right);
        }
    }

    fn affine_leaf(&mut self, names: &mut Names) -> Parsed<Expr> {
        if self.eat(b'-') {
            let leaf = self.deeper(|p| p.affine_leaf(names))?;
            return Ok(negated(leaf));
        }
        if self.eat(b'(') {
            let inside = self.affine_sum(names)?;
            self.expect(b')', "after the expression")?;
            return Ok(inside);
        }
        match (self.peek(), names) {
            (Tok::Integer, _) => Ok(Expr::Number(self.integer()?)),
            (Tok::Value, Names::Values(values)) => {
                values.push(self.operand()?);
                Ok(Expr::Operand(values.len() - 1))
            }
            (Tok::Word, Names::Values(values)) if self.is_word("symbol") => {
                self.advance();
                self.expect(b'(', "of the symbol")?;
                values.push(self.operand()?);
                self.expect(b')', "after the symbol")?;
                Ok(Expr::Operand(values.len() - 1))
            }
            (Tok::Word, Names::Listed(list)) => match list.iter().position(|n| n == self.word()) {
                Some(at) => {
                    self.advance();
                    Ok(Expr::Operand(at))
                }
                None => self.unexpected("a dimension or symbol of the map"),
            },
            _ => self.unexpected("a number, a name or `(`"),
        }
    }

    /// `[%i + 1, %j]`, behind the bracket, or a map's results in another bracket.
    pub(super) fn inline_map(&mut self, close: u8) -> Parsed<Applied> {
        let mut names = Names::Values(Vec::new());
        let mut results = Vec::new();
        while !self.eat(close) {
            results.push(self.affine_sum(&mut names)?);
            if !self.eat(b',') && !self.is(close) {
                return self.unexpected("`,` or the end of the list");
            }
        }
        Ok(self.inlined(names, results))
    }

    pub(super) fn inlined(&mut self, names: Names, results: Vec<Expr>) -> Applied {
        let values = if let Names::Values(values) = names { values } else { Vec::new() };
        let operands = self.all(&values, Type::Index);
        let map = Map { dimensions: operands.len(), operands: operands.len(), results, equal: Vec::new() };
        Applied { map, operands }
    }

    /// `#map(%i)[%n]`.
    pub(super) fn applied(&mut self) -> Parsed<Applied> {
        let span = self.span();
        let Attr::Map(map) = self.attr()? else {
            return self.error(codes::ATTRIBUTE, "an affine map or set stands here", span);
        };
        let mut operands = Vec::new();
        for (open, close) in [(b'(', b')'), (b'[', b']')] {
            if self.eat(open) {
                let list = self.operands_to(close)?;
                operands.extend(self.all(&list, Type::Index));
            }
        }
        self.fits(map, operands, span.start..self.last_end())
    }

    pub(super) fn fits(&mut self, map: Map, operands: Vec<ValueId>, span: Range<usize>) -> Parsed<Applied> {
        if map.operands == operands.len() {
            return Ok(Applied { map, operands });
        }
        let message = format!("{} values for the {} operands of a map", operands.len(), map.operands);
        self.error(codes::ARITY, message, span)
    }
}

fn negated(e: Expr) -> Expr {
    match e {
        Expr::Number(n) => Expr::Number(n.wrapping_neg()),
        e => both(Arith::Mul, e, Expr::Number(-1)),
    }
}
