//! Text of expressions: parentheses where operators meet, and lines of bounded length.
//!
//! A [`Text`] is a tree of atoms, operator chains, choices and lists. What fits stays on one line; else the outermost
//! operator decides where to break: before an operator, before `?` and `:`, between the elements of a list.

/// Longest line of a Verilog file.
pub(super) const COLUMNS: usize = 120;

/// Longest element of a list of which several stand on one line when the list is broken.
const SHORT: usize = 40;

/// An expression, laid out later.
#[derive(Clone, Debug)]
pub(super) enum Text {
    /// A name, a literal, a part select.
    Atom(String),
    /// An operator directly before its operand.
    Prefix(&'static str, Box<Text>),
    /// Operands with one operator between them.
    Chain(&'static str, Vec<Text>),
    /// `condition ? then : otherwise`.
    Choice(Box<Text>, Box<Text>, Box<Text>),
    /// What stands between two brackets, separated by commas: a concatenation, a call, something in parentheses.
    List(String, Vec<Text>, &'static str),
}

impl Text {
    pub fn parenthesized(self) -> Text {
        Text::List("(".into(), vec![self], ")")
    }

    /// On one line.
    pub fn flat(&self) -> String {
        let mut out = String::new();
        self.write_flat(&mut out);
        out
    }

    fn write_flat(&self, out: &mut String) {
        match self {
            Text::Atom(text) => out.push_str(text),
            Text::Prefix(op, operand) => {
                out.push_str(op);
                operand.write_flat(out);
            }
            Text::Chain(op, operands) => {
                for (k, operand) in operands.iter().enumerate() {
                    if k > 0 {
                        out.push(' ');
                        out.push_str(op);
                        out.push(' ');
                    }
                    operand.write_flat(out);
                }
            }
            Text::Choice(condition, then, otherwise) => {
                condition.write_flat(out);
                out.push_str(" ? ");
                then.write_flat(out);
                out.push_str(" : ");
                otherwise.write_flat(out);
            }
            Text::List(open, items, close) => {
                out.push_str(open);
                for (k, item) in items.iter().enumerate() {
                    if k > 0 {
                        out.push_str(", ");
                    }
                    item.write_flat(out);
                }
                out.push_str(close);
            }
        }
    }

    fn is_short(&self) -> bool {
        matches!(self, Text::Atom(_) | Text::Prefix(..)) && self.flat().len() <= SHORT
    }

    /// Appends the text, whose first character stands in `column` and behind which come `rest` more; further lines are
    /// indented by `indent`.
    pub fn write(&self, out: &mut String, indent: usize, rest: usize) {
        let column = out.len() - out.rfind('\n').map_or(0, |at| at + 1);
        let flat = self.flat();
        if column + flat.len() + rest <= COLUMNS {
            out.push_str(&flat);
            return;
        }
        match self {
            Text::Atom(text) => out.push_str(text),
            Text::Prefix(op, operand) => {
                out.push_str(op);
                operand.write(out, indent, rest);
            }
            Text::Chain(op, operands) => {
                let lead = |k: usize| if k == 0 { String::new() } else { format!("{op} ") };
                fill(out, operands, indent, rest, &lead, "");
            }
            Text::Choice(condition, then, otherwise) => {
                condition.write(out, indent + 2, 0);
                line(out, indent);
                out.push_str("? ");
                then.write(out, indent + 2, 0);
                line(out, indent);
                out.push_str(": ");
                otherwise.write(out, indent, rest);
            }
            Text::List(open, items, close) if items.len() == 1 => {
                out.push_str(open);
                items[0].write(out, indent + 1, rest + close.len());
                out.push_str(close);
            }
            Text::List(open, items, close) => {
                out.push_str(open);
                line(out, indent + 2);
                fill(out, items, indent + 2, 1, &|_| String::new(), ",");
                line(out, indent);
                out.push_str(close);
            }
        }
    }
}

fn line(out: &mut String, indent: usize) {
    out.push('\n');
    out.extend(std::iter::repeat_n(' ', indent));
}

/// One item a line, or as many as fit where all are short. Each but the last ends in `mark`.
fn fill(
    out: &mut String,
    items: &[Text],
    indent: usize,
    rest: usize,
    lead: &dyn Fn(usize) -> String,
    mark: &str,
) {
    let short = items.iter().all(Text::is_short);
    for (k, item) in items.iter().enumerate() {
        let lead = lead(k);
        let last = k + 1 == items.len();
        let behind = if last { rest } else { mark.len() };
        if k > 0 {
            let column = out.len() - out.rfind('\n').map_or(0, |at| at + 1);
            if short && column + 1 + lead.len() + item.flat().len() + behind <= COLUMNS {
                out.push(' ');
            } else {
                line(out, indent);
            }
        }
        out.push_str(&lead);
        item.write(out, indent + 2, behind);
        if !last {
            out.push_str(mark);
        }
    }
}

/// Comment lines of bounded length, each behind `indent` spaces.
pub(super) fn comment(out: &mut String, indent: usize, text: &str) {
    for given in text.lines() {
        let given = given.trim_end();
        let inner = given.len() - given.trim_start().len();
        let start = format!("{}//{}", " ".repeat(indent), " ".repeat(usize::from(!given.is_empty()) + inner));
        let mut now = start.clone();
        let mut empty = true;
        for word in given.split_whitespace() {
            if !empty && now.chars().count() + 1 + word.chars().count() > COLUMNS {
                out.push_str(&now);
                out.push('\n');
                now.clone_from(&start);
                empty = true;
            }
            if !empty {
                now.push(' ');
            }
            now.push_str(word);
            empty = false;
        }
        out.push_str(&now);
        out.push('\n');
    }
}
