//! Which way a program is compiled so that it maps, and runs in few cycles there: for speed or for room.
//!
//! [`fit`] is the one place that decides it, for every command that maps: for speed, on the fabric that was named or on the
//! smallest, and for room ([`Aim::Room`]). Fewer units and lanes are shorter ways, so that what is compiled for room is at times the faster
//! of the two; where the mapper's expected cycles can be held against each other ([`is_faster`]), they decide, elsewhere speed comes
//! first, unless that fails for something that less of everything may mend. Only what maps neither way on the usual fabrics is tried
//! on the large ones ([`load::default_groups`]): programs that map for room on 8 by 8 tiles or less take fewer cycles there than for
//! speed on 12 by 12. Both are searched at once, each on a thread: neither depends on the other. Who names an aim gets that one.
//! Errors are those of the first way on the last fabric, with what stands against the second in a note.

use crate::exec::Function;
use crate::fitted::{is_faster, Fitted};
use crate::load::{self, Kernel};
use crate::smallest::{another_may_do, in_short, size, smallest};
use loom_adg::Fabric;
use loom_base::{Diagnostic, Diagnostics};
use loom_dfg::Graph;
use loom_front::compile::{Aim, CompileOptions};
use loom_map::MapOptions;
use std::panic::resume_unwind;
use std::sync::Mutex;

/// How much fewer cycles what is compiled for room must take to be chosen: expected cycles are not exact.
const FEWER: f64 = 0.98;

/// Puts a program that was compiled for an aim onto a fabric.
pub type PlaceFor<'a, T> = &'a (dyn Fn(&Fabric, &MapOptions, Aim) -> Result<T, Diagnostics> + Sync);

/// What `place` makes of a program, and what it was compiled for. `aim` is the only one to try, where one is named, and `named` the
/// only fabric. An error of `place` without a diagnostic says that there is nothing to try ([`compile`]).
pub fn fit<T: Fitted + Send>(
    aim: Option<Aim>,
    named: Option<&Fabric>,
    options: &MapOptions,
    place: PlaceFor<T>,
) -> Result<(T, Aim), Diagnostics> {
    if let Some(fabric) = named {
        return either(aim, &|aim| place(fabric, options, aim));
    }
    let (first, lacks, mut last) = (aim.unwrap_or_default(), Mutex::new(Vec::new()), Vec::new());
    for group in load::default_groups() {
        let made = either(aim, &|aim| {
            let mut of_aim = Vec::new();
            let made =
                smallest(&group, options, &mut of_aim, &mut |fabric, options| place(fabric, options, aim));
            // Notes are of the first way, as the message is.
            if aim == first {
                lacks.lock().expect("no thread ends in between").append(&mut of_aim);
            }
            made
        });
        match made {
            Ok(made) => return Ok(made),
            Err(why) if !another_may_do(&why) => return Err(why),
            Err(why) => last = why,
        }
    }
    let mut lacks = lacks.into_inner().expect("no thread ended in between");
    // The last one's is the message itself.
    lacks.pop();
    if let Some(first) = last.first_mut() {
        lacks.into_iter().for_each(|n| *first = first.clone().note(n));
    }
    Err(last)
}

/// For the aim that is named, or for that of speed and room which maps; of both the faster one.
fn either<T: Fitted + Send>(
    aim: Option<Aim>,
    place: &(dyn Fn(Aim) -> Result<T, Diagnostics> + Sync),
) -> Result<(T, Aim), Diagnostics> {
    if let Some(aim) = aim {
        return place(aim).map(|made| (made, aim));
    }
    let (speed, room) = std::thread::scope(|scope| {
        let room = scope.spawn(|| place(Aim::Room));
        (place(Aim::Speed), room.join().unwrap_or_else(|e| resume_unwind(e)))
    });
    match (speed, room) {
        (Ok(made), Ok(other)) if is_faster(&other, &made, FEWER) => Ok((other, Aim::Room)),
        (Ok(made), _) => Ok((made, Aim::Speed)),
        (Err(why), _) if !another_may_do(&why) => Err(why),
        (Err(_), Ok(made)) => Ok((made, Aim::Room)),
        (Err(why), Err(second)) => Err(with_second(why, &second)),
    }
}

fn with_second(mut first: Diagnostics, second: &[Diagnostic]) -> Diagnostics {
    if let (Some(first), Some(second)) = (first.first_mut(), in_short(second)) {
        *first = first.clone().note(format!("compiled for room: {second}"));
    }
    first
}

/// Adds to what stands against a program on a fabric that was named which of those that come with LOOM has all that it needs; `compiled`
/// gives what it is compiled to for a fabric.
pub fn name_another<K: Graphs>(
    mut why: Diagnostics,
    named: Option<&Fabric>,
    options: &MapOptions,
    compiled: &dyn Fn(&Fabric) -> Result<K, Diagnostics>,
) -> Diagnostics {
    let Some(named) = named.filter(|_| another_may_do(&why)) else { return why };
    let is_crowded = why.iter().any(|d| d.code == loom_map::codes::UNROUTABLE);
    let holds = |fabric: &Fabric| {
        let may_do = if is_crowded { size(fabric) > size(named) } else { fabric.name() != named.name() };
        let fits = |graph: &Graph| loom_map::may_hold(graph, fabric, options.memory_latency);
        may_do && compiled(fabric).is_ok_and(|made| made.graphs().into_iter().all(fits))
    };
    let another = load::defaults().filter_map(|text| load::fabric(&text).ok()).find(holds);
    if let (Some(first), Some(fabric)) = (why.first_mut(), another) {
        let name = fabric.name();
        let told = format!("`{name}` (configs/{name}.toml) has all the units, PEs and lanes for it");
        *first = first.clone().note(told);
    }
    why
}

/// What a program is compiled to.
pub trait Graphs {
    /// Its graphs, one for each function.
    fn graphs(&self) -> Vec<&Graph>;
}

impl Graphs for Kernel {
    fn graphs(&self) -> Vec<&Graph> {
        vec![&self.graph]
    }
}

impl Graphs for Vec<Function> {
    fn graphs(&self) -> Vec<&Graph> {
        self.iter().map(Function::graph).collect()
    }
}

/// What `compile` makes for a fabric and an aim. For room only where that is something else than for speed: what was tried need not
/// be tried again, and the error then has no diagnostic.
pub fn compile<K: Graphs>(
    fabric: &Fabric,
    named: Option<Aim>,
    aim: Aim,
    compile: &dyn Fn(CompileOptions) -> Result<K, Diagnostics>,
) -> Result<K, Diagnostics> {
    if aim == Aim::Room && named.is_none() {
        // Graphs are compared whether they fit or not.
        let text = |aim| -> Result<Vec<String>, Diagnostics> {
            let made = compile(CompileOptions { aim, room: None, ..load::lowering(fabric) })?;
            Ok(made.graphs().into_iter().map(loom_dfg::print).collect())
        };
        if text(Aim::Room)? == text(Aim::Speed)? {
            return Err(Vec::new());
        }
    }
    compile(CompileOptions { aim, ..load::lowering(fabric) })
}
