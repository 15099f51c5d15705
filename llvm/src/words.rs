//! What the bytes of an array are: words of one width, or, in an array of structs, of one width for each piece of the struct.
//!
//! The rule for all arrays: a word is as small as the smallest access and divides every offset; wider accesses are several
//! words. An array of structs with a flag and a number would be one of bytes by it. So the accesses are held against each other where
//! it is known which bytes of a struct each may touch ([`crate::spans`]): those that may touch the same byte belong to one *piece*, and
//! each piece has words of its own. The pieces with words of one width are a *view* of the array, a memory to everybody behind. Of a
//! local variable that is one struct each piece is a memory of its own, which begins where the piece does: what is left of a field
//! that is a number is then a register (`loom_front`'s `registers`).
//!
//! An access of 64 bits that covers fields of 32 and fewer is one of these fields: that is how structs are passed by value.
//!
//! Guarantees: every access, or each half of such a one, and every word that a copy moves, lies in one piece, at a whole number of its
//! words behind the start of the array; pieces do not overlap, so that no byte is accessed through two views.

use crate::spans::{word_of, Span};
use crate::types::Ty;
use loom_base::gcd;
use loom_dfg::Type;

/// Bytes of the words of what is only copied: any fabric has them.
const COPIED: u64 = 4;

/// An access.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Use {
    pub ty: Option<Type>,
    pub bytes: u64,
    /// Where; `None` where that is not known.
    pub span: Option<Span>,
    /// Whether it takes part in a copy: what is loaded is only stored, or it stores what was loaded for that.
    pub moves: bool,
}

/// Bytes that are written or copied at once.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    /// Where they begin, in each array.
    pub spans: Vec<Option<Span>>,
    pub bytes: BlockBytes,
}

/// How many bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum BlockBytes {
    Constant(u64),
    /// Any multiple.
    Multiple(u64),
    /// They are moved in an order that depends on where they go.
    Ordered,
}

/// Bytes of a struct that are words of one width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub at: i64,
    pub end: i64,
    /// Bytes of a word.
    pub word: u64,
    /// The view it belongs to.
    pub view: usize,
}

/// A word of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// Bytes behind where the access begins.
    pub at: i64,
    pub view: usize,
    pub ty: Type,
}

/// What the bytes of an array are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Words {
    /// Type of the words of each view.
    pub views: Vec<Type>,
    /// The pieces in order, after how many bytes all is the same (0 for never); `None` where all is one.
    pub pieces: Option<(Vec<Piece>, u64)>,
    /// Whether each piece is a view of its own, whose words are counted from where it begins.
    pub apart: bool,
}

impl Words {
    /// An array of words.
    pub fn one(ty: Type) -> Words {
        Words { views: vec![ty], pieces: None, apart: false }
    }

    /// Bytes of the widest word.
    pub fn widest(&self) -> u64 {
        self.views.iter().map(|&ty| bytes_of(ty)).max().unwrap_or(1)
    }

    /// Bytes of the smallest word.
    pub fn smallest(&self) -> u64 {
        self.views.iter().map(|&ty| bytes_of(ty)).min().unwrap_or(1)
    }

    /// The words that an access of so many bytes goes to.
    pub fn parts(&self, span: Option<Span>, bytes: u64) -> Vec<Part> {
        let bytes = bytes as i64;
        let runs = match (&self.pieces, span) {
            (Some(_), Some(_)) => self.runs(span, Some(bytes)),
            _ => vec![Piece { at: 0, end: bytes, word: self.widest(), view: 0 }],
        };
        let words = |run: &Piece| {
            let (view, ty) = (run.view, self.views[run.view]);
            (run.at..run.end)
                .step_by(run.word as usize)
                .map(move |at| Part { at, view, ty })
                .collect::<Vec<_>>()
        };
        runs.iter().flat_map(words).collect()
    }

    /// Where the memory of a view begins and ends, in bytes of its array; `None` for the whole array.
    pub fn part(&self, view: usize) -> Option<(i64, i64)> {
        let (pieces, _) = self.pieces.as_ref().filter(|_| self.apart)?;
        pieces.iter().find(|p| p.view == view).map(|p| (p.at, p.end))
    }

    /// The byte that the words of a view are counted from.
    pub fn start(&self, view: usize) -> i64 {
        self.part(view).map_or(0, |part| part.0)
    }

    /// What so many bytes from a place on are made of: pieces, or parts of them, as distances from there. All of it where they are
    /// whole periods.
    pub fn runs(&self, span: Option<Span>, bytes: Option<i64>) -> Vec<Piece> {
        let (Some((pieces, period)), Some(span)) = (&self.pieces, span) else { return Vec::new() };
        let period = *period as i64;
        let first = within(span.first, period as u64);
        let bytes = bytes.unwrap_or(period);
        let mut out = Vec::new();
        for round in 0..=i64::from(period > 0) {
            for piece in pieces {
                let (at, end) = (piece.at + round * period - first, piece.end + round * period - first);
                if at.max(0) < end.min(bytes) {
                    out.push(Piece { at: at.max(0), end: end.min(bytes), ..*piece });
                }
            }
        }
        out
    }
}

/// Bytes of a word.
pub(crate) fn bytes_of(ty: Type) -> u64 {
    u64::from(ty.width(64).div_ceil(8))
}

fn within(at: i64, period: u64) -> i64 {
    match i64::try_from(period) {
        Ok(period @ 1..) => at.rem_euclid(period),
        _ => at,
    }
}

/// Takes an array apart, in which by the rule for all arrays a word is `plain`; `None` where that says all there is to say.
/// `types` are structs that may lie in it. The views of the pieces are given later.
pub(crate) fn pieces(uses: &[Use], blocks: &[Block], types: &[&Ty], plain: u64) -> Option<(Vec<Piece>, u64)> {
    let period = period(uses, blocks)?;
    let mut pieces = accessed(uses, period)?;
    for block in blocks {
        let span = (*block.spans.first()?)?;
        let first = within(span.first, period);
        let (first, last) = match block.bytes {
            BlockBytes::Constant(bytes) if period == 0 || bytes < period => {
                (first, first.checked_add_unsigned(bytes)?)
            }
            _ => (0, i64::try_from(period).ok()?),
        };
        let grain = block.spans.iter().flatten().fold(0, |sum, s| gcd(sum, s.grain));
        for piece in pieces.iter_mut().filter(|p| p.at < last && first < p.end) {
            let edge = |at: i64| if piece.at < at && at < piece.end { at.unsigned_abs() } else { 0 };
            piece.word = word_of(gcd(gcd(piece.word, grain), gcd(edge(first), edge(last))));
        }
        let whole = types.iter().find(|ty| ty.size() == Some(if period > 0 { period } else { last as u64 }));
        let fields = whole.map(|ty| ty.leaves(0));
        for (at, end) in gaps(&pieces, first, last) {
            pieces.extend(filled(at, end, fields.as_deref(), grain));
        }
        pieces.sort_by_key(|p| p.at);
    }
    pieces.iter().all(|p| p.word >= plain).then_some((pieces, period))
}

/// The accesses that one is of the fields of structs: how a struct is passed by value, in numbers of 64 bits, says nothing of what is
/// in it. No field is cut, those that share 32 bits stay together, and bytes between them belong to none. `types` are the structs
/// that may lie there.
pub(crate) fn of_fields(used: Use, types: &[&Ty]) -> Vec<Use> {
    if used.bytes <= COPIED || types.is_empty() {
        return vec![used];
    }
    let fields = |ty: &&Ty| {
        let (size, span) = (ty.size()?, used.span.filter(|s| s.length == 0)?);
        let first = u64::try_from(span.first).ok().filter(|_| span.period == 0 || span.period == size)?;
        let end = first.checked_add(used.bytes).filter(|&end| end <= size)?;
        let inside = ty.leaves(0).into_iter().flat_map(|(at, bytes, word)| {
            // Of an array the elements that it touches: they may lie on both sides of a cut.
            let word = word.max(1);
            let from = at + first.saturating_sub(at) / word * word;
            (from..end.min(at + bytes)).step_by(word as usize).map(move |at| (at, at + word))
        });
        Some(inside.map(|(at, end)| (at as i64 - span.first, end as i64 - span.first)).collect::<Vec<_>>())
    };
    let known: Option<Vec<Vec<(i64, i64)>>> = types.iter().map(fields).collect();
    let Some(fields) = known.map(|k| k.concat()) else { return vec![used] };
    let (cut, bytes) = (COPIED as i64, used.bytes as i64);
    if fields.iter().any(|&(at, end)| at < 0 || end > bytes || (at < cut && cut < end)) {
        return vec![used];
    }
    let half = |from: i64, to: i64| {
        let inside = fields.iter().filter(move |f| from <= f.0 && f.1 <= to);
        let (at, end) = (inside.clone().map(|f| f.0).min()?, inside.map(|f| f.1).max()?);
        let span = used.span.map(|span| span.moved(at));
        Some(Use { ty: None, bytes: (end - at) as u64, span, moves: used.moves })
    };
    [half(0, cut), half(cut, bytes)].into_iter().flatten().collect()
}

/// After how many bytes all accesses and copies are the same again.
fn period(uses: &[Use], blocks: &[Block]) -> Option<u64> {
    let mut period = 0;
    for used in uses {
        period = gcd(period, used.span?.period);
    }
    for block in blocks {
        let spans = block.spans.iter().copied().collect::<Option<Vec<Span>>>()?;
        let first = spans.first()?;
        if spans.iter().any(|s| s.length > 0) {
            return None;
        }
        period = spans.iter().fold(period, |sum, s| gcd(gcd(sum, s.period), s.first.abs_diff(first.first)));
        period = match block.bytes {
            BlockBytes::Multiple(bytes) => gcd(period, bytes),
            BlockBytes::Constant(_) => period,
            BlockBytes::Ordered => return None,
        };
    }
    for block in blocks {
        if let (BlockBytes::Constant(bytes), 1..) = (block.bytes, period) {
            let first = within(block.spans.first().copied().flatten()?.first, period).unsigned_abs();
            if !bytes.is_multiple_of(period) && first.checked_add(bytes)? > period {
                return None;
            }
        }
    }
    Some(period)
}

/// The pieces that accesses make: those that may touch the same byte share one.
fn accessed(uses: &[Use], period: u64) -> Option<Vec<Piece>> {
    let mut found = Vec::new();
    for used in uses {
        let span = used.span?;
        let at = within(span.first, period);
        let end = at.checked_add_unsigned(span.length.checked_add(used.bytes)?)?;
        if period > 0 && end.unsigned_abs() > period {
            return None;
        }
        let divides = gcd(gcd(used.bytes, at.unsigned_abs()), gcd(span.grain, period));
        let word = word_of(divides);
        found.push(Piece { at, end, word: if used.moves { word.min(COPIED) } else { word }, view: 0 });
    }
    found.sort_by_key(|p| (p.at, p.end));
    let mut out: Vec<Piece> = Vec::new();
    for piece in found {
        match out.last_mut().filter(|last| piece.at < last.end) {
            Some(last) => {
                last.end = last.end.max(piece.end);
                last.word = last.word.min(piece.word);
            }
            None => out.push(piece),
        }
    }
    Some(out)
}

/// What is between pieces.
fn gaps(pieces: &[Piece], first: i64, last: i64) -> Vec<(i64, i64)> {
    let mut at = first;
    let mut out = Vec::new();
    for piece in pieces.iter().filter(|p| p.at < last && first < p.end) {
        if at < piece.at {
            out.push((at, piece.at));
        }
        at = at.max(piece.end);
    }
    if at < last {
        out.push((at, last));
    }
    out
}

/// Pieces for bytes that are copied and not accessed: the fields there, without what is between them, or words as they fit.
fn filled(first: i64, last: i64, fields: Option<&[(u64, u64, u64)]>, grain: u64) -> Vec<Piece> {
    let word_at = |at: i64, word: u64| word_of(gcd(gcd(word, grain), at.unsigned_abs())).min(COPIED);
    let Some(fields) = fields else {
        let (mut at, mut out) = (first, Vec::new());
        while at < last {
            let mut word = word_at(at, COPIED);
            while word as i64 > last - at {
                word /= 2;
            }
            let end = last - (last - at) % word as i64;
            // Until a wider word fits, one at a time.
            let end = if word < COPIED { end.min(at + word as i64) } else { end };
            out.push(Piece { at, end, word, view: 0 });
            at = end;
        }
        return out;
    };
    let inside = fields.iter().filter_map(|&(at, bytes, element)| {
        let (at, end) = (at as i64, (at + bytes) as i64);
        let (from, to) = (at.max(first), end.min(last));
        let cut = gcd((from - at).unsigned_abs(), (to - at).unsigned_abs());
        (from < to).then(|| Piece { at: from, end: to, word: word_at(from, gcd(element, cut)), view: 0 })
    });
    inside.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(first: i64, bytes: u64, period: u64) -> Use {
        let span = Span { first, length: 0, period, grain: period };
        Use { ty: None, bytes, span: Some(span), moves: false }
    }

    fn block(bytes: BlockBytes, period: u64) -> Block {
        let span = Some(Span { first: 0, length: 0, period, grain: period });
        Block { spans: vec![span, span], bytes }
    }

    #[test]
    fn fields_have_words_of_their_own() {
        let uses = [field(0, 4, 40), field(36, 1, 40), field(8, 8, 40)];
        let (pieces, period) = pieces(&uses, &[], &[], 1).expect("three pieces");
        assert_eq!(period, 40);
        assert_eq!(
            pieces.iter().map(|p| (p.at, p.end, p.word)).collect::<Vec<_>>(),
            [(0, 4, 4), (8, 16, 8), (36, 37, 1)]
        );
    }

    #[test]
    fn what_may_touch_the_same_byte_has_the_same_words() {
        let word = |uses: &[Use]| {
            pieces(uses, &[], &[], 1).map(|(p, _)| p.iter().map(|p| p.word).collect::<Vec<_>>())
        };
        assert_eq!(word(&[field(0, 4, 8), field(2, 2, 8), field(4, 4, 8)]), Some(vec![2, 4]));
        assert_eq!(word(&[field(0, 4, 8), field(3, 1, 8)]), Some(vec![1]));
        // One is 8 bytes apart, the other 12.
        assert_eq!(word(&[field(0, 4, 8), field(4, 2, 12)]), Some(vec![2]));
        // It would go round the end of a period.
        assert_eq!(word(&[field(6, 4, 8)]), None);
    }

    #[test]
    fn a_struct_by_value_is_its_fields() {
        let of = |fields: Vec<Ty>, (first, bytes): (i64, u64)| {
            let record = Ty::Struct { packed: false, fields };
            let used = field(first, bytes, record.size().expect("it has one"));
            let cut = of_fields(used, &[&record]);
            cut.iter().map(|u| (u.span.expect("it is known").first, u.bytes)).collect::<Vec<_>>()
        };
        let timer = || vec![Ty::Int(32), Ty::Int(16), Ty::Int(16)];
        assert_eq!(of(timer(), (0, 8)), [(0, 4), (4, 4)]);
        assert_eq!(of(vec![Ty::Int(32), Ty::Int(8)], (0, 8)), [(0, 4), (4, 1)]);
        let halves = Ty::Array(3, Box::new(Ty::Int(16)));
        assert_eq!(of(vec![halves], (0, 6)), [(0, 4), (4, 2)]);
        // A number that is wider, one on both sides, and two structs at once.
        assert_eq!(of(vec![Ty::Int(64), Ty::Int(32)], (0, 8)), [(0, 8)]);
        assert_eq!(of(vec![Ty::Int(16), Ty::Int(32), Ty::Int(16)], (2, 8)), [(2, 8)]);
        assert_eq!(of(vec![Ty::Int(16), Ty::Int(16)], (0, 8)), [(0, 8)]);
    }

    #[test]
    fn a_copy_moves_what_nobody_accesses_and_no_padding() {
        let uses = [field(0, 4, 16)];
        let copied = [block(BlockBytes::Multiple(16), 16)];
        let of = |types: &[&Ty]| pieces(&uses, &copied, types, 1).expect("pieces").0;
        let list = |pieces: Vec<Piece>| pieces.iter().map(|p| (p.at, p.end, p.word)).collect::<Vec<_>>();
        assert_eq!(list(of(&[])), [(0, 4, 4), (4, 16, 4)]);
        let fields = vec![Ty::Int(32), Ty::Int(8), Ty::F32, Ty::Array(3, Box::new(Ty::Int(8)))];
        let record = Ty::Struct { packed: false, fields };
        assert_eq!(record.size(), Some(16));
        assert_eq!(list(of(&[&record])), [(0, 4, 4), (4, 5, 1), (8, 12, 4), (12, 15, 1)]);
    }

    #[test]
    fn parts_of_a_copy_follow_its_start() {
        let pieces =
            vec![Piece { at: 0, end: 4, word: 4, view: 0 }, Piece { at: 4, end: 5, word: 1, view: 1 }];
        let words = Words { views: vec![Type::I32, Type::Int(8)], pieces: Some((pieces, 8)), apart: false };
        let at = |first| Some(Span { first, length: 0, period: 8, grain: 8 });
        let list = |runs: Vec<Piece>| runs.iter().map(|p| (p.at, p.end)).collect::<Vec<_>>();
        assert_eq!(list(words.runs(at(0), None)), [(0, 4), (4, 5)]);
        assert_eq!(list(words.runs(at(4), None)), [(0, 1), (4, 8)]);
        assert_eq!(list(words.runs(at(0), Some(2))), [(0, 2)]);
        let views =
            |first, bytes| words.parts(at(first), bytes).iter().map(|p| (p.at, p.view)).collect::<Vec<_>>();
        assert_eq!([views(4, 1), views(0, 4), views(12, 1)], [[(0, 1)], [(0, 0)], [(0, 1)]]);
        assert_eq!(views(0, 8), [(0, 0), (4, 1)]);
    }
}
