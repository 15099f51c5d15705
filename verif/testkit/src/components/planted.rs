//! A module planted in the place of the one of its name, for every bench of this thread: tests of the tests.

use crate::mutate;
use loom_hdl::ir::Module;
use std::cell::RefCell;
use std::sync::Arc;

thread_local! {
    static PLANTED: RefCell<Option<Arc<Module>>> = const { RefCell::new(None) };
}

/// Runs a check with the module planted.
pub fn with<R>(module: &Arc<Module>, check: impl FnOnce() -> R) -> R {
    /// Taken out again when a check panics, too.
    struct Out;
    impl Drop for Out {
        fn drop(&mut self) {
            PLANTED.with(|p| *p.borrow_mut() = None);
        }
    }
    PLANTED.with(|p| *p.borrow_mut() = Some(module.clone()));
    let _out = Out;
    check()
}

/// What a bench runs when it is to run the module.
pub fn planted(module: &Arc<Module>) -> Arc<Module> {
    PLANTED.with(|p| match &*p.borrow() {
        Some(other) => mutate::replaced(module, other),
        None => module.clone(),
    })
}

/// Makes tests of functions that are called by name, too.
macro_rules! tests {
    ($($name:ident)*) => {
        #[cfg(test)]
        mod as_tests {
            $( #[test] fn $name() { super::$name(); } )*
        }
    };
}
pub(crate) use tests;

#[test]
fn a_planted_mistake_is_noticed() {
    let control = loom_hdl::leaf::carry_control();
    let mutant = mutate::mutants(&control).into_iter().find(|m| m.what.contains("d_ready: Or becomes And"));
    let mutant = mutant.expect("`d_ready` is an `or`");
    let check = || super::leaves::carry(0);
    check();
    assert!(std::panic::catch_unwind(|| with(&mutant.module, check)).is_err());
    check();
}
