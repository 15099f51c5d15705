//! The reviewed list of equivalent mutants, and the text for its page.

use super::instrument::Mutant;
use super::judge::Fate;
use loom_base::page::page;
use std::fmt::Write;
use std::path::Path;

/// A mutant that no test can kill, and why.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Equivalent {
    pub file: String,
    pub function: String,
    pub change: String,
    pub reason: String,
}

impl Equivalent {
    pub fn names(&self, m: &Mutant) -> bool {
        (&self.file, &self.function, &self.change) == (&m.file, &m.function, &m.change)
    }
}

/// The reviewed list.
pub fn equivalent(root: &Path) -> Vec<Equivalent> {
    #[derive(serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct List {
        #[serde(default)]
        mutant: Vec<Equivalent>,
    }
    let path = root.join("verif/testkit/tests/mutation_rust/equivalent.toml");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    toml::from_str::<List>(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display())).mutant
}

/// The table and lists, and the score in percent.
pub fn report(
    fates: &[(&Mutant, Fate)],
    equivalent: &[Equivalent],
    left_out: &dyn Fn(&str) -> usize,
) -> (String, f64) {
    let listed = |m: &Mutant| equivalent.iter().find(|e| e.names(m));
    let mut text = String::from(
        "| file | mutants | killed | by the time limit | equivalent | survive | score | do not compile |\n\
         |---|---|---|---|---|---|---|---|\n",
    );
    let mut sum = [0; 6];
    for rows in fates.chunk_by(|a, b| a.0.file == b.0.file) {
        let file = &rows[0].0.file;
        let killed = rows.iter().filter(|(_, f)| *f == Fate::Killed).count();
        let late = rows.iter().filter(|(_, f)| *f == Fate::Timeout).count();
        let alive = rows.iter().filter(|(_, f)| matches!(f, Fate::Survives | Fate::Unreached));
        let (survive, same) = (alive.clone().count(), alive.filter(|(m, _)| listed(m).is_some()).count());
        let counts = [rows.len(), killed, late, same, survive - same, left_out(file)];
        sum.iter_mut().zip(counts).for_each(|(s, c)| *s += c);
        line(&mut text, &format!("`{file}`"), counts);
    }
    let score = line(&mut text, "**all**", sum);
    let _ = writeln!(text, "\nScore: {score:.1} % of the mutants that are not equivalent are killed.");
    let mut list = |title: &str, of: &dyn Fn(&Mutant, Fate) -> Option<String>| {
        let lines: Vec<String> = fates.iter().filter_map(|(m, f)| of(m, *f)).collect();
        if !lines.is_empty() {
            let _ = writeln!(text, "\n{title}\n\n{}", lines.join("\n"));
        }
    };
    let place = |m: &Mutant| format!("- `{}`, line {}, `{}`: {}", m.file, m.at.0, m.function, m.change);
    list("Survivors:", &|m, fate| match (fate, listed(m)) {
        (Fate::Survives, None) => Some(place(m)),
        (Fate::Unreached, None) => Some(format!("{} (no test comes there)", place(m))),
        _ => None,
    });
    list("Equivalent, each looked at:", &|m, fate| match fate {
        Fate::Survives | Fate::Unreached => listed(m).map(|e| format!("{}. {}", place(m), e.reason)),
        _ => None,
    });
    list("Killed by the time limit:", &|m, fate| (fate == Fate::Timeout).then(|| place(m)));
    (text, score)
}

fn line(text: &mut String, name: &str, [mutants, killed, late, same, survive, left_out]: [usize; 6]) -> f64 {
    let score = 100.0 * (killed + late) as f64 / (mutants - same).max(1) as f64;
    let _ = writeln!(
        text,
        "| {name} | {mutants} | {} | {late} | {same} | {survive} | {score:.1} % | {left_out} |",
        killed + late
    );
    score
}

/// Writes the page.
pub fn write_page(path: &Path, text: &str) {
    let page = page("Mutation of the Rust", "mutate", "docs/verification.md", text);
    std::fs::write(path, page).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
}
