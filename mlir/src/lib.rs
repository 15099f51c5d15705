//! MLIR as text: tokens with their places, and a cursor over them. What the tokens of a dialect mean is its reader's.
//!
//! Guarantees: every text gives tokens, each with its byte range; no function recurses, so depth of input is no concern;
//! what was skipped was balanced. Refuses nothing but characters that start no token, and strings that do not end on their
//! line: these are reported with the code the reader gives, and cutting goes on behind them.
//!
//! ```
//! use loom_base::Code;
//! use loom_mlir::{lex, Cursor, Tok};
//! const CHARACTER: Code = Code::new("T0001", "a character that starts no token");
//! let text = "%r:2 = \"llvm.add\"(%a, %b#1) <{flags = #x}> : (i32, !llvm.ptr<3>) -> i32 loc(#loc3)";
//! let mut errors = Vec::new();
//! let mut c = Cursor::new(text, lex(text, CHARACTER, &mut errors));
//! assert_eq!((c.peek(), c.advance()), (Tok::Value, "%r"));
//! assert!(c.eat(b':') && c.advance() == "2" && c.eat(b'='));
//! assert_eq!((c.peek(), c.string()), (Tok::Text, "llvm.add".to_string()));
//! c.skip_balanced();
//! assert!(errors.is_empty() && c.is(b'<'));
//! ```

mod cursor;
mod lexer;

pub use cursor::{unquote, unquote_bytes, Cursor};
pub use lexer::{is_name, lex, Lexeme, Tok};
