//! Pages that are written: in `docs/reports` tables as a run printed them, with what wrote them (no times: they are no two
//! runs' the same), elsewhere tables between marks of their own name.

/// A page of tables that `make` of a target writes, and that a page of the documentation explains.
///
/// ```
/// let page = loom_base::page::page("Proofs", "formal", "docs/verification.md", "| a |\n");
/// assert!(page.starts_with("# Proofs\n\n`make formal` writes this page") && page.ends_with("| a |\n"));
/// ```
pub fn page(title: &str, target: &str, explained: &str, text: &str) -> String {
    format!(
        "# {title}\n\n`make {target}` writes this page; `{explained}` says what it means. Files and lines are those of the run.\n\n{}\n",
        text.trim_end()
    )
}

/// What stands before a section and what after it.
pub fn marks(name: &str) -> [String; 2] {
    [format!("<!-- {name}:begin -->"), format!("<!-- {name}:end -->")]
}

/// `document` with the text of a section replaced. `Err` says which marks it has not.
pub fn splice(document: &str, name: &str, text: &str) -> Result<String, String> {
    let [begin, end] = marks(name);
    let parts = document.split_once(&begin).and_then(|(head, rest)| Some((head, rest.split_once(&end)?.1)));
    let (before, after) = parts.ok_or_else(|| format!("has no `{begin}` and `{end}`"))?;
    Ok(format!("{before}{begin}\n{}\n{end}{after}", text.trim_end()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_between_the_marks_changes() {
        let [begin, end] = marks("proofs");
        let document = format!("a\n{begin}\nold\n{end}\nb\n");
        assert_eq!(splice(&document, "proofs", "new\n"), Ok(format!("a\n{begin}\nnew\n{end}\nb\n")));
        let refused = "has no `<!-- proofs:begin -->` and `<!-- proofs:end -->`";
        assert_eq!(splice("a\nb\n", "proofs", "new\n"), Err(refused.into()));
    }
}
