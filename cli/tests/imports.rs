//! No files of a crate import each other in a circle, but where one of them says that they "name each other", and why. Every file of
//! tests is run.

use crate::common::root;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Files below `folder`, by the path of their module; the crate's root is called nothing.
fn modules(source: &Path, folder: &Path, found: &mut BTreeMap<Vec<String>, String>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            modules(source, &path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            let name = path.strip_prefix(source).expect("below it").with_extension("");
            let mut name: Vec<String> = name.iter().map(|p| p.to_string_lossy().into_owned()).collect();
            if name.last().is_some_and(|n| matches!(n.as_str(), "mod" | "lib" | "main")) {
                name.pop();
            }
            found.insert(name, std::fs::read_to_string(&path).expect("text"));
        }
    }
}

/// The paths that a piece of code names, braces taken apart; `after` stands before them.
fn paths(code: &str, after: &[String], found: &mut Vec<Vec<String>>) {
    let mut path = after.to_vec();
    let end = code.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')).unwrap_or(code.len());
    path.extend(code[..end].split("::").filter(|p| !p.is_empty()).map(String::from));
    let Some(list) = code[end..].strip_prefix('{').filter(|_| code[..end].ends_with("::") || end == 0) else {
        found.push(path);
        return;
    };
    let (mut depth, mut start) = (0, 0);
    for (i, c) in list.char_indices() {
        match c {
            ',' | '}' if depth == 0 => {
                paths(list[start..i].trim(), &path, found);
                start = i + 1;
                if c == '}' {
                    return;
                }
            }
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
    }
}

/// The other files of the crate that one names, tests aside.
fn named(module: &[String], text: &str, all: &BTreeMap<Vec<String>, String>) -> BTreeSet<Vec<String>> {
    let code = text.split("#[cfg(test)]").next().unwrap_or(text);
    let code: Vec<&str> = code.lines().map(|l| l.split("//").next().unwrap_or(l)).collect();
    let code = code.join("\n");
    let mut found = Vec::new();
    for start in ["crate::", "super::", "self::"] {
        for (at, _) in code.match_indices(start) {
            // `super::super::x` is found at its beginning; what is part of another name is none.
            if !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':') {
                paths(&code[at..], &[], &mut found);
            }
        }
    }
    let absolute = |path: Vec<String>| {
        let mut at: Vec<String> = if path[0] == "crate" { Vec::new() } else { module.to_vec() };
        for part in path.iter().filter(|p| *p != "crate" && *p != "self") {
            match part.as_str() {
                "super" => drop(at.pop()),
                part => at.push(part.to_string()),
            }
        }
        // What a path names is the file that holds it.
        while !all.contains_key(&at) {
            at.pop();
        }
        at
    };
    found.into_iter().map(absolute).filter(|file| !file.is_empty() && file != module).collect()
}

/// The folders of the workspace's crates.
fn members() -> Vec<PathBuf> {
    let list = std::fs::read_to_string(root().join("Cargo.toml")).expect("Cargo.toml");
    let members = list.split("members = [").nth(1).and_then(|l| l.split(']').next()).expect("a workspace");
    let members: Vec<PathBuf> = members.split('"').skip(1).step_by(2).map(|m| root().join(m)).collect();
    assert!(members.len() > 10);
    members
}

#[test]
fn no_files_import_each_other_in_a_circle() {
    for member in members() {
        let source = member.join("src");
        let mut all = BTreeMap::new();
        modules(&source, &source, &mut all);
        let mut edges: BTreeMap<&Vec<String>, BTreeSet<Vec<String>>> =
            all.iter().map(|(module, text)| (module, named(module, text, &all))).collect();
        // Files that name nothing more, or argue for their circle, are taken away until none is left.
        let argued = |m: &Vec<String>| all[m].contains("name each other");
        edges.retain(|m, _| !argued(m));
        loop {
            let left: BTreeSet<Vec<String>> = edges.keys().map(|m| m.to_vec()).collect();
            edges.retain(|_, to| to.iter().any(|t| left.contains(t)));
            if edges.len() == left.len() {
                break;
            }
        }
        assert!(edges.is_empty(), "circles in {}, or ways to one: {edges:#?}", member.display());
    }
}

/// Cargo finds no tests by itself where a crate has them in one binary (`tests/all.rs`).
#[test]
fn every_file_of_tests_is_part_of_a_binary() {
    for member in members().into_iter().filter(|m| m.join("tests/all.rs").is_file()) {
        let read = |name: &str| std::fs::read_to_string(member.join(name)).expect("text");
        let (all, package) = (read("tests/all.rs"), read("Cargo.toml"));
        for entry in std::fs::read_dir(member.join("tests")).expect("a folder") {
            let path = entry.expect("an entry").path();
            let is_module = path.extension().is_some_and(|e| e == "rs") || path.join("mod.rs").is_file();
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            let runs =
                all.contains(&format!("mod {name};")) || package.contains(&format!("name = \"{name}\""));
            assert!(!is_module || runs, "{} is in no binary", path.display());
        }
    }
}
