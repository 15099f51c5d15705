//! Types as text has them.

use super::{Read, Reader};
use crate::types::Ty;
use loom_mlir::Tok;

impl Reader<'_> {
    pub fn ty(&mut self) -> Read<Ty> {
        self.nested(|r| {
            let start = r.span().start;
            let of_dialect = r.peek() == Tok::TypeName;
            if r.is(b'(') {
                r.skip_balanced();
                return Ok(Ty::Other(r.text_from(start)));
            }
            if !of_dialect && r.peek() != Tok::Word {
                return r.expected("a type");
            }
            let word = r.advance().trim_start_matches('!');
            // Inside of a type of the dialect its name goes without the dialect's.
            let name = word.strip_prefix("llvm.").unwrap_or(word);
            let open = r.is(b'<');
            Ok(match name {
                "f16" => Ty::F16,
                "bf16" => Ty::Bf16,
                "f32" => Ty::F32,
                "f64" => Ty::F64,
                "void" => Ty::Void,
                "ptr" if open => {
                    r.skip_balanced();
                    Ty::Other("pointer of another address space".into())
                }
                "ptr" => Ty::Ptr,
                "array" if open => r.array()?,
                "struct" if open => r.structure()?,
                "func" if open => r.function()?,
                "vector" if open && !of_dialect => r.vector()?,
                "tensor" if open && !of_dialect => r.shaped()?,
                _ => match name.strip_prefix('i').and_then(|n| n.parse().ok()) {
                    Some(bits) => Ty::Int(bits),
                    None => {
                        r.skip_angles();
                        Ty::Other(r.text_from(start))
                    }
                },
            })
        })
    }

    /// `N x`, or `[N]x` of vectors that scale: the extent. The cursor goes behind the `x`, which may be the beginning of a
    /// word.
    fn extent(&mut self) -> Option<u64> {
        let text = self.text();
        let rest = text[self.span().start..].trim_start_matches('[');
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (count, rest) = rest.split_at(digits);
        let count = count.parse().ok()?;
        let behind = rest.trim_start_matches([']', ' ']).strip_prefix('x')?;
        self.seek(text.len() - behind.len());
        Some(count)
    }

    /// `<N x T>`
    fn array(&mut self) -> Read<Ty> {
        self.need(b'<')?;
        let Some(count) = self.extent() else { return self.expected("an extent") };
        let element = self.ty()?;
        self.need(b'>')?;
        Ok(Ty::Array(count, Box::new(element)))
    }

    /// `<NxT>`, or `<[N]xT>`, which has no size.
    fn vector(&mut self) -> Read<Ty> {
        self.need(b'<')?;
        let scalable = self.is(b'[');
        let Some(count) = self.extent() else { return self.expected("an extent") };
        let element = self.ty()?;
        self.need(b'>')?;
        Ok(match scalable {
            true => Ty::Other(format!("vector of {}", element.describe())),
            false => Ty::Vector(count, Box::new(element)),
        })
    }

    /// The element type of `<NxMxT>`.
    fn shaped(&mut self) -> Read<Ty> {
        self.need(b'<')?;
        while self.extent().is_some() {}
        let element = self.ty()?;
        self.need(b'>')?;
        Ok(element)
    }

    fn structure(&mut self) -> Read<Ty> {
        self.need(b'<')?;
        if self.peek() == Tok::Text {
            let name = self.string();
            // Inside of itself a struct is its name alone, and an opaque one has no fields.
            if self.eat(b'>') {
                return Ok(Ty::Other(name));
            }
            self.need(b',')?;
        }
        if self.eat_word("opaque") {
            self.need(b'>')?;
            return Ok(Ty::Other("opaque struct".into()));
        }
        let packed = self.eat_word("packed");
        self.need(b'(')?;
        let fields = self.list(b')', Self::ty)?;
        self.need(b'>')?;
        Ok(Ty::Struct { packed, fields })
    }

    /// `<T (T, T, ...)>`
    fn function(&mut self) -> Read<Ty> {
        self.need(b'<')?;
        let result = self.ty()?;
        self.need(b'(')?;
        let mut variadic = false;
        let parameters = self.list(b')', |r| {
            if r.peek() == Tok::Ellipsis {
                r.advance();
                variadic = true;
                return Ok(Ty::Void);
            }
            r.ty()
        })?;
        self.need(b'>')?;
        let parameters = parameters.into_iter().filter(|p| *p != Ty::Void).collect();
        Ok(Ty::Func { result: Box::new(result), parameters, variadic })
    }
}
