//! Tokens of the fabric MLIR format and of function unit bodies, with their byte spans.
//!
//! Every text gives tokens: an unknown character becomes [`Tok::Bad`], which no rule of the grammar accepts.

use crate::codes;
use loom_base::{Code, Diagnostic};
use std::fmt;
use std::ops::Range;

/// A diagnostic on its way up; boxed because it is large and rare.
pub(crate) type Fallible<T> = Result<T, Box<Diagnostic>>;

/// A token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Tok {
    /// `arith.addi`, `i32`, `sw.out3`: letters, digits, `_` and dots.
    Word(String),
    /// `%x`, without the percent sign.
    Value(String),
    /// `@x`, without the at sign.
    Symbol(String),
    /// A decimal number with an optional minus sign.
    Int(i64),
    /// `"..."`, without the quotes; no escapes.
    Str(String),
    /// `->` and single characters.
    Punct(&'static str),
    /// Anything else.
    Bad(char),
    /// After the last token.
    End,
}

impl fmt::Display for Tok {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Tok::Word(w) => write!(f, "`{w}`"),
            Tok::Value(v) => write!(f, "`%{v}`"),
            Tok::Symbol(s) => write!(f, "`@{s}`"),
            Tok::Int(i) => write!(f, "`{i}`"),
            Tok::Str(s) => write!(f, "`\"{s}\"`"),
            Tok::Punct(p) => write!(f, "`{p}`"),
            Tok::Bad(c) => write!(f, "{c:?}"),
            Tok::End => f.write_str("the end of the text"),
        }
    }
}

const PUNCT: [&str; 15] = ["->", "(", ")", "{", "}", "[", "]", "<", ">", ",", ":", "=", "!", "+", "*"];

fn is_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_' || b == b'.'
}

/// A text cut into tokens, and the place reading has reached.
pub(crate) struct Cursor {
    tokens: Vec<(Tok, Range<usize>)>,
    at: usize,
    code: Code,
}

impl Cursor {
    /// Cuts `text`; spans are shifted by `base`, its place in the file. Errors of [`Cursor::expected`] carry `code`.
    pub fn new(text: &str, base: usize, code: Code) -> Cursor {
        let bytes = text.as_bytes();
        let mut tokens = Vec::new();
        let mut at = 0;
        while at < bytes.len() {
            let start = at;
            let run = |mut i: usize| {
                while i < bytes.len() && is_word(bytes[i]) {
                    i += 1;
                }
                i
            };
            let token = match bytes[at] {
                b if b.is_ascii_whitespace() => {
                    at += 1;
                    continue;
                }
                b'/' if bytes.get(at + 1) == Some(&b'/') => {
                    at = text[at..].find('\n').map_or(bytes.len(), |n| at + n);
                    continue;
                }
                b'%' => {
                    at = run(at + 1);
                    Tok::Value(text[start + 1..at].to_string())
                }
                // A symbol may hold `-` inside, as MLIR allows: fabrics are named like their files.
                b'@' => {
                    at = run(at + 1);
                    while bytes.get(at) == Some(&b'-') && at > start + 1 {
                        at = run(at + 1);
                    }
                    Tok::Symbol(text[start + 1..at].to_string())
                }
                b'"' => match text[at + 1..].find(['"', '\n']).map(|n| at + 1 + n) {
                    Some(end) if bytes[end] == b'"' => {
                        at = end + 1;
                        Tok::Str(text[start + 1..end].to_string())
                    }
                    _ => {
                        at += 1;
                        Tok::Bad('"')
                    }
                },
                b if b.is_ascii_digit()
                    || (b == b'-' && bytes.get(at + 1).is_some_and(u8::is_ascii_digit)) =>
                {
                    at = run(at + 1);
                    match text[start..at].parse() {
                        Ok(value) => Tok::Int(value),
                        Err(_) => Tok::Word(text[start..at].to_string()),
                    }
                }
                b if is_word(b) => {
                    at = run(at);
                    Tok::Word(text[start..at].to_string())
                }
                _ => match PUNCT.into_iter().find(|p| text[at..].starts_with(p)) {
                    Some(p) => {
                        at += p.len();
                        Tok::Punct(p)
                    }
                    None => {
                        let c = text[at..].chars().next().unwrap_or(' ');
                        at += c.len_utf8();
                        Tok::Bad(c)
                    }
                },
            };
            tokens.push((token, base + start..base + at));
        }
        // The end is shown at the last character that is not space.
        let last = text.trim_end().char_indices().last().map_or(0, |(i, _)| i);
        tokens.push((Tok::End, base + last..base + text.trim_end().len()));
        Cursor { tokens, at: 0, code }
    }

    /// The next token, which stays.
    pub fn peek(&self) -> &Tok {
        &self.tokens[self.at].0
    }

    /// The span of the next token.
    pub fn span(&self) -> Range<usize> {
        self.tokens[self.at].1.clone()
    }

    /// The span of the last token taken.
    pub fn last_span(&self) -> Range<usize> {
        self.tokens[self.at.saturating_sub(1)].1.clone()
    }

    /// Takes the next token; the end stays.
    pub fn next(&mut self) -> Tok {
        let token = self.peek().clone();
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
        token
    }

    /// Takes the punctuation when it is next.
    pub fn eat(&mut self, punct: &str) -> bool {
        let hit = matches!(self.peek(), Tok::Punct(p) if *p == punct);
        if hit {
            self.next();
        }
        hit
    }

    /// Takes the word when it is next.
    pub fn eat_word(&mut self, word: &str) -> bool {
        let hit = matches!(self.peek(), Tok::Word(w) if w == word);
        if hit {
            self.next();
        }
        hit
    }

    /// "expected X, found Y" at the next token.
    pub fn expected(&self, what: &str) -> Box<Diagnostic> {
        Box::new(
            Diagnostic::error(self.code, format!("expected {what}, found {}", self.peek()))
                .at(self.span(), "here"),
        )
    }

    /// The punctuation, or an error.
    pub fn punct(&mut self, punct: &str) -> Fallible<()> {
        if self.eat(punct) {
            Ok(())
        } else {
            Err(self.expected(&format!("`{punct}`")))
        }
    }

    /// A word, or an error.
    pub fn word(&mut self, what: &str) -> Fallible<String> {
        match self.peek() {
            Tok::Word(w) => {
                let w = w.clone();
                self.next();
                Ok(w)
            }
            _ => Err(self.expected(what)),
        }
    }

    /// `@name`, or an error.
    pub fn symbol(&mut self, what: &str) -> Fallible<String> {
        match self.peek() {
            Tok::Symbol(s) if !s.is_empty() => {
                let s = s.clone();
                self.next();
                Ok(s)
            }
            _ => Err(self.expected(what)),
        }
    }

    /// `%name`, or an error.
    pub fn value(&mut self, what: &str) -> Fallible<String> {
        match self.peek() {
            Tok::Value(v) if !v.is_empty() => {
                let v = v.clone();
                self.next();
                Ok(v)
            }
            _ => Err(self.expected(what)),
        }
    }

    /// A number, or an error.
    pub fn int(&mut self, what: &str) -> Fallible<i64> {
        match *self.peek() {
            Tok::Int(i) => {
                self.next();
                Ok(i)
            }
            _ => Err(self.expected(what)),
        }
    }

    /// Skips to the next token for which `stop` holds, or to the end.
    pub fn skip_until(&mut self, stop: impl Fn(&Tok) -> bool) {
        while *self.peek() != Tok::End && !stop(self.peek()) {
            self.next();
        }
    }

    /// Whether only the end follows the next token.
    pub fn is_last(&self) -> bool {
        self.at + 2 >= self.tokens.len()
    }
}

/// A channel type: `none`, `bits<32>`, `tagged<bits<32>, i4>`, each with an optional `!fabric.` before it.
pub(crate) fn channel_type(c: &mut Cursor) -> Fallible<crate::ChannelType> {
    let start = c.span().start;
    let width = |c: &mut Cursor| -> Fallible<u32> {
        c.punct("<")?;
        let span = c.span();
        let n = c.int("a width")?;
        c.punct(">")?;
        u32::try_from(n).map_err(|_| {
            Box::new(Diagnostic::error(codes::CHANNEL_TYPE, format!("{n} is no width")).at(span, "1 to 4096"))
        })
    };
    let name = |c: &mut Cursor| -> Fallible<String> {
        c.eat("!");
        let w = c.word("a channel type")?;
        Ok(w.strip_prefix("fabric.").unwrap_or(&w).to_string())
    };
    match name(c)?.as_str() {
        "none" => Ok(crate::ChannelType::NONE),
        "bits" => {
            let w = width(c)?;
            if w == 0 {
                return Err(Box::new(
                    Diagnostic::error(codes::CHANNEL_TYPE, "`bits<0>` is written `none`")
                        .at(start..c.last_span().end, "here"),
                ));
            }
            Ok(crate::ChannelType::bits(w))
        }
        "tagged" => {
            c.punct("<")?;
            let value = match name(c)?.as_str() {
                "none" => 0,
                "bits" => width(c)?,
                _ => return Err(c.expected("`bits<N>` or `none`")),
            };
            c.punct(",")?;
            let span = c.span();
            let tag = c.word("a tag type, `i1` to `i16`")?;
            let bits =
                tag.strip_prefix('i').and_then(|d| d.parse::<u32>().ok()).filter(|&k| k > 0).ok_or_else(
                    || {
                        Box::new(
                            Diagnostic::error(codes::CHANNEL_TYPE, format!("`{tag}` is no tag type"))
                                .at(span, "`i1` to `i16`"),
                        )
                    },
                )?;
            c.punct(">")?;
            Ok(crate::ChannelType::tagged(value, bits))
        }
        other => Err(Box::new(
            Diagnostic::error(codes::CHANNEL_TYPE, format!("`{other}` is no channel type"))
                .at(start..c.last_span().end, "here")
                .help("write `none`, `bits<N>` or `tagged<bits<N>, iK>`"),
        )),
    }
}
