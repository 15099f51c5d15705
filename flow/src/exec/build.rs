//! A program for this machine whose chosen functions hand their calls over.
//!
//! Each source is compiled as the user's compiler would, but stops before LLVM's passes: there the bodies of the chosen
//! functions are replaced by stubs ([`loom_llvm::stub`]), so that nothing of them is inlined or guessed. Then the rest is
//! optimised and linked with `runtime.c`.

use crate::clang::{self, ClangError, Request};
use crate::codes;
use loom_base::{Diagnostic, Diagnostics};
use loom_llvm::listing;
use loom_llvm::stub::{self, Stub, Unfit};
use std::path::{Path, PathBuf};
use std::process::Command;

const RUNTIME: &str = include_str!("runtime.c");

/// Builds the program in a folder; gives its path. `link` are libraries beside the mathematical one.
pub(super) fn build(
    request: &Request,
    stubs: &[Stub],
    link: &[String],
    folder: &Path,
) -> Result<PathBuf, ClangError> {
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        let written = std::fs::write(&path, text).map(|()| path);
        written.map_err(|e| clang::failed(format!("a temporary file cannot be written: {e}")))
    };
    write("loom.h", clang::HEADER)?;
    let compiler = clang::CLANG.find()?;
    let mut parts = Vec::new();
    for (i, file) in request.files.iter().enumerate() {
        let part = folder.join(format!("host{i}.ll"));
        let mut command = Command::new(&compiler);
        // The warnings were shown when the functions were compiled.
        command.args(["-O1", "-w", "-S", "-emit-llvm", "-Xclang", "-disable-llvm-passes"]);
        command.args(request.flags(file)).arg("-I").arg(folder).arg(file).arg("-o").arg(&part);
        let ran = clang::run(&mut command, folder)?;
        if !ran.status.success() {
            let message = format!("clang does not accept `{}` for this machine", file.display());
            return Err(clang::not_accepted(ran.said, message));
        }
        parts.push(clang::read(&part)?);
    }
    has_main(&parts)?;
    for stub in stubs {
        put(stub, &mut parts)?;
    }
    let mut objects = vec![write("runtime.c", RUNTIME)?];
    for (i, part) in parts.iter().enumerate() {
        objects.push(write(&format!("host{i}.ll"), part)?);
    }
    for object in &mut objects {
        let source = std::mem::replace(object, object.with_extension("o"));
        let mut command = Command::new(&compiler);
        command.args(["-O2", "-w", "-c"]).arg(source).arg("-o").arg(&*object);
        linked(&mut command, folder)?;
    }
    let program = folder.join("program");
    let mut command = Command::new(&compiler);
    if request.files.iter().any(|f| clang::is_cpp(f)) {
        command.arg("--driver-mode=g++");
    }
    command.args(&objects).arg("-o").arg(&program).args(["-pthread", "-lm"]);
    command.args(link.iter().map(|l| format!("-l{l}")));
    linked(&mut command, folder)?;
    Ok(program)
}

fn linked(command: &mut Command, folder: &Path) -> Result<(), ClangError> {
    let ran = clang::run(command, folder)?;
    match ran.status.success() {
        true => Ok(()),
        false => {
            let help = "give all files of the program, and its libraries by `--link`";
            let diagnostic = Diagnostic::error(codes::PROGRAM, "the program does not link")
                .note(ran.said.trim().to_string())
                .help(help);
            Err(vec![diagnostic].into())
        }
    }
}

fn has_main(parts: &[String]) -> Result<(), Diagnostics> {
    if parts.iter().any(|p| listing::defined(p).iter().any(|d| d.symbol == "main")) {
        return Ok(());
    }
    Err(vec![Diagnostic::error(codes::PROGRAM, "no file defines `main`")
        .help("give all files of the program: the first one, then the others")])
}

/// Puts a stub into every file that defines its function. Where linking renamed one of two things of a name, nobody knows
/// which of them is meant.
fn put(stub: &Stub, parts: &mut [String]) -> Result<(), Diagnostics> {
    let refuse = |message: String, help: &str| {
        Err(vec![Diagnostic::error(codes::PROGRAM, message).help(help.to_string())])
    };
    for name in stub.globals().chain([stub.symbol]) {
        let homes = parts.iter().filter(|p| listing::internal(p).any(|n| n == name)).count();
        let known = parts.iter().any(|p| {
            listing::globals(p).any(|n| n == name) || listing::defined(p).iter().any(|d| d.symbol == name)
        });
        if homes > 1 || !known {
            let plain = name.split_once('.').map_or(name, |(plain, _)| plain);
            let message = match name == stub.symbol {
                true => format!("two files have a static function `{plain}` each"),
                false => format!("two files have a static `{plain}` each, and `{}` uses one", stub.symbol),
            };
            return refuse(message, "give the two different names");
        }
    }
    let mut found = false;
    for i in 0..parts.len() {
        match stub::replace(&parts[i], stub) {
            Ok(text) => parts[i] = text,
            Err(Unfit::Absent) => continue,
            Err(Unfit::Type(ty)) => {
                let message = format!("`{}` takes or returns a value of type `{ty}`", stub.symbol);
                return refuse(message, "take numbers and pointers to arrays, and return numbers");
            }
        }
        found = true;
        let hidden = |name: &&str| {
            let elsewhere = |(k, p): (usize, &String)| k != i && listing::internal(p).any(|n| n == *name);
            parts.iter().enumerate().any(elsewhere)
        };
        if let Some(name) = stub.globals().find(hidden) {
            let message = format!("`{}` reaches the static `{name}` of another file", stub.symbol);
            return refuse(message, "make it known to both files, without `static`");
        }
    }
    match found {
        true => Ok(()),
        false => refuse(
            format!("no file defines `{}` for callers outside of it", stub.symbol),
            "leave out `inline`, or make it `static inline`",
        ),
    }
}
