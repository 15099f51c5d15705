//! A place in a list of tokens, and what every reader does there.

use crate::{Lexeme, Tok};
use std::ops::Range;

/// The tokens of a text and the next one of them. The end stays.
#[derive(Clone, Debug)]
pub struct Cursor<'t> {
    text: &'t str,
    tokens: Vec<Lexeme>,
    at: usize,
}

impl<'t> Cursor<'t> {
    /// At the first of the tokens that [`crate::lex`] made of the text.
    pub fn new(text: &'t str, tokens: Vec<Lexeme>) -> Cursor<'t> {
        Cursor { text, tokens, at: 0 }
    }

    /// The whole text.
    pub fn text(&self) -> &'t str {
        self.text
    }

    /// All tokens.
    pub fn tokens(&self) -> &[Lexeme] {
        &self.tokens
    }

    /// The text of a token.
    pub fn text_of(&self, token: usize) -> &'t str {
        &self.text[self.tokens[token].span.clone()]
    }

    /// The next token.
    pub fn peek(&self) -> Tok {
        self.tokens[self.at].kind
    }

    /// The one after it.
    pub fn peek_second(&self) -> Tok {
        self.tokens.get(self.at + 1).map_or(Tok::End, |t| t.kind)
    }

    /// Whether no token is left.
    pub fn at_end(&self) -> bool {
        self.peek() == Tok::End
    }

    /// Whether the next token is the first of its line.
    pub fn starts_line(&self) -> bool {
        self.tokens[self.at].starts_line
    }

    /// Index of the next token, to come back to or to see whether the cursor moved.
    pub fn place(&self) -> usize {
        self.at
    }

    /// Goes to a token.
    pub fn set_place(&mut self, place: usize) {
        self.at = place.min(self.tokens.len() - 1);
    }

    /// Goes behind the last token.
    pub fn finish(&mut self) {
        self.at = self.tokens.len() - 1;
    }

    /// Bytes of the next token.
    pub fn span(&self) -> Range<usize> {
        self.tokens[self.at].span.clone()
    }

    /// End of the token that was taken last.
    pub fn last_end(&self) -> usize {
        self.tokens[self.at.saturating_sub(1)].span.end
    }

    /// The text of the next token; nothing at the end.
    pub fn word(&self) -> &'t str {
        match self.peek() {
            Tok::End => "",
            _ => self.text_of(self.at),
        }
    }

    /// Takes the next token.
    pub fn advance(&mut self) -> &'t str {
        let word = self.word();
        if !self.at_end() {
            self.at += 1;
        }
        word
    }

    /// Whether the next token is that character.
    pub fn is(&self, mark: u8) -> bool {
        self.peek() == Tok::Mark(mark)
    }

    /// Takes the character when it is next.
    pub fn eat(&mut self, mark: u8) -> bool {
        let yes = self.is(mark);
        if yes {
            self.advance();
        }
        yes
    }

    /// Whether the next token is that word.
    pub fn is_word(&self, word: &str) -> bool {
        self.peek() == Tok::Word && self.word() == word
    }

    /// Takes the word when it is next.
    pub fn eat_word(&mut self, word: &str) -> bool {
        let yes = self.is_word(word);
        if yes {
            self.advance();
        }
        yes
    }

    /// Takes `->` when it is next.
    pub fn eat_arrow(&mut self) -> bool {
        let yes = self.peek() == Tok::Arrow;
        if yes {
            self.advance();
        }
        yes
    }

    /// Takes a string; what it says, escapes replaced.
    pub fn string(&mut self) -> String {
        unquote(self.advance())
    }

    /// Goes to byte `at` of the text, cutting the token that holds it; for `4x4xi32`.
    pub fn seek(&mut self, at: usize) {
        while !self.at_end() && self.tokens[self.at].span.end <= at {
            self.at += 1;
        }
        let token = &mut self.tokens[self.at];
        if token.kind != Tok::End && token.span.start < at {
            token.span.start = at;
            token.kind = match self.text.as_bytes()[at] {
                b'0'..=b'9' => Tok::Integer,
                _ => Tok::Word,
            };
        }
    }

    /// Skips a balanced bracket that opens here, of any of the four kinds.
    pub fn skip_balanced(&mut self) {
        let mut open: Vec<u8> = Vec::new();
        while !self.at_end() {
            let second = self.peek_second();
            match self.peek() {
                Tok::Mark(b @ (b'(' | b'[' | b'{')) => open.push(b),
                // `<=` and `>=` are comparisons of affine sets.
                Tok::Mark(b'<') if second != Tok::Mark(b'=') => open.push(b'<'),
                Tok::Mark(b'>') if open.last() == Some(&b'<') && second != Tok::Mark(b'=') => {
                    open.pop();
                }
                Tok::Mark(b')' | b']' | b'}') => {
                    while open.last() == Some(&b'<') {
                        open.pop();
                    }
                    if open.pop().is_none() {
                        return;
                    }
                }
                _ => {}
            }
            self.advance();
            if open.is_empty() {
                return;
            }
        }
    }

    /// `loc(...)` says where a line came from; nobody needs it.
    pub fn skip_location(&mut self) {
        if self.is_word("loc") && self.peek_second() == Tok::Mark(b'(') {
            self.advance();
            self.skip_balanced();
        }
    }

    /// What stands here, for "found ..., expected ...".
    pub fn found(&self) -> String {
        match self.peek() {
            Tok::End => "the end of the file".to_string(),
            _ => format!("`{}`", self.word().chars().take(40).collect::<String>()),
        }
    }
}

/// The text inside of quotes; bytes that are no UTF-8 become replacement characters.
pub fn unquote(text: &str) -> String {
    String::from_utf8_lossy(&unquote_bytes(text)).into_owned()
}

/// The bytes inside of quotes, escapes replaced: `\\n`, `\\t`, `\\0A` for a byte, and any other character for itself.
pub fn unquote_bytes(text: &str) -> Vec<u8> {
    let inner = text.strip_prefix('"').unwrap_or(text);
    let inner = inner.strip_suffix('"').unwrap_or(inner).as_bytes();
    let hex = |at: usize| inner.get(at).and_then(|&b| char::from(b).to_digit(16));
    let mut out = Vec::new();
    let mut at = 0;
    while at < inner.len() {
        let next = inner.get(at + 1);
        match (inner[at], next, hex(at + 1), hex(at + 2)) {
            (b'\\', Some(b'n'), ..) => out.push(b'\n'),
            (b'\\', Some(b't'), ..) => out.push(b'\t'),
            (b'\\', _, Some(high), low) => {
                out.push((high * 16 + low.unwrap_or(0)) as u8);
                at += 1;
            }
            (b'\\', Some(&b), ..) => out.push(b),
            (b'\\', None, ..) => {}
            (b, ..) => {
                out.push(b);
                at += 1;
                continue;
            }
        }
        at += 2;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lex;
    use loom_base::Code;

    const CODE: Code = Code::new("T0001", "a character that starts no token");

    fn kinds(text: &str) -> Vec<Tok> {
        let mut errors = Vec::new();
        let tokens = lex(text, CODE, &mut errors);
        assert!(errors.is_empty(), "{text}");
        tokens.iter().map(|t| t.kind).collect()
    }

    #[test]
    fn tokens_of_the_generic_form() {
        use Tok::*;
        let m = |c: char| Mark(c as u8);
        let cases: [(&str, &[Tok]); 8] = [
            (
                "%0:2 = \"a.b\"(%x#1)",
                &[Value, m(':'), Integer, m('='), Text, m('('), Value, AttrName, m(')')],
            ),
            (
                "^bb1(%a: !llvm.ptr<1>)",
                &[Block, m('('), Value, m(':'), TypeName, m('<'), Integer, m('>'), m(')')],
            ),
            (
                "#loc3 = loc(\"f.c\":1:2)",
                &[AttrName, m('='), Word, m('('), Text, m(':'), Integer, m(':'), Integer, m(')')],
            ),
            ("@\"a b\" @c.d-e", &[Symbol, Symbol]),
            ("-> - 0x1F 1.5e-3 1.0", &[Arrow, m('-'), Integer, Float, Float]),
            ("%a->%b", &[Value, Arrow, Value]),
            (
                "<{a = dense<[1, 2]>}>",
                &[
                    m('<'),
                    m('{'),
                    Word,
                    m('='),
                    Word,
                    m('<'),
                    m('['),
                    Integer,
                    m(','),
                    Integer,
                    m(']'),
                    m('>'),
                    m('}'),
                    m('>'),
                ],
            ),
            ("a // b \" c\n... ", &[Word, Ellipsis]),
        ];
        for (text, want) in cases {
            assert_eq!(kinds(text), [want, &[End]].concat(), "{text}");
        }
    }

    #[test]
    fn shapes_are_cut_again() {
        let text = "<4x16xi32>";
        let mut c = Cursor::new(text, lex(text, CODE, &mut Vec::new()));
        c.seek(3);
        assert_eq!((c.peek(), c.word()), (Tok::Integer, "16xi32"));
        c.seek(6);
        assert_eq!((c.peek(), c.advance()), (Tok::Word, "i32"));
        assert!(c.eat(b'>') && c.at_end());
    }

    #[test]
    fn quotes() {
        for (text, want) in
            [("\"a\\0Ab\"", "a\nb"), ("\"\\\"x\\\\\"", "\"x\\"), ("\"\\C3\\B6\"", "ö"), ("\"\\", "")]
        {
            assert_eq!(unquote(text), want, "{text}");
            assert_eq!(unquote_bytes(text), want.as_bytes(), "{text}");
        }
        assert_eq!(unquote_bytes("\"a\\FF\\00\""), b"a\xff\0");
        assert_eq!(unquote("\"a\\FF\""), "a\u{fffd}");
    }
}
