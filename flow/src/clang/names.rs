//! Names of functions as C++ writes them: `int a::sq<int>(int)`, `a::(anonymous namespace)::f(int)`, `a::S::operator()(int) const`.

/// A name taken apart: what stands before the parameters, without the type of the result, and the parameters with what follows.
#[derive(Clone, Copy, Debug)]
struct Parts<'a> {
    head: &'a str,
    parameters: &'a str,
}

const ANONYMOUS: &str = "(anonymous namespace)";
const OPERATOR: &str = "operator";

/// How many bytes from here on are the name of an operator.
fn operator(rest: &str) -> Option<usize> {
    let symbol = rest.strip_prefix(OPERATOR)?;
    let length = match symbol.chars().next()? {
        '(' | '[' => 2,
        // A conversion, or `new`.
        ' ' => symbol.find('(')?,
        c if c.is_alphanumeric() || c == '_' => return None,
        _ => symbol.find(|c: char| !"<>=!+-*/%^&|~,".contains(c))?,
    };
    Some(OPERATOR.len() + length)
}

fn parts(full: &str) -> Parts<'_> {
    let (mut at, mut start, mut depth) = (0, 0, 0u32);
    let mut before = ' ';
    while let Some(c) = full[at..].chars().next() {
        let rest = &full[at..];
        let is_start = !(before.is_alphanumeric() || before == '_');
        let skipped = match rest.starts_with(ANONYMOUS) {
            true => Some(ANONYMOUS.len()),
            false => operator(rest).filter(|_| is_start),
        };
        match c {
            _ if skipped.is_some() => {}
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            ' ' if depth == 0 && !rest.starts_with(" <") => start = at + 1,
            '(' if depth == 0 => return Parts { head: &full[start..at], parameters: rest },
            _ => {}
        }
        at += skipped.filter(|&n| rest.is_char_boundary(n)).unwrap_or(c.len_utf8());
        before = c;
    }
    // A symbol of C is a name as it is.
    Parts { head: full, parameters: "" }
}

/// Without arguments of templates.
fn without_arguments(head: &str) -> String {
    let (mut out, mut at, mut depth) = (String::new(), 0, 0u32);
    while let Some(c) = head[at..].chars().next() {
        let length = operator(&head[at..]).filter(|_| depth == 0).unwrap_or(c.len_utf8());
        match c {
            '<' if length == 1 => depth += 1,
            '>' if length == 1 => depth = depth.saturating_sub(1),
            _ if depth == 0 => out.push_str(&head[at..at + length]),
            _ => {}
        }
        at += length;
    }
    out.trim_end().to_string()
}

/// `ns::f` of `int ns::f<int>(int*)`.
pub(super) fn plain_name(full: &str) -> String {
    without_arguments(parts(full).head)
}

/// `f` of it.
pub(super) fn last_name(full: &str) -> String {
    let plain = plain_name(full);
    plain.rsplit("::").next().unwrap_or(&plain).to_string()
}

/// Whether a user may mean a function by a name: with or without its parameters, the arguments of its template, and the
/// namespaces around it.
pub(super) fn is_meant(full: &str, name: &str) -> bool {
    let Parts { head, parameters } = parts(full);
    let named = |text: &str| text.replace(&format!("{ANONYMOUS}::"), "");
    // What is in a function, a lambda say, is no function of its name.
    let is_inside = named(parameters).contains(")::");
    let list = parameters.rfind(')').map_or(parameters, |end| &parameters[..=end]);
    let name = named(name);
    let ends_so = |text: String| {
        let before = text.strip_suffix(&name);
        before.is_some_and(|b| b.is_empty() || b.ends_with("::"))
    };
    let heads = [named(head), named(&without_arguments(head))];
    let tails = ["", list, parameters];
    full == name
        || named(full) == name
        || !is_inside && heads.iter().any(|h| tails.iter().any(|t| ends_so(format!("{h}{t}"))))
}

/// The symbols of C++ in a message, which stand between backticks.
pub(super) fn symbols(message: &str) -> Vec<String> {
    message.split('`').filter(|part| part.starts_with("_Z")).map(str::to_string).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_apart() {
        for (full, plain, last) in [
            ("main", "main", "main"),
            ("a::over(int)", "a::over", "over"),
            ("a::(anonymous namespace)::twice(int)", "a::(anonymous namespace)::twice", "twice"),
            ("int a::sq<int>(int)", "a::sq", "sq"),
            ("a::S::operator()(int) const", "a::S::operator()", "operator()"),
            ("bool operator< <int>(V<int> const&, V<int> const&)", "operator<", "operator<"),
            ("V<int>::operator int() const", "V::operator int", "operator int"),
            ("unsigned long std::V<int, std::A<int> >::at(void (*)(int))", "std::V::at", "at"),
            ("fooperator(int)", "fooperator", "fooperator"),
            ("naïve::é(int)", "naïve::é", "é"),
            ("(", "", ""),
            ("operator", "operator", "operator"),
        ] {
            assert_eq!((&plain_name(full)[..], &last_name(full)[..]), (plain, last), "{full}");
        }
    }

    #[test]
    fn a_function_is_meant_by_what_tells_it_from_others() {
        let full = "int a::(anonymous namespace)::sq<int>(int) const";
        for name in [
            full,
            "sq",
            "sq<int>",
            "sq(int)",
            "a::sq<int>(int) const",
            "a::(anonymous namespace)::sq",
            "(anonymous namespace)::sq<int>(int)",
        ] {
            assert!(is_meant(full, name), "{name}");
        }
        for name in ["q", "sq<float>", "b::sq", "sq(float)", "", "a"] {
            assert!(!is_meant(full, name), "{name}");
        }
        let lambda = "va(int*, int)::$_0::operator()(int) const";
        assert!(is_meant("va(int*, int)", "va") && is_meant(lambda, lambda) && !is_meant(lambda, "va"));
    }
}
