//! Verilog under Verilator as a library: build once, cache by content, load, drive.
//!
//! The C++ compile is the wait, so clang does it where it is there, the generated files are joined into a few compile units, slow-path
//! files are not optimised, the runtime is compiled once, and the finished library is kept under the hash of everything that went
//! into it. `verilator -Wall` runs without waivers: a warning refuses the design.

use crate::cache::{Building, Cache};
use crate::tools::{self, CLANG, CXX, VERILATOR};
use crate::{codes, coverage};
use libloading::{Library, Symbol};
use loom_base::{Diagnostic, Diagnostics};
use sha2::{Digest, Sha256};
use std::ffi::{c_char, c_int, c_void, CString};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

/// What the shim has for waves.
const WAVES: &str = include_str!("waves.cc");

/// Bytes of C++ below which a design is small.
const SMALL: u64 = 1 << 20;

/// A port of the design's top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortSpec {
    /// Signal name.
    pub name: String,
    /// Bits, at least 1.
    pub width: u32,
    /// Whether it is an input.
    pub input: bool,
}

/// How to build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuildOptions {
    /// With FST tracing.
    pub trace: bool,
    /// Optimise the C++: slower to build, about six times faster to run.
    pub optimise: bool,
}

/// A built design; instances of it are independent.
pub struct Built {
    library: Library,
    ports: Vec<PortSpec>,
}

/// One instance of a built design.
pub struct Model {
    built: Arc<Built>,
    handle: *mut c_void,
    set: unsafe extern "C" fn(*mut c_void, u32, *const u32),
    get: unsafe extern "C" fn(*mut c_void, u32, *mut u32),
    eval: unsafe extern "C" fn(*mut c_void),
    free: unsafe extern "C" fn(*mut c_void),
}

/// Verilates and compiles a design, or finds it in the cache.
pub fn build(
    files: &[(String, String)],
    top: &str,
    ports: &[PortSpec],
    options: BuildOptions,
    cache: &Path,
) -> Result<Arc<Built>, Diagnostics> {
    // The code of coverage points takes minutes to optimise.
    let options = BuildOptions { optimise: options.optimise && coverage::folder().is_none(), ..options };
    let (verilator, version) = VERILATOR.at_least((5, 0))?;
    let (cxx, cxx_version) = CLANG.at_least((19, 0)).or_else(|_| CXX.at_least((9, 0)))?;
    let shim = shim(ports, options);
    let mut hash = Sha256::new();
    for part in [&version, &cxx_version, top, &shim, &format!("{options:?}")] {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    for (name, text) in files {
        hash.update(name);
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text);
    }
    let key: String = hash.finalize().iter().take(12).map(|b| format!("{b:02x}")).collect();
    let name = format!("{key}.so");
    let cache = Cache::open(cache)?;
    let library = match cache.get(&name) {
        Some(library) => library,
        None => {
            let building = cache.begin()?;
            // Another process may have built the same while this one waited.
            match cache.get(&name) {
                Some(library) => library,
                None => {
                    let work = building.folder()?;
                    let job = Job {
                        verilator,
                        cxx,
                        options,
                        cache: &cache,
                        building: &building,
                        work: work.path(),
                    };
                    building.put(&name, &job.compile(files, top, &shim)?)?
                }
            }
        }
    };
    // SAFETY: the library was made by this function from generated code; loading it runs only C++ static
    // initialisers of the Verilator runtime.
    let loaded = unsafe { Library::new(&library) }.map_err(|e| {
        vec![Diagnostic::error(codes::CACHE, format!("`{}` cannot be loaded: {e}", library.display()))
            .help("remove the file: it will be built again")]
    })?;
    Ok(Arc::new(Built { library: loaded, ports: ports.to_vec() }))
}

/// One build: the tools, how, and where.
struct Job<'a> {
    verilator: PathBuf,
    cxx: PathBuf,
    options: BuildOptions,
    cache: &'a Cache,
    building: &'a Building<'a>,
    work: &'a Path,
}

impl Job<'_> {
    /// Compiles a design into a library within the folder of the build.
    fn compile(&self, files: &[(String, String)], top: &str, shim: &str) -> Result<PathBuf, Diagnostics> {
        let (work, options, io) = (self.work, self.options, self.cache.io());
        for (name, text) in files {
            std::fs::write(work.join(name), text).map_err(&io)?;
        }
        let mut command = Command::new(&self.verilator);
        command.current_dir(work).args([
            "--cc",
            "-Wall",
            "--prefix",
            "Vx",
            "--Mdir",
            "obj",
            "--top-module",
            top,
        ]);
        if options.trace {
            command.arg("--trace-fst");
        }
        command.args(coverage::verilator_flags());
        let said = tools::run(command.args(files.iter().map(|(name, _)| name)))?;
        let obj = work.join("obj");
        if !obj.join("Vx.h").is_file() {
            return Err(tools::made_nothing(&self.verilator, &said));
        }

        // Fast-path files in two units of about equal size, the others in one that is not optimised. A small design that is not
        // optimised is one unit: most of its time goes to the headers.
        let mut sources: Vec<(PathBuf, u64)> = Vec::new();
        for entry in std::fs::read_dir(&obj).map_err(&io)? {
            let path = entry.map_err(&io)?.path();
            if path.extension().is_some_and(|e| e == "cpp") {
                let size = std::fs::metadata(&path).map_err(&io)?.len();
                sources.push((path, size));
            }
        }
        sources.sort();
        let mut units = [String::new(), String::new(), String::new()];
        let small = !options.optimise && sources.iter().map(|(_, size)| size).sum::<u64>() < SMALL;
        for (path, _) in &sources {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let slow = ["__Slow", "__Syms", "__Trace"].iter().any(|part| name.contains(part));
            let at = match () {
                () if slow || small => 2,
                () if units[0].len() <= units[1].len() => 0,
                () => 1,
            };
            units[at].push_str(&std::fs::read_to_string(path).map_err(&io)?);
        }
        units[2].push_str(shim);

        let include = include_folder(&self.verilator)?;
        let runtime = self.runtime_objects(&include)?;
        let level = if options.optimise { "-O1" } else { "-O0" };
        let mut jobs = Vec::new();
        let mut objects = Vec::new();
        for (k, (unit, level)) in units.iter().zip([level, level, "-O0"]).enumerate() {
            if unit.is_empty() {
                continue;
            }
            let source = work.join(format!("unit{k}.cc"));
            std::fs::write(&source, unit).map_err(&io)?;
            let mut command = Command::new(&self.cxx);
            command.args(flags(options)).arg(level).arg("-I").arg(&obj).args(includes(&include));
            objects.push(work.join(format!("unit{k}.o")));
            command.arg("-c").arg(&source).arg("-o").arg(&objects[objects.len() - 1]);
            jobs.push(command);
        }
        let results: Vec<Result<String, Diagnostics>> = std::thread::scope(|scope| {
            let handles: Vec<_> = jobs.iter_mut().map(|job| scope.spawn(move || tools::run(job))).collect();
            handles.into_iter().map(|h| h.join().expect("the compile thread does not panic")).collect()
        });
        results.into_iter().collect::<Result<Vec<_>, _>>()?;
        let made = work.join("model.so");
        let mut link = Command::new(&self.cxx);
        link.args(["-shared", "-o"]).arg(&made);
        link.args(&objects).args(&runtime).arg("-pthread");
        if options.trace {
            link.args(["-lz", "-Wl,--wrap=fclose,--wrap=gzclose"]);
        }
        let said = tools::run(&mut link)?;
        match made.is_file() {
            true => Ok(made),
            false => Err(tools::made_nothing(&self.cxx, &said)),
        }
    }

    /// The Verilator runtime, compiled once for each set of flags.
    fn runtime_objects(&self, include: &Path) -> Result<Vec<PathBuf>, Diagnostics> {
        let mut names = vec!["verilated", "verilated_threads"];
        if self.options.trace {
            names.push("verilated_fst_c");
        }
        if coverage::folder().is_some() {
            names.push("verilated_cov");
        }
        let mut objects = Vec::new();
        for name in names {
            let source = include.join(format!("{name}.cpp"));
            let mut hash = Sha256::new();
            let text = std::fs::read(&source);
            hash.update(
                text.map_err(|e| tools::unusable(&self.verilator, &format!("`{}`: {e}", source.display())))?,
            );
            hash.update(format!("{:?}", flags(self.options)));
            let key: String = hash.finalize().iter().take(8).map(|b| format!("{b:02x}")).collect();
            let object = format!("runtime-{name}-{key}.o");
            objects.push(match self.cache.get(&object) {
                Some(object) => object,
                None => {
                    let made = self.work.join(&object);
                    let mut command = Command::new(&self.cxx);
                    command.args(flags(self.options)).arg("-O1").args(includes(include));
                    let said = tools::run(command.arg("-c").arg(&source).arg("-o").arg(&made))?;
                    if !made.is_file() {
                        return Err(tools::made_nothing(&self.cxx, &said));
                    }
                    self.building.put(&object, &made)?
                }
            });
        }
        Ok(objects)
    }
}

fn flags(options: BuildOptions) -> Vec<&'static str> {
    let mut flags = vec!["-w", "-std=gnu++17", "-fPIC", "-DVM_SC=0"];
    flags.push(if coverage::folder().is_some() { "-DVM_COVERAGE=1" } else { "-DVM_COVERAGE=0" });
    flags.extend(if options.trace {
        ["-DVM_TRACE=1", "-DVM_TRACE_FST=1"]
    } else {
        ["-DVM_TRACE=0", "-DVM_TRACE_FST=0"]
    });
    flags
}

fn includes(include: &Path) -> Vec<String> {
    vec![format!("-I{}", include.display()), format!("-I{}", include.join("vltstd").display())]
}

fn include_folder(verilator: &Path) -> Result<PathBuf, Diagnostics> {
    let root = tools::run(Command::new(verilator).args(["--getenv", "VERILATOR_ROOT"]))?;
    Ok(Path::new(root.trim()).join("include"))
}

/// A flat C interface to the verilated class; ports are numbered, values are 32-bit words, low word first.
fn shim(ports: &[PortSpec], options: BuildOptions) -> String {
    let mut text = String::from("#include \"Vx.h\"\n#include \"verilated.h\"\n");
    if options.trace {
        text.push_str("#include \"verilated_fst_c.h\"\n");
    }
    text.push_str("struct LoomModel { VerilatedContext context; Vx* top; void* trace; };\nextern \"C\" {\n");
    text.push_str(
        "void* loom_new(int reset) {\n  LoomModel* m = new LoomModel;\n  m->context.randReset(reset);\n  m->context.randSeed(1);\n  \
         m->context.traceEverOn(VM_TRACE);\n  m->top = new Vx{&m->context};\n  m->trace = nullptr;\n  return m;\n}\n",
    );
    text.push_str("void loom_eval(void* p) { static_cast<LoomModel*>(p)->top->eval(); }\n");
    text.push_str("void loom_set(void* p, uint32_t port, const uint32_t* w) {\n  Vx* t = static_cast<LoomModel*>(p)->top;\n  switch (port) {\n");
    let mut get = String::from(
        "void loom_get(void* p, uint32_t port, uint32_t* w) {\n  Vx* t = static_cast<LoomModel*>(p)->top;\n  switch (port) {\n",
    );
    for (k, port) in ports.iter().enumerate() {
        let name = &port.name;
        let words = port.width.div_ceil(32);
        let (set, read) = match words {
            1 => (format!("t->{name} = w[0];"), format!("w[0] = t->{name};")),
            2 => (
                format!("t->{name} = (static_cast<uint64_t>(w[1]) << 32) | w[0];"),
                format!(
                    "w[0] = static_cast<uint32_t>(t->{name}); w[1] = static_cast<uint32_t>(t->{name} >> 32);"
                ),
            ),
            _ => (
                format!("for (int i = 0; i < {words}; ++i) t->{name}[i] = w[i];"),
                format!("for (int i = 0; i < {words}; ++i) w[i] = t->{name}[i];"),
            ),
        };
        if port.input {
            let _ = writeln!(text, "    case {k}: {set} break;");
        }
        let _ = writeln!(get, "    case {k}: {read} break;");
    }
    text.push_str("  }\n}\n");
    text.push_str(&get);
    text.push_str("  }\n}\n");
    text.push_str(
        "void loom_free(void* p) {\n  LoomModel* m = static_cast<LoomModel*>(p);\n  m->top->final();\n  delete m->top;\n  delete m;\n}\n}\n\
         double sc_time_stamp() { return 0; }\n",
    );
    if options.trace {
        text.push_str(WAVES);
    }
    if coverage::folder().is_some() {
        // A random start would count as a toggle at reset.
        text = text.replace("randReset(reset)", "randReset(0)");
        text.push_str(coverage::SHIM);
    }
    text
}

impl Built {
    /// The ports, in the order given to [`build`].
    pub fn ports(&self) -> &[PortSpec] {
        &self.ports
    }

    /// A new instance in Verilator's random initial state (fixed seed).
    pub fn instance(self: &Arc<Self>) -> Model {
        self.begin(2)
    }

    /// A new instance in which every register and memory begins as 0: for what reads a memory that nobody has written, which
    /// models can agree on only so.
    pub fn zeroed(self: &Arc<Self>) -> Model {
        self.begin(0)
    }

    /// `reset`: Verilator's number for how an instance begins.
    fn begin(self: &Arc<Self>, reset: c_int) -> Model {
        // SAFETY: the symbols are defined with these signatures by `shim`; the function pointers live as long as
        // `built`, which the model keeps.
        let model = unsafe {
            let new: Symbol<unsafe extern "C" fn(c_int) -> *mut c_void> = self.symbol(b"loom_new\0");
            Model {
                handle: new(reset),
                set: *self.symbol(b"loom_set\0"),
                get: *self.symbol(b"loom_get\0"),
                eval: *self.symbol(b"loom_eval\0"),
                free: *self.symbol(b"loom_free\0"),
                built: self.clone(),
            }
        };
        if coverage::folder().is_some() {
            // SAFETY: signature as in `coverage::SHIM`; the handle is live.
            unsafe {
                let start: Symbol<unsafe extern "C" fn(*mut c_void)> = self.symbol(b"loom_coverage_start\0");
                start(model.handle);
            }
        }
        model
    }

    /// # Safety
    /// `T` must be the type that the shim gives the symbol.
    unsafe fn symbol<T>(&self, name: &[u8]) -> Symbol<'_, T> {
        // SAFETY: passed on to the caller.
        unsafe { self.library.get(name) }.expect("the shim defines it")
    }
}

impl Model {
    /// Index of a port. Panics when the design has none of that name.
    pub fn port(&self, name: &str) -> u32 {
        self.find(name).unwrap_or_else(|| panic!("the design has no port `{name}`"))
    }

    /// Index of a port, if the design has it.
    pub fn find(&self, name: &str) -> Option<u32> {
        self.built.ports.iter().position(|p| p.name == name).map(|i| i as u32)
    }

    /// Bits of a port.
    pub fn width(&self, port: u32) -> u32 {
        self.built.ports[port as usize].width
    }

    /// Sets an input of at most 64 bits; of a wider one its low 64 bits, the others to 0.
    pub fn set(&mut self, port: u32, value: u64) {
        let mut words = [0u32; 128];
        words[0] = value as u32;
        words[1] = (value >> 32) as u32;
        // SAFETY: the handle is live, and 128 words hold the widest port (4096 bits).
        unsafe { (self.set)(self.handle, port, words.as_ptr()) }
    }

    /// Reads a port's low 64 bits.
    pub fn get(&self, port: u32) -> u64 {
        let mut words = [0u32; 128];
        // SAFETY: as in `set`.
        unsafe { (self.get)(self.handle, port, words.as_mut_ptr()) }
        u64::from(words[0]) | u64::from(words[1]) << 32
    }

    /// Settles combinational logic, or takes a clock edge when `clk` changed.
    pub fn eval(&mut self) {
        // SAFETY: the handle is live.
        unsafe { (self.eval)(self.handle) }
    }

    /// Starts writing waves. The design must be built with tracing. Where the system ends the process because it has no room for
    /// them, `last_words` are said on standard error and its exit code is 1.
    pub fn trace_open(&mut self, path: &Path, last_words: &str) {
        let path = CString::new(path.as_os_str().as_encoded_bytes()).expect("a path without NUL");
        let last_words = CString::new(last_words.replace('\0', "")).expect("no NUL is left");
        // SAFETY: signature as in `waves.cc`; the strings live through the call.
        unsafe {
            let open: Symbol<unsafe extern "C" fn(*mut c_void, *const c_char, *const c_char)> =
                self.built.symbol(b"loom_trace_open\0");
            open(self.handle, path.as_ptr(), last_words.as_ptr());
        }
    }

    /// Writes the present values under a time.
    pub fn trace_dump(&mut self, time: u64) {
        // SAFETY: signature as in `waves.cc`.
        unsafe {
            let dump: Symbol<unsafe extern "C" fn(*mut c_void, u64)> =
                self.built.symbol(b"loom_trace_dump\0");
            dump(self.handle, time);
        }
    }

    /// Writes the counts of the coverage points. The design must be built with coverage.
    fn write_coverage(&self, path: &Path) {
        let path = CString::new(path.as_os_str().as_encoded_bytes()).expect("a path without NUL");
        // SAFETY: signature as in `coverage::SHIM`; the string lives through the call.
        unsafe {
            let write: Symbol<unsafe extern "C" fn(*mut c_void, *const c_char)> =
                self.built.symbol(b"loom_coverage_write\0");
            write(self.handle, path.as_ptr());
        }
    }

    /// Ends the wave file; whether all of it was written.
    pub fn trace_close(&mut self) -> bool {
        // SAFETY: signature as in `waves.cc`.
        unsafe {
            let close: Symbol<unsafe extern "C" fn(*mut c_void) -> c_int> =
                self.built.symbol(b"loom_trace_close\0");
            close(self.handle) == 0
        }
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        if let Some(folder) = coverage::folder() {
            if let Err(problems) = coverage::collect(&folder, |path| self.write_coverage(path)) {
                problems.iter().for_each(|p| eprintln!("{}", p.message));
            }
        }
        // SAFETY: the handle is live and not used afterwards.
        unsafe { (self.free)(self.handle) }
    }
}
