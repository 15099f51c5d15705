//! Memrefs at run time: a buffer, a first word, extents and strides, all in words.
//!
//! Guarantees: no arithmetic here overflows silently; a view that leaves what it looks at is refused when it is
//! made, so an access needs to check its subscripts and its word only.

use super::fault::FaultKind;
use crate::ir::{Dim, MemrefLayout, MemrefType};

/// Index of a buffer of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BufferId(pub u32);

/// What a memref value shows of its buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// The buffer.
    pub buffer: BufferId,
    /// Word of the buffer that its pointer names: where offsets count from.
    pub base: i64,
    /// Word of subscripts all zero, from `base`.
    pub offset: i64,
    /// Extents.
    pub sizes: Vec<i64>,
    /// Words between neighbours, one for each dimension.
    pub strides: Vec<i64>,
}

/// What is wrong with a view.
pub(super) type Refusal = (FaultKind, String);

fn bad(message: impl Into<String>) -> Refusal {
    (FaultKind::BadView, message.into())
}

/// Row-major strides; `None` when they leave 64 bits.
pub(super) fn row_major(sizes: &[i64]) -> Option<Vec<i64>> {
    let mut strides = vec![1i64; sizes.len()];
    for d in (1..sizes.len()).rev() {
        strides[d - 1] = strides[d].checked_mul(sizes[d].max(1))?;
    }
    Some(strides)
}

impl View {
    /// The memref of this type that begins at the first word of a buffer of `words` words. An open outermost extent
    /// comes from the length of the buffer; `None` when another number is open (give the view in full then) or the
    /// buffer is too small.
    pub fn whole(ty: &MemrefType, buffer: BufferId, words: usize) -> Option<View> {
        let words = i64::try_from(words).ok()?;
        let inner: Vec<i64> = ty.shape.iter().skip(1).copied().collect::<Option<_>>()?;
        let (offset, strides) = match &ty.layout {
            MemrefLayout::Identity => {
                let mut sizes = vec![1; ty.shape.len().min(1)];
                sizes.extend(&inner);
                (0, row_major(&sizes)?)
            }
            MemrefLayout::Strided { strides, offset } => {
                ((*offset)?, strides.iter().copied().collect::<Option<Vec<i64>>>()?)
            }
        };
        let mut sizes = Vec::new();
        if let Some(&outer) = ty.shape.first() {
            let outer = match outer {
                Some(n) => n,
                None => {
                    // All subscripts below the open extent must stay inside.
                    let far: i64 = inner.iter().zip(&strides[1..]).map(|(n, s)| (n - 1).max(0) * s).sum();
                    let room = words - offset - far;
                    match strides[0] {
                        s if s > 0 && room > 0 => (room - 1) / s + 1,
                        _ => 0,
                    }
                }
            };
            sizes.push(outer);
        }
        sizes.extend(inner);
        let view = View { buffer, base: 0, offset, sizes, strides };
        view.fits(words).then_some(view)
    }

    /// First and last word that subscripts inside of the extents reach; `None` for a view without words.
    pub fn span(&self) -> Option<(i64, i64)> {
        let clamp = |v: i128| v.clamp(i64::MIN.into(), i64::MAX.into()) as i64;
        let first = i128::from(self.base) + i128::from(self.offset);
        let (mut low, mut high) = (first, first);
        for (&n, &s) in self.sizes.iter().zip(&self.strides) {
            if n <= 0 {
                return None;
            }
            let reach = i128::from(n - 1).saturating_mul(i128::from(s));
            if reach < 0 {
                low = low.saturating_add(reach);
            } else {
                high = high.saturating_add(reach);
            }
        }
        Some((clamp(low), clamp(high)))
    }

    /// Whether all its words are among the first `words` of the buffer.
    pub fn fits(&self, words: i64) -> bool {
        self.span().is_none_or(|(low, high)| low >= 0 && high < words)
    }

    /// Whether this view has the rank and the fixed numbers of a type.
    pub(super) fn check_type(&self, ty: &MemrefType) -> Result<(), Refusal> {
        if self.sizes.len() != ty.shape.len() || self.strides.len() != ty.shape.len() {
            return Err(bad(format!(
                "a view of rank {} for a memref of rank {}",
                self.sizes.len(),
                ty.shape.len()
            )));
        }
        let differs = |have: i64, want: Dim| want.is_some_and(|w| w != have);
        for (d, (&have, &want)) in self.sizes.iter().zip(&ty.shape).enumerate() {
            if have < 0 {
                return Err(bad(format!("dimension {d} has the negative extent {have}")));
            }
            if differs(have, want) {
                return Err(bad(format!(
                    "dimension {d} has {have} words, its type says {}",
                    want.unwrap_or(0)
                )));
            }
        }
        let (strides, offset): (Vec<Dim>, Dim) = match &ty.layout {
            MemrefLayout::Identity => match row_major(&self.sizes) {
                Some(s) => (s.into_iter().map(Some).collect(), Some(0)),
                None => return Err(bad("extents whose product leaves 64 bits")),
            },
            MemrefLayout::Strided { strides, offset } => (strides.clone(), *offset),
        };
        if differs(self.offset, offset) {
            return Err(bad(format!("offset {}, its type says {}", self.offset, offset.unwrap_or(0))));
        }
        for (d, (&have, &want)) in self.strides.iter().zip(&strides).enumerate() {
            // The stride of a dimension with one subscript is never used.
            if self.sizes[d] > 1 && differs(have, want) {
                let want = want.unwrap_or(0);
                return Err(bad(format!("dimension {d} has a stride of {have}, its type says {want}")));
            }
        }
        Ok(())
    }

    /// Word of an element, each subscript checked against its extent.
    pub(super) fn word(&self, subscripts: &[i64]) -> Result<i64, Refusal> {
        let mut word = i128::from(self.base) + i128::from(self.offset);
        for (d, &i) in subscripts.iter().enumerate() {
            let (size, stride) = (self.sizes[d], self.strides[d]);
            if i < 0 || i >= size {
                let message = format!("subscript {i} of dimension {d} is not below its extent {size}");
                return Err((FaultKind::OutOfBounds, message));
            }
            word += i128::from(i) * i128::from(stride);
        }
        i64::try_from(word).map_err(|_| (FaultKind::OutOfBounds, "a word beyond 64 bits".to_string()))
    }

    /// `memref.subview` before dimensions are dropped.
    pub(super) fn subview(&self, offsets: &[i64], sizes: &[i64], strides: &[i64]) -> Result<View, Refusal> {
        let mut view = View { sizes: sizes.to_vec(), strides: Vec::new(), ..self.clone() };
        let empty = sizes.contains(&0);
        for d in 0..self.sizes.len() {
            let (o, n, s) = (i128::from(offsets[d]), i128::from(sizes[d]), i128::from(strides[d]));
            let (first, last) = (o, o + (n - 1) * s);
            let inside = |i: i128| i >= 0 && i < i128::from(self.sizes[d]);
            let covered = empty || (inside(first) && inside(last));
            if n < 0 || !covered {
                return Err(bad(format!(
                    "dimension {d} of the view covers {first} to {last}, the memref has {}",
                    self.sizes[d]
                )));
            }
            let far = || bad("a view whose numbers leave 64 bits");
            let step = offsets[d].checked_mul(self.strides[d]).ok_or_else(far)?;
            view.offset = view.offset.checked_add(step).ok_or_else(far)?;
            view.strides.push(strides[d].checked_mul(self.strides[d]).ok_or_else(far)?);
        }
        Ok(view)
    }

    /// Drops dimensions of extent 1 until the shape is that of `ty`. Which of several neighbours goes does not
    /// matter: their subscript is always 0.
    pub(super) fn drop_units(mut self, ty: &MemrefType) -> View {
        let mut kept = Vec::new();
        for d in 0..self.sizes.len() {
            let left = self.sizes.len() - d;
            let must_keep = ty.shape.len() - kept.len().min(ty.shape.len()) >= left;
            let fits = ty.shape.get(kept.len()).is_some_and(|n| n.is_none_or(|n| n == self.sizes[d]));
            // An open extent may be 1 by chance: a fixed 1 of the source is dropped first.
            let spare = self.sizes[d] == 1 && ty.shape.get(kept.len()) != Some(&Some(1));
            if must_keep || (fits && !spare) {
                kept.push(d);
            }
        }
        self.sizes = kept.iter().map(|&d| self.sizes[d]).collect();
        self.strides = kept.iter().map(|&d| self.strides[d]).collect();
        self
    }

    /// `memref.collapse_shape`.
    pub(super) fn collapse(&self, groups: &[Vec<usize>]) -> Result<View, Refusal> {
        let mut view = View { sizes: vec![], strides: vec![], ..self.clone() };
        for group in groups {
            let mut size = 1i64;
            let mut stride: Option<i64> = None;
            for &d in group.iter().rev().filter(|&&d| self.sizes[d] != 1) {
                match stride {
                    None => stride = Some(self.strides[d]),
                    Some(s) if s.checked_mul(size) == Some(self.strides[d]) => {}
                    Some(_) => {
                        return Err(bad(format!("dimension {d} is not contiguous with the one after it")))
                    }
                }
                size = size.checked_mul(self.sizes[d]).ok_or_else(|| bad("extents leave 64 bits"))?;
            }
            view.sizes.push(size);
            view.strides.push(stride.unwrap_or(1));
        }
        Ok(view)
    }

    /// `memref.expand_shape`.
    pub(super) fn expand(&self, groups: &[Vec<usize>], sizes: &[i64]) -> Result<View, Refusal> {
        let mut view = View { sizes: sizes.to_vec(), strides: vec![1; sizes.len()], ..self.clone() };
        for (source, group) in groups.iter().enumerate() {
            let mut stride = self.strides[source];
            let mut product = 1i64;
            for &d in group.iter().rev() {
                view.strides[d] = stride;
                let far = || bad("extents leave 64 bits");
                stride = stride.checked_mul(sizes[d].max(1)).ok_or_else(far)?;
                product = product.checked_mul(sizes[d]).ok_or_else(far)?;
            }
            if product != self.sizes[source] || group.iter().any(|&d| sizes[d] < 0) {
                return Err(bad(format!(
                    "dimension {source} has {} words, the new extents make {product}",
                    self.sizes[source]
                )));
            }
        }
        Ok(view)
    }
}
