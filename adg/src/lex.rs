//! Reading fabric MLIR and the texts of function units: the tokens of [`loom_mlir`], at their place in the file, and what
//! may be expected of them.

use crate::codes;
use loom_base::{Code, Diagnostic, Diagnostics};
use loom_mlir::{lex, Tok};
use std::ops::Range;

/// A diagnostic on its way up; boxed because it is large and rare.
pub(crate) type Fallible<T> = Result<T, Box<Diagnostic>>;

/// A text cut into tokens, and the place reading has reached.
pub(crate) struct Cursor<'t> {
    tokens: loom_mlir::Cursor<'t>,
    /// The text's own place in the file.
    base: usize,
    code: Code,
}

impl<'t> Cursor<'t> {
    /// Cuts `text`; spans are shifted by `base`, its place in the file. Errors carry `code`, those of cutting among them.
    pub fn new(text: &'t str, base: usize, code: Code) -> (Cursor<'t>, Diagnostics) {
        let mut errors = Vec::new();
        let tokens = loom_mlir::Cursor::new(text, lex(text, code, &mut errors));
        for span in errors.iter_mut().flat_map(|d| &mut d.labels).map(|l| &mut l.span) {
            *span = base + span.start..base + span.end;
        }
        (Cursor { tokens, base, code }, errors)
    }

    /// The next token, which stays.
    pub fn peek(&self) -> Tok {
        self.tokens.peek()
    }

    /// Its text.
    pub fn text(&self) -> &'t str {
        self.tokens.word()
    }

    /// The span of the next token; the end is shown at the last character that is not space.
    pub fn span(&self) -> Range<usize> {
        let span = self.tokens.span();
        self.base + span.start..self.base + span.end
    }

    /// The span of the last token taken.
    pub fn last_span(&self) -> Range<usize> {
        let span = self.tokens.tokens()[self.tokens.place().saturating_sub(1)].span.clone();
        self.base + span.start..self.base + span.end
    }

    /// Takes the next token; the end stays.
    pub fn next(&mut self) -> &'t str {
        self.tokens.advance()
    }

    /// Takes the punctuation when it is next.
    pub fn eat(&mut self, punct: &str) -> bool {
        match punct.as_bytes() {
            [mark] => self.tokens.eat(*mark),
            _ => self.tokens.eat_arrow(),
        }
    }

    /// Takes the word when it is next.
    pub fn eat_word(&mut self, word: &str) -> bool {
        self.tokens.eat_word(word)
    }

    /// "expected X, found Y" at the next token.
    pub fn expected(&self, what: &str) -> Box<Diagnostic> {
        let found = match self.peek() {
            Tok::End => "the end of the text".to_string(),
            _ => self.tokens.found(),
        };
        let message = format!("expected {what}, found {found}");
        Box::new(Diagnostic::error(self.code, message).at(self.span(), "here"))
    }

    /// The punctuation, or an error.
    pub fn punct(&mut self, punct: &str) -> Fallible<()> {
        if self.eat(punct) {
            Ok(())
        } else {
            Err(self.expected(&format!("`{punct}`")))
        }
    }

    fn kind(&mut self, kind: Tok, what: &str) -> Fallible<&'t str> {
        if self.peek() == kind {
            Ok(self.next())
        } else {
            Err(self.expected(what))
        }
    }

    /// A word, or an error.
    pub fn word(&mut self, what: &str) -> Fallible<String> {
        self.kind(Tok::Word, what).map(str::to_string)
    }

    /// `@name` or `@"name"`, or an error.
    pub fn symbol(&mut self, what: &str) -> Fallible<String> {
        let name = &self.kind(Tok::Symbol, what)?[1..];
        Ok(if name.starts_with('"') { loom_mlir::unquote(name) } else { name.to_string() })
    }

    /// `%name`, or an error.
    pub fn value(&mut self, what: &str) -> Fallible<String> {
        self.kind(Tok::Value, what).map(|v| v[1..].to_string())
    }

    /// A text in quotes, or an error.
    pub fn string(&mut self, what: &str) -> Fallible<String> {
        self.kind(Tok::Text, what).map(loom_mlir::unquote)
    }

    /// A number, or an error.
    pub fn int(&mut self, what: &str) -> Fallible<i64> {
        let negative = self.tokens.is(b'-') && self.tokens.peek_second() == Tok::Integer;
        if negative {
            self.next();
        }
        let digits = match self.peek() {
            Tok::Integer => self.text(),
            _ => return Err(self.expected(what)),
        };
        let sign = if negative { "-" } else { "" };
        let value = format!("{sign}{digits}").parse().map_err(|_| self.expected(what))?;
        self.next();
        Ok(value)
    }

    /// Skips to the next token for which `stop` holds, or to the end.
    pub fn skip_until(&mut self, stop: impl Fn(&Self) -> bool) {
        while self.peek() != Tok::End && !stop(self) {
            self.next();
        }
    }

    /// Whether only the end follows the next token.
    pub fn is_last(&self) -> bool {
        self.tokens.peek_second() == Tok::End
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
        let w = match c.peek() {
            Tok::TypeName => c.next()[1..].to_string(),
            _ => c.word("a channel type")?,
        };
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
