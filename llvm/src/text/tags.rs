//! Types of accesses: the tags by which clang says which type a load or a store has in C (type-based alias analysis).
//!
//! ```mlir
//! #tbaa_type_desc = #llvm.tbaa_type_desc<id = "omnipotent char", members = {<#tbaa_root, 0>}>
//! #tbaa_type_desc1 = #llvm.tbaa_type_desc<id = "float", members = {<#tbaa_type_desc, 0>}>
//! #tbaa_tag1 = #llvm.tbaa_tag<base_type = #tbaa_type_desc1, access_type = #tbaa_type_desc1, offset = 0>
//! ```
//!
//! Of an access to a field the type of the field is what counts. Whatever else a tag says, and characters, may be anything.

use super::{Attr, Op};
use std::collections::BTreeMap;

/// The type that may be any other.
const ANY: &str = "omnipotent char";

/// Gives each access its type. `aliases` are the attributes that stand at the top, as they are written.
pub(super) fn resolve(ops: &mut [Op], aliases: &BTreeMap<String, String>) {
    for op in ops {
        op.accessed = accessed(op, aliases);
        for block in op.regions.iter_mut().flatten() {
            resolve(&mut block.ops, aliases);
        }
    }
}

/// The type of an access with one tag, where it is apart from all others.
fn accessed(op: &Op, aliases: &BTreeMap<String, String>) -> Option<String> {
    let Some(Attr::List(tags)) = op.attribute("tbaa") else { return None };
    let [Attr::Other(tag)] = &tags[..] else { return None };
    let named = |reference: &str| aliases.get(reference.strip_prefix('#')?);
    let ty = named(value(named(tag)?, "access_type = ")?)?;
    let kind = quoted(ty)?;
    let above = quoted(named(value(ty, "members = {<")?)?)?;
    (kind != ANY && above == ANY).then(|| kind.to_string())
}

/// What stands behind a key, to the next mark.
fn value<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(key)?;
    rest.split([',', '>']).next()
}

/// The name of a type.
fn quoted(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("id = \"")?;
    Some(rest.split_once('"')?.0)
}

#[cfg(test)]
mod tests {
    use super::super::{read, Op};

    /// The types of three accesses: of an array, of a field, of bytes.
    fn accessed(aliases: &str, tags: [&str; 3]) -> Vec<Option<String>> {
        let loads = tags.map(|tag| format!("%1 = \"llvm.load\"(%0) <{{{tag}}}> : (!llvm.ptr) -> i32\n"));
        let text = format!("{aliases}\n\"builtin.module\"() ({{\n{}}}) : () -> ()", loads.concat());
        let ops: Vec<Op> = read(&text).expect("it is what the importer writes");
        ops.into_iter().map(|op| op.accessed).collect()
    }

    #[test]
    fn the_type_of_an_access_is_that_of_its_field() {
        let aliases = "#root = #llvm.tbaa_root<id = \"Simple C/C++ TBAA\">\n\
            #char = #llvm.tbaa_type_desc<id = \"omnipotent char\", members = {<#root, 0>}>\n\
            #float = #llvm.tbaa_type_desc<id = \"float\", members = {<#char, 0>}>\n\
            #int = #llvm.tbaa_type_desc<id = \"int\", members = {<#char, 0>}>\n\
            #vtable = #llvm.tbaa_type_desc<id = \"vtable pointer\", members = {<#root, 0>}>\n\
            #pair = #llvm.tbaa_type_desc<id = \"pair\", members = {<#float, 0>, <#int, 4>}>\n\
            #tag = #llvm.tbaa_tag<base_type = #int, access_type = #int, offset = 0>\n\
            #tag1 = #llvm.tbaa_tag<base_type = #pair, access_type = #float, offset = 0>\n\
            #tag2 = #llvm.tbaa_tag<base_type = #char, access_type = #char, offset = 0>\n\
            #tag3 = #llvm.tbaa_tag<base_type = #vtable, access_type = #vtable, offset = 0>";
        let some = |name: &str| Some(name.to_string());
        let of = |tags| accessed(aliases, tags);
        assert_eq!(
            of(["tbaa = [#tag]", "tbaa = [#tag1]", "tbaa = [#tag2]"]),
            [some("int"), some("float"), None]
        );
        assert_eq!(of(["tbaa = [#tag3]", "tbaa = [#tag, #tag1]", "alignment = 4 : i64"]), [None, None, None]);
        assert_eq!(of(["tbaa = [#none]", "tbaa = [1]", "tbaa = []"]), [None, None, None]);
    }
}
