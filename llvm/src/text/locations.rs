//! Locations: where an operation stands in the user's source.

use super::{Op, Place, Read, Reader};
use loom_mlir::Tok;
use std::collections::BTreeMap;

/// A location as it is written.
#[derive(Clone, Debug, Default)]
pub(super) enum Location {
    #[default]
    Unknown,
    Place(Place),
    Alias(String),
    /// The first that says something counts.
    Any(Vec<Location>),
    /// Something that was inlined, and where.
    Inlined(Box<[Location; 2]>),
}

/// Gives each operation its place; aliases stand behind what uses them.
pub(super) fn resolve(ops: &mut [Op], aliases: &BTreeMap<String, Location>) {
    for op in ops {
        op.place = place_with_callers(&op.location, aliases, 0);
        for block in op.regions.iter_mut().flatten() {
            resolve(&mut block.ops, aliases);
        }
    }
}

/// Line 0 is what the importer gives to things that it made itself.
fn place(location: &Location, aliases: &BTreeMap<String, Location>, depth: usize) -> Option<Place> {
    match location {
        _ if depth > 60 => None,
        Location::Unknown => None,
        Location::Place(p) => (p.line > 0).then(|| p.clone()),
        Location::Alias(name) => place(aliases.get(name)?, aliases, depth + 1),
        Location::Any(list) => list.iter().find_map(|l| place(l, aliases, depth + 1)),
        Location::Inlined(pair) => pair.iter().find_map(|l| place(l, aliases, depth + 1)),
    }
}

/// With the places where it became part of other functions.
fn place_with_callers(
    location: &Location,
    aliases: &BTreeMap<String, Location>,
    depth: usize,
) -> Option<Place> {
    match location {
        Location::Alias(name) if depth <= 60 => place_with_callers(aliases.get(name)?, aliases, depth + 1),
        Location::Inlined(pair) if depth <= 60 => {
            let caller = place_with_callers(&pair[1], aliases, depth + 1);
            match place(&pair[0], aliases, depth + 1) {
                Some(callee) => Some(Place { caller: caller.map(Box::new), ..callee }),
                None => caller,
            }
        }
        other => place(other, aliases, depth),
    }
}

impl Reader<'_> {
    /// `loc(...)`
    pub fn location(&mut self) -> Read<Location> {
        self.advance();
        self.need(b'(')?;
        let location = self.location_body()?;
        self.need(b')')?;
        Ok(location)
    }

    pub fn optional_location(&mut self) -> Read<Location> {
        match self.is_word("loc") {
            true => self.location(),
            false => Ok(Location::Unknown),
        }
    }

    fn location_body(&mut self) -> Read<Location> {
        self.nested(|r| match r.peek() {
            Tok::AttrName => Ok(Location::Alias(r.advance()[1..].to_string())),
            Tok::Text => {
                let file = r.string();
                if r.eat(b':') {
                    let line = r.advance().parse().unwrap_or(0);
                    r.need(b':')?;
                    let column = r.advance().parse().unwrap_or(0);
                    return Ok(Location::Place(Place { file, line, column, caller: None }));
                }
                if r.eat(b'(') {
                    let inner = r.location_body()?;
                    r.need(b')')?;
                    return Ok(inner);
                }
                Ok(Location::Unknown)
            }
            _ => match r.advance() {
                "fused" => {
                    r.skip_angles();
                    r.need(b'[')?;
                    Ok(Location::Any(r.list(b']', Self::location_body)?))
                }
                // What was inlined stands where it was written.
                "callsite" => {
                    r.need(b'(')?;
                    let callee = r.location_body()?;
                    if !r.eat_word("at") {
                        return r.expected("`at`");
                    }
                    let caller = r.location_body()?;
                    r.need(b')')?;
                    Ok(Location::Inlined(Box::new([callee, caller])))
                }
                _ => Ok(Location::Unknown),
            },
        })
    }
}
