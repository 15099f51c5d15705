//! `loom exec`: a whole C or C++ program with its marked functions on a fabric.

use super::map::Ready;
use super::verilog::{fabric_model, Verilog};
use crate::args::{Exec, Mapper, On};
use crate::files::{self, OutDir};
use crate::session::{Failure, Session, FILE_KIND};
use crate::terminal;
use crate::waiting::Waiting;
use loom_adg::Fabric;
use loom_base::{Diagnostic, Diagnostics, Source};
use loom_dfg::Profile;
use loom_flow::clang::{self, Request, Translation};
use loom_flow::copies::{self, Copies, Speed};
use loom_flow::exec::{self, Again, ExecModel, Executable, Function, FunctionReport, Report};
use loom_flow::{compile_for, fit, load, loops, name_another, Configured, Fitted, MappedOnce};
use loom_front::codes::RESOURCES;
use loom_front::compile::{Aim, CompileOptions};
use loom_llvm::Globals;
use loom_map::MapOptions;
use std::cell::OnceCell;
use std::process::ExitCode;
use std::time::Instant;

/// Functions on a fabric, each with the milliseconds that its mapping took.
struct Placed {
    fabric: Fabric,
    functions: Vec<Function>,
    configured: Vec<Configured>,
    map_ms: Vec<f64>,
    aim: Aim,
    /// Those that were compiled for room where the others are for speed.
    for_room: Vec<String>,
}

impl Fitted for Placed {
    fn configured(&self) -> &[Configured] {
        &self.configured
    }
}

impl Placed {
    /// All functions together.
    fn speed(&self) -> Speed {
        let speeds = self.configured.iter().map(Configured::speed);
        speeds.fold(Speed { ops: 0, interval: 0.0 }, |sum, s| Speed {
            ops: sum.ops + s.ops,
            interval: sum.interval + s.interval,
        })
    }
}

/// Runs the subcommand.
pub fn run(session: &Session, args: &Exec) -> Result<ExitCode, Failure> {
    let source = files::read_text(&args.files[0])?;
    if let Some(other) = args.files.iter().find(|f| !clang::is_source(&f.to_string_lossy())) {
        let message = format!("`{}` is not C or C++ by its name", other.display());
        return Err(Failure::plain(vec![
            Diagnostic::error(FILE_KIND, message).help("arguments of the program follow behind `--`")
        ]));
    }
    let request = args.clang.request(args.files.clone());
    let request = Request { globals: Globals::InMemory, whole: args.link.is_empty(), ..request };
    let fail = |d: Diagnostics| Failure::new(&source, d);
    let program = session.translate(&request, &source)?;
    let symbols = exec::choose(&program, &args.functions).map_err(fail)?;
    let job = Job {
        session,
        args,
        program: &program,
        symbols: &symbols,
        source: &source,
        mapped: MappedOnce::default(),
    };
    let build = |functions: &[Function]| {
        let built = Executable::build(&request, functions, &args.link);
        let built = built.map_err(|e| Failure::clang(&source, e))?;
        if !session.is_watched() {
            return Ok(built);
        }
        let waiting = Waiting::new(session);
        Ok(built.watched(Box::new(move |call| waiting.tell(call))))
    };
    let (report, placed) = if args.on == On::Golden {
        let (functions, index_width) = job.graphs()?;
        let executable = build(&functions)?;
        let model = ExecModel::Golden(index_width);
        (executable.run(&functions, model, None, &args.arguments, args.max_cycles), None)
    } else {
        let placed = job.placed()?;
        let executable = build(&placed.functions)?;
        let model = match job.verilog(&placed.fabric)? {
            Some(model) => ExecModel::Verilog(&placed.configured, Box::new(model)),
            None => ExecModel::Native(&placed.configured),
        };
        let mut again = |number: usize, profile| job.mapped_again(&placed.configured[number], profile);
        let again: Option<Again> = if args.no_profile { None } else { Some(&mut again) };
        let report = executable.run(&placed.functions, model, again, &args.arguments, args.max_cycles);
        (report, Some(placed))
    };
    let (report, configured) = report.map_err(fail)?;
    terminal::err(&match session.json {
        true => format!("{}\n", serde_json::to_string(&report).expect("plain data")),
        false => report.text(),
    });
    // What was mapped anew knows why; the rest is written.
    if let Some(placed) = placed.as_ref().filter(|_| configured.iter().any(|c| !c.graph().profile.is_empty()))
    {
        job.write(&configured, &placed.map_ms)?;
    }
    if let Some(placed) = placed.filter(|_| session.says()) {
        job.advice(&placed, &report).iter().for_each(|line| session.say(line));
    }
    Ok(ExitCode::from(report.exit))
}

/// What is to be done with which functions.
struct Job<'a> {
    session: &'a Session,
    args: &'a Exec,
    program: &'a Translation,
    symbols: &'a [String],
    source: &'a Source,
    mapped: MappedOnce,
}

impl Job<'_> {
    fn compile(
        &self,
        options: CompileOptions,
        fabric: Option<&Fabric>,
    ) -> Result<Vec<Function>, Diagnostics> {
        let options = self.args.passes.over(options);
        exec::functions(self.program, self.symbols, self.source, &options, fabric)
    }

    /// The functions for the golden model, and its bits of `index`.
    fn graphs(&self) -> Result<(Vec<Function>, u32), Failure> {
        let options = match &self.args.fabric {
            Some(path) => CompileOptions { room: None, ..load::lowering(&self.session.fabric(path)?) },
            None => CompileOptions::default(),
        };
        let index_width = options.index_width;
        let functions = self.compile(options, None).map_err(|d| Failure::new(self.source, d))?;
        if let Some(out) = &self.args.out {
            functions.iter().try_for_each(|f| super::compile::write(&f.kernel, OutDir(out)))?;
        }
        Ok((functions, index_width))
    }

    /// The functions on the fabric that was named, or on the smallest fabric that holds them.
    fn placed(&self) -> Result<Placed, Failure> {
        let fail = |d| Failure::new(self.source, d);
        let options = Mapper::annealer(self.args.seed, self.args.budget).options();
        let named = self.args.fabric.as_deref().map(|path| self.session.fabric(path)).transpose()?;
        let wanted = self.args.passes.aim();
        let place = |fabric: &Fabric, options: &MapOptions, aim| {
            let may_mix =
                wanted.is_none() && aim == Aim::Speed && self.symbols.len() > 1 && !options.gives_up_early;
            match compile_for(fabric, wanted, aim, &|o| self.compile(o, Some(fabric))) {
                // Some function is too large for the fabric; the others may not be.
                Err(why) if may_mix && why.iter().all(|d| d.code == RESOURCES) => {
                    let all = CompileOptions { room: None, ..load::lowering(fabric) };
                    self.place(fabric, options, (self.compile(all, Some(fabric))?, aim), true)
                        .map_err(|_| why)
                }
                functions => self.place(fabric, options, (functions?, aim), may_mix),
            }
        };
        let compiled = |fabric: &Fabric| {
            let options = CompileOptions { aim: wanted.unwrap_or_default(), ..load::lowering(fabric) };
            self.compile(options, Some(fabric))
        };
        let (mut placed, aim) = fit(wanted, named.as_ref(), &options, &place)
            .map_err(|why| fail(name_another(why, named.as_ref(), &options, &compiled)))?;
        self.session.say_aim(wanted, aim);
        for name in &placed.for_room {
            self.session.say(&format!("`{name}` is compiled for room: compiled for speed it does not map"));
        }
        if self.args.passes.copies == Copies::Fastest && wanted.unwrap_or_default() == aim {
            let fabric = placed.fabric.clone();
            let mut again = |copies| {
                let copies = Some(copies);
                let functions =
                    self.compile(CompileOptions { copies, aim, ..load::lowering(&fabric) }, Some(&fabric))?;
                self.place(&fabric, &options, (functions, aim), false)
            };
            let (faster, copies) = copies::choose(placed, Placed::speed, &mut again);
            self.session.say(&format!("iterations of innermost loops at once: {copies}"));
            placed = faster;
        }
        self.write(&placed.configured, &placed.map_ms)?;
        Ok(placed)
    }

    /// Writes functions on their fabric, where a folder is named.
    fn write(&self, configured: &[Configured], map_ms: &[f64]) -> Result<(), Failure> {
        let Some(out) = &self.args.out else { return Ok(()) };
        for (configured, &map_ms) in configured.iter().zip(map_ms) {
            let (configured, source) = (configured.clone(), self.source.clone());
            Ready { configured, source, seed: self.args.seed, map_ms }.write(OutDir(out))?;
        }
        Ok(())
    }

    /// A function mapped anew for what its first calls do; none where that is not expected to take fewer cycles.
    fn mapped_again(&self, placed: &Configured, profile: Profile) -> Option<Configured> {
        let bar = self.session.progress("mapping again");
        let name = &placed.graph().name;
        let mut progress = |what: &str, _| bar.set_message(format!("{what} for the first calls of {name}"));
        let options = Mapper::annealer(self.args.seed, self.args.budget).options();
        let made = placed.mapped_for(profile, &options, &mut progress);
        bar.finish_and_clear();
        made
    }

    /// Maps functions that were compiled for an aim; those that do not map are compiled for room, if `else_for_room`.
    fn place(
        &self,
        fabric: &Fabric,
        options: &MapOptions,
        (functions, aim): (Vec<Function>, Aim),
        else_for_room: bool,
    ) -> Result<Placed, Diagnostics> {
        let bar = self.session.progress("mapping");
        let holds =
            |function: &Function| loom_map::may_hold(function.graph(), fabric, options.memory_latency);
        let map = |function: &Function| {
            let start = Instant::now();
            let mut progress = |what: &str, _| {
                bar.set_message(format!("{what} on {} of {}", fabric.name(), function.symbol))
            };
            let made = self.mapped.map(function.kernel.clone(), fabric, options, &mut progress)?;
            Ok::<_, Diagnostics>((made, start.elapsed().as_secs_f64() * 1e3))
        };
        let mut placed = Placed {
            fabric: fabric.clone(),
            functions: Vec::new(),
            configured: Vec::new(),
            map_ms: Vec::new(),
            aim,
            for_room: Vec::new(),
        };
        // One that the fabric cannot hold is told at once, before others are searched for.
        let looks_first = functions.len() > 1 && !else_for_room;
        if let Some(Err(why)) = functions.iter().find(|f| looks_first && !holds(f)).map(map) {
            return Err(why);
        }
        let for_room = OnceCell::new();
        for (at, function) in functions.into_iter().enumerate() {
            let (function, (made, ms)) = match map(&function) {
                Ok(made) => (function, made),
                Err(why) if !else_for_room => return Err(why),
                Err(why) => {
                    let options = CompileOptions { aim: Aim::Room, ..load::lowering(fabric) };
                    let all = for_room.get_or_init(|| self.compile(options, Some(fabric)));
                    let other = all.as_ref().map_err(Clone::clone)?[at].clone();
                    let Ok(made) = map(&other) else { return Err(why) };
                    placed.for_room.push(other.graph().name.to_string());
                    (other, made)
                }
            };
            placed.functions.push(function);
            placed.configured.push(made);
            placed.map_ms.push(ms);
        }
        bar.finish_and_clear();
        Ok(placed)
    }

    /// What the user could promise about functions whose loops wait.
    fn advice(&self, placed: &Placed, report: &Report) -> Vec<String> {
        let of = |(function, f): (&Function, &FunctionReport)| {
            let name = &f.function;
            if f.ii.is_none_or(|ii| ii < 2.0) {
                return Vec::new();
            }
            let aim = if placed.for_room.contains(name) { Aim::Room } else { placed.aim };
            let options = CompileOptions { aim, ..load::lowering(&placed.fabric) };
            let options = self.args.passes.over(options);
            let loops = loops::report(&function.kernel, self.source, &placed.fabric, &options);
            loops::advice(&loops).iter().map(|what| format!("loom: {name} would gain by {what}")).collect()
        };
        placed.functions.iter().zip(&report.functions).flat_map(of).collect()
    }

    fn verilog(&self, fabric: &Fabric) -> Result<Option<loom_cosim::FabricModel>, Failure> {
        let bar = self.session.progress("");
        let wanted = if self.args.on == On::Verilog { Verilog::Yes { waves: None } } else { Verilog::No };
        // Nobody knows how long a program runs: the model that is built sooner.
        let model = fabric_model(&bar, fabric, 0, &wanted)?;
        bar.finish_and_clear();
        Ok(model.map(|driven| driven.model))
    }
}
