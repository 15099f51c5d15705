//! The tables of proofs and faults.

use super::faults::Caught;
use super::prove::{Group, Proof, ProofOutcome};
use std::fmt::Write;

fn outcome(proof: &Proof) -> String {
    match &proof.outcome {
        ProofOutcome::Proved => "proved".into(),
        ProofOutcome::Violated { property, .. } => format!("**violated** ({property})"),
        ProofOutcome::Unreached(_) => "**not reached**".into(),
        ProofOutcome::Path(_) => "**path**".into(),
        ProofOutcome::Unknown => "**unknown**".into(),
    }
}

/// One row for each proof, in Markdown: how many properties of each kind.
pub fn table(proofs: &[Proof]) -> String {
    let mut text = String::from(
        "| module | shape | H1 | H2 | H3 | progress | reset | errors | lemmas | reached | result |\n\
         |---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for p in proofs {
        let count = |group: Group| match p.count(group) {
            0 => "-".to_string(),
            n => n.to_string(),
        };
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
            p.module,
            p.shape,
            if p.has_ready_to_valid { "yes" } else { "-" },
            count(Group::Holds),
            count(Group::Tokens),
            count(Group::Progress),
            count(Group::Reset),
            count(Group::Errors),
            count(Group::Lemma),
            count(Group::Cover),
            outcome(p),
        );
    }
    text
}

/// One row for each planted fault.
pub fn fault_table(caught: &[Caught]) -> String {
    let mut text = String::from(
        "| planted fault | proof that fails | in | what co-simulation notices first |\n|---|---|---|---|\n",
    );
    for c in caught {
        let property = match &c.proof.outcome {
            ProofOutcome::Violated { property, .. } => format!("`{property}`"),
            ProofOutcome::Path(_) => "H1".into(),
            other => format!("**not caught** ({other:?})"),
        };
        let difference = match (&c.difference, c.fault.kernel) {
            (Some(difference), _) => difference.as_str(),
            (None, Some(_)) => "**nothing**",
            (None, None) => "-",
        };
        let _ = writeln!(text, "| {} | {property} | {} | {difference} |", c.fault.what, c.proof.name());
    }
    text
}
