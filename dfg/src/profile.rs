//! What the conditions of a graph said when it ran, for whoever chooses between mappings of it.
//!
//! Counts, by the name of the condition: values keep their names where graphs are rebuilt. They weigh what happens often against what happens
//! seldom, as a compiler's profile does, and say nothing of what a graph computes: one with a profile means what it means without.

use std::collections::BTreeMap;
use std::str::FromStr;

/// How often a condition was false, and how often true.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// Tokens that were false.
    pub no: u64,
    /// Tokens that were true.
    pub yes: u64,
}

impl Said {
    /// All of its tokens.
    pub fn tokens(self) -> u64 {
        self.no.saturating_add(self.yes)
    }
}

/// What conditions said, by name; empty where nobody looked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile(BTreeMap<String, Said>);

impl Profile {
    /// What conditions said, by name.
    pub fn new(said: impl Iterator<Item = (String, Said)>) -> Profile {
        Profile(said.filter(|(_, said)| said.tokens() > 0).collect())
    }

    /// Adds what they said in another run.
    pub fn add(&mut self, other: Profile) {
        for (name, said) in other.0 {
            let sum = self.0.entry(name).or_default();
            (sum.no, sum.yes) = (sum.no.saturating_add(said.no), sum.yes.saturating_add(said.yes));
        }
    }

    /// Whether nobody looked, or no condition had a token.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What a condition said, if it had a token.
    pub fn of(&self, condition: &str) -> Option<Said> {
        self.0.get(condition).copied()
    }

    /// One text for each condition, `"name no yes"`, for an attribute.
    pub(crate) fn texts(&self) -> impl Iterator<Item = String> + '_ {
        self.0.iter().map(|(name, Said { no, yes })| format!("{name} {no} {yes}"))
    }

    /// Reads them back; none where one is no such text.
    pub(crate) fn read(texts: &[String]) -> Option<Profile> {
        let one = |text: &String| {
            let mut words = text.split(' ');
            let name = words.next()?.to_string();
            let mut count = || u64::from_str(words.next()?).ok();
            let said = Said { no: count()?, yes: count()? };
            words.next().is_none().then_some((name, said))
        };
        texts.iter().map(one).collect::<Option<_>>().map(Profile)
    }
}
