//! What the importer loses and `.ll` text says: which functions are defined, how their arguments are called, and which
//! carry the mark of `loom.h`.

use crate::text::Place;
use loom_mlir::unquote;

/// The annotation of a marked function.
pub(crate) const MARK: &str = "loom.accel";

/// A function that is defined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Defined {
    /// Its symbol, mangled in C++.
    pub symbol: String,
    /// Names of its arguments; empty where there is none.
    pub arguments: Vec<String>,
    /// Whether `LOOM_ACCEL` stands before it.
    pub marked: bool,
}

/// The functions that a module defines, in order.
pub fn defined(ll: &str) -> Vec<Defined> {
    let marked = marked(ll);
    ll.lines()
        .filter(|line| line.starts_with("define "))
        .filter_map(|line| {
            let (symbol, rest) = name_of(line)?;
            let arguments = top_level(rest.strip_prefix('(')?);
            let name = |a: &str| {
                a.rsplit([' ', ')']).next()?.strip_prefix('%').map(|n| n.trim_matches('"').to_string())
            };
            // A number is no name.
            let named = |a: &str| name(a).filter(|n| n.parse::<u32>().is_err()).unwrap_or_default();
            Some(Defined {
                marked: marked.contains(&symbol),
                arguments: arguments.iter().map(|a| named(a)).collect(),
                symbol,
            })
        })
        .collect()
}

/// The names in C of a function's local variables, in the order in which it has them; empty where the compiler made one of its own.
pub fn variables(ll: &str, symbol: &str) -> Vec<String> {
    let is_start = |line: &&str| {
        let defined = line.strip_prefix("define ").and_then(name_of);
        defined.is_some_and(|(name, _)| name == symbol)
    };
    let body = ll.lines().skip_while(|line| !is_start(line)).take_while(|line| *line != "}");
    let allocated = body.filter_map(|line| line.trim_start().strip_prefix('%')?.split_once(" = alloca "));
    let named = |(name, _): (&str, &str)| {
        // What is inlined has a number of its own behind a dot, and a temporary of the compiler a word.
        let own = ["ref.tmp", "agg.tmp", "coerce", "retval", "saved_stack", "byval-temp"];
        let (head, _) = name.split_once('.').unwrap_or((name, ""));
        let is_name = head.starts_with(|c: char| c.is_ascii_alphabetic())
            && head.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && !own.iter().any(|own| name.starts_with(own));
        if is_name {
            head.to_string()
        } else {
            String::new()
        }
    };
    allocated.map(named).collect()
}

/// The functions that a module declares and does not define.
pub fn declared(ll: &str) -> impl Iterator<Item = String> + '_ {
    ll.lines().filter(|l| l.starts_with("declare ")).filter_map(|l| Some(name_of(l)?.0))
}

/// The text with static functions and instances of templates as ordinary ones: a pass drops those that nobody calls any
/// more, and the chosen one may be among them. Which functions others see is decided by `internalize`.
pub fn kept(ll: &str) -> String {
    ll.lines().fold(String::with_capacity(ll.len()), |mut out, line| {
        let dropped = ["define internal ", "define linkonce_odr "].iter().find_map(|d| line.strip_prefix(*d));
        match dropped {
            Some(rest) => out.extend(["define ", rest, "\n"]),
            None => out.extend([line, "\n"]),
        }
        out
    })
}

/// Whether a function of the module calls itself.
pub fn calls_itself(ll: &str) -> bool {
    let mut own = String::new();
    ll.lines().any(|line| {
        if let Some((symbol, _)) = line.strip_prefix("define ").and_then(name_of) {
            own = symbol;
            return false;
        }
        let called = line.split_once("call ").and_then(|(_, call)| name_of(call));
        called.is_some_and(|(symbol, rest)| symbol == own && rest.starts_with('('))
    })
}

/// The symbol that a line defines or declares, and what follows it.
pub(crate) fn name_of(line: &str) -> Option<(String, &str)> {
    symbol(line.split_once('@')?.1)
}

/// The globals that a module has, whether it defines them or not.
pub fn globals(ll: &str) -> impl Iterator<Item = String> + '_ {
    ll.lines().filter(|l| l.starts_with('@')).filter_map(|l| Some(name_of(l)?.0))
}

/// The functions and globals of a module that no other one sees.
pub fn internal(ll: &str) -> impl Iterator<Item = String> + '_ {
    let is_internal =
        |l: &&str| l.starts_with("define internal ") || l.starts_with('@') && l.contains(" = internal ");
    ll.lines().filter(is_internal).filter_map(|l| Some(name_of(l)?.0))
}

/// A symbol after its `@`, and what follows it.
pub(crate) fn symbol(text: &str) -> Option<(String, &str)> {
    if let Some(quoted) = text.strip_prefix('"') {
        let (name, rest) = quoted.split_once('"')?;
        return Some((unquote(name), rest));
    }
    let end = text.find(|c: char| !(c.is_alphanumeric() || "_.$-".contains(c))).unwrap_or(text.len());
    (end > 0).then(|| (text[..end].to_string(), &text[end..]))
}

/// The parts between commas up to the bracket that closes the list.
pub(crate) fn top_level(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut depth = 0;
    for c in text.chars() {
        match c {
            '(' | '[' | '{' | '<' => depth += 1,
            ')' if depth == 0 => break,
            ')' | ']' | '}' | '>' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        parts.last_mut().expect("never empty").push(c);
    }
    parts.retain(|p| !p.trim().is_empty());
    parts.into_iter().map(|p| p.trim().to_string()).collect()
}

/// Functions of the C library that are intrinsics of LLVM, but not of its dialect in MLIR.
const NOT_IMPORTED: &[&str] = &["tan", "asin", "acos", "atan", "sinh", "cosh", "tanh"];

/// The module with the library's own function in the place of each intrinsic that the importer does not know.
pub fn importable(ll: &str) -> String {
    let types = [("f32", "f"), ("f64", "")];
    let mut out = ll.to_string();
    for (name, (ty, end)) in NOT_IMPORTED.iter().flat_map(|n| types.map(|t| (n, t))) {
        let (intrinsic, function) = (format!("@llvm.{name}.{ty}("), format!("@{name}{end}("));
        if !out.contains(&intrinsic) {
            continue;
        }
        // A function may be declared once.
        let declares = |l: &str, what: &str| l.starts_with("declare ") && l.contains(what);
        let known = out.lines().any(|l| declares(l, &function));
        let kept = out.lines().filter(|l| !(known && declares(l, &intrinsic)));
        out = kept.map(|l| l.replace(&intrinsic, &function) + "\n").collect();
    }
    out
}

/// Where inline assembly stands, which the importer would stop at without a place.
pub(crate) fn assembly(ll: &str) -> Vec<Option<Place>> {
    let calls = ll.lines().filter(|l| l.starts_with("  ") && l.contains("call "));
    calls
        .filter(|line| line.split('(').next().is_some_and(|head| head.contains(" asm ")))
        .map(|line| {
            let (_, id) = line.rsplit_once("!dbg ")?;
            debug_place(ll, id.split(',').next().unwrap_or(id).trim())
        })
        .collect()
}

/// Where the jumps to addresses of labels stand (`goto *p`), which the importer stops at. Those of a function share one, which has no place of
/// its own: the first jump to its block has.
pub(crate) fn computed_jumps(ll: &str) -> Vec<Option<Place>> {
    let (mut jumps, mut label, mut out): (Vec<&str>, _, _) = (Vec::new(), "", Vec::new());
    for line in ll.lines() {
        if line.starts_with("define ") {
            jumps.clear();
        }
        if let Some((name, _)) = line.split_once(':').filter(|_| !line.starts_with([' ', '!', '@', ';'])) {
            label = name;
        }
        if line.starts_with("  br ") {
            jumps.push(line);
        }
        if line.starts_with("  indirectbr ") {
            let leads = |jump: &&&str| {
                let (_, to) = jump.split_once(&format!("label %{label}")).unwrap_or((jump, "."));
                to.is_empty() || to.starts_with(',')
            };
            let all = jumps.iter().filter(leads).chain([&line]);
            let mut ids = all.filter_map(|l| l.rsplit_once("!dbg ")?.1.split(',').next());
            out.push(ids.find_map(|id| debug_place(ll, id.trim()).filter(|place| place.line > 0)));
        }
    }
    out
}

/// `!12 = !DILocation(line: 5, column: 9, scope: !8)`: the file is that of the scope.
pub(crate) fn debug_place(ll: &str, id: &str) -> Option<Place> {
    let definition = |id: &str| ll.lines().find_map(|l| l.strip_prefix(id)?.strip_prefix(" = "));
    let field = |text: &str, name: &str| -> Option<String> {
        let value = text.split_once(&format!("{name}: "))?.1;
        Some(value.split([',', ')']).next()?.to_string())
    };
    let location = definition(id)?;
    let [line, column] = ["line", "column"].map(|n| field(location, n).and_then(|v| v.parse().ok()));
    let mut scope = field(location, "scope")?;
    for _ in 0..60 {
        let text = definition(&scope)?;
        if let Some(file) = field(text, "file") {
            let file = field(definition(&file)?, "filename")?;
            let file = file.trim_matches('"').to_string();
            return Some(Place { file, line: line?, column: column?, caller: None });
        }
        scope = field(text, "scope")?;
    }
    None
}

fn marked(ll: &str) -> Vec<String> {
    let Some(line) = ll.lines().find(|l| l.starts_with("@llvm.global.annotations = ")) else {
        return Vec::new();
    };
    annotations(line, ll).into_iter().filter(|(_, text)| text == MARK).map(|(function, _)| function).collect()
}

/// What is annotated, and with which text.
pub(crate) fn annotations(line: &str, ll: &str) -> Vec<(String, String)> {
    let text_of = |name: &str| {
        let definition = ll.lines().find_map(|l| l.strip_prefix('@')?.strip_prefix(name)?.strip_prefix(" ="));
        Some(definition?.split_once("c\"")?.1.split_once("\\00\"")?.0.to_string())
    };
    // Each entry begins with what is annotated and the annotation's text.
    let entries = line.split("{ ptr @").skip(1);
    entries
        .filter_map(|entry| {
            let (function, rest) = symbol(entry)?;
            let (text, _) = symbol(rest.split_once('@')?.1)?;
            Some((function, text_of(&text)?))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_intrinsics_become_calls_that_are_declared_once() {
        let ll = "  %a = call float @llvm.tanh.f32(float %x)\n  %b = call float @tanhf(float %a)\n\
            declare float @llvm.tanh.f32(float) #1\ndeclare float @tanhf(float)\n\
            declare double @llvm.tan.f64(double)\n";
        let want = "  %a = call float @tanhf(float %x)\n  %b = call float @tanhf(float %a)\n\
            declare float @tanhf(float)\ndeclare double @tan(double)\n";
        assert_eq!(importable(ll), want);
    }

    #[test]
    fn a_call_of_the_function_around_it_is_one_of_itself() {
        let of = |called: &str| {
            format!(
                "define i32 @f(i32 %n) {{\n  %r = call i32 @{called}(i32 %n)\n}}\ndefine void @g() {{\n}}\n"
            )
        };
        assert!(calls_itself(&of("f")));
        assert!(!calls_itself(&of("g")) && !calls_itself(&of("f2")));
    }

    #[test]
    fn variables_are_called_as_in_the_source() {
        let ll = "define void @g() {\n  %z = alloca i32\n}\ndefine i32 @f(ptr %p) {\nentry:\n  %a = alloca [4 x i32], align 16\n  \
                  %b.i = alloca i32\n  %ref.tmp = alloca i32\n  %7 = alloca i32\n  %c = add i32 1, 2\n}\n";
        assert_eq!(variables(ll, "f"), ["a", "b", "", ""]);
        assert!(variables(ll, "h").is_empty());
    }

    #[test]
    fn functions_arguments_and_marks_are_found() {
        let ll = "@.str = private unnamed_addr constant [11 x i8] c\"loom.accel\\00\", section \"llvm.metadata\"\n\
            @llvm.global.annotations = appending global [1 x { ptr, ptr }] [{ ptr, ptr } { ptr @f, ptr @.str }]\n\
            define dso_local i32 @f(ptr noalias byval(%struct.s) align 8 %a, i32 %0) #0 {\n\
            define internal void @\"g\\0Ah\"() {\n";
        let found = defined(ll);
        assert_eq!(found.len(), 2);
        assert_eq!((&found[0].symbol[..], found[0].marked), ("f", true));
        assert_eq!(found[0].arguments, ["a", ""]);
        assert_eq!((&found[1].symbol[..], found[1].marked, found[1].arguments.len()), ("g\nh", false, 0));
    }
}
