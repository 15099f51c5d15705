//! Arrays in a struct: which accesses stay within one.
//!
//! To everybody behind, fields of one width are words of one array. Of `s->re[i]` and `s->im[i]` that leaves `2 + i` and `66 + i`, and nothing says
//! that `i` is below 64: one may be the other. So accesses that are known to stay within some words ([`crate::spans`]) go
//! through a view of these words alone, and what is in the one is not in the other (`loom_front`'s `depend`). Not taken are arrays of structs,
//! single words, which literals name, what goes to rows ([`crate::rows`]), and pointers that may point into several arrays.

use crate::address::{accessed, accessed_size};
use crate::pointers::Pointers;
use crate::program::Function;
use crate::rows::Rows;
use crate::words::bytes_of;
use std::collections::BTreeMap;
use std::ops::Range;

/// The accesses of a function that stay within arrays in structs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fields {
    /// By root and view: words that accesses stay within, where there are others.
    pub parts: BTreeMap<(usize, usize), Vec<Range<i64>>>,
    /// By load or store and view: the words that it stays within.
    pub of: BTreeMap<(usize, usize), Range<i64>>,
}

/// A load or store, and the words that it may touch.
struct Access {
    number: usize,
    words: Range<i64>,
}

impl Fields {
    /// Looks at all loads and stores.
    pub fn of(function: &Function, pointers: &Pointers, rows: &Rows) -> Fields {
        let mut found: BTreeMap<(usize, usize), Vec<Access>> = BTreeMap::new();
        for number in function.reached().filter(|number| !rows.subscripts.contains_key(number)) {
            let inst = &function.insts[number];
            let (&[pointer], Some(bytes)) = (accessed(inst), accessed_size(function, inst)) else { continue };
            let arrays = pointers.arrays(pointer);
            let span = pointers.span(pointer).filter(|s| s.period == 0 && s.first >= 0);
            let (&[root], Some(span)) = (&arrays[..], span) else { continue };
            if pointers.words[root].apart || rows.inner.contains_key(&root) {
                continue;
            }
            for part in pointers.parts(pointer, bytes).into_iter().flatten() {
                let (word, first) = (bytes_of(part.ty) as i64, span.first + part.at);
                let last = first.checked_add_unsigned(span.length).filter(|_| first % word == 0);
                let access = last.map(|last| Access { number, words: first / word..last / word + 1 });
                found.entry((root, part.view)).or_default().extend(access);
            }
        }
        let mut fields = Fields::default();
        for ((root, view), accesses) in found {
            let parts = together(accesses.iter().map(|a| a.words.clone()).collect());
            if parts.len() < 2 {
                continue;
            }
            for Access { number, words } in accesses {
                let part = parts.iter().find(|part| part.contains(&words.start) && part.end - part.start > 1);
                fields.of.extend(part.map(|part| ((number, view), part.clone())));
            }
            let several = parts.into_iter().filter(|part| part.end - part.start > 1);
            fields.parts.insert((root, view), several.collect());
        }
        fields
    }
}

/// Ranges that have a word in common as one.
fn together(mut ranges: Vec<Range<i64>>) -> Vec<Range<i64>> {
    ranges.sort_by_key(|r| (r.start, r.end));
    let mut out: Vec<Range<i64>> = Vec::new();
    for range in ranges {
        match out.last_mut().filter(|last| range.start < last.end) {
            Some(last) => last.end = last.end.max(range.end),
            None => out.push(range),
        }
    }
    out
}
