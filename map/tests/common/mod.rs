//! Fabrics and kernels for tests.

use loom_adg::Fabric;
use loom_base::{Diagnostics, Source};
use loom_dfg::Graph;
use loom_map::{MapOptions, Mapped};

pub use loom_testkit::fabrics::root;

/// One tile whose switch leads from its inputs to its outputs, but not to the PE.
pub const CUT: &str = "name = \"cut\"\ninput = [{ type = \"bits<32>\" }, { type = \"bits<32>\" }]\n\
    output = [{ type = \"bits<32>\" }]\n\
    instance = [{ name = \"sw\", of = \"sw\" }, { name = \"pe\", of = \"pe\" }]\n\
    connect = [\n  { from = \"in0\", to = \"sw.in0\" }, { from = \"in1\", to = \"sw.in1\" },\n  \
    { from = \"pe.out0\", to = \"sw.in2\" },\n  { from = \"sw.out0\", to = \"out0\" },\n  \
    { from = \"sw.out1\", to = \"pe.in0\" }, { from = \"sw.out2\", to = \"pe.in1\" },\n]\n\
    [pe.pe]\ninputs = { count = 2, width = 32 }\noutputs = { count = 1, width = 32 }\n\
    fus = [\"arith.addi i32\"]\n\
    [switch.sw]\ninputs = { count = 3, width = 32 }\noutputs = { count = 3, width = 32 }\n\
    connectivity = [\"111\", \"100\", \"100\"]\n";

/// A sum, which needs the PE.
pub const ADD: &str = "handshake.func @add(%a: i32, %b: i32) -> (i32) attributes {resNames = [\"r\"]} {\n  \
    %r = arith.addi %a, %b : i32\n  return %r : i32\n}\n";

/// A fabric to map onto.
pub struct Target(Fabric);

impl std::ops::Deref for Target {
    type Target = Fabric;

    fn deref(&self) -> &Fabric {
        &self.0
    }
}

impl Target {
    pub fn of_text(name: &str, text: String) -> Target {
        let source = Source::new(name, text);
        let adg = loom_adg::toml::read(&source)
            .unwrap_or_else(|d| panic!("{}", d.iter().map(|d| d.render(&source)).collect::<String>()));
        Target(Fabric::new(adg))
    }

    /// One of the default fabrics.
    pub fn mesh(size: &str) -> Target {
        let path = root().join(format!("configs/mesh-{size}.toml"));
        Target::of_text("mesh.toml", std::fs::read_to_string(path).expect("a default fabric"))
    }

    pub fn map(&self, graph: &Graph) -> Result<Mapped, Diagnostics> {
        self.map_seed(graph, 1)
    }

    pub fn map_seed(&self, graph: &Graph, seed: u64) -> Result<Mapped, Diagnostics> {
        loom_map::map(graph, self, &MapOptions { seed, ..MapOptions::default() }, &mut |_, _| {})
    }

    pub fn check(&self, graph: &Graph, mapping: &loom_map::Mapping) -> Diagnostics {
        loom_map::check::check(graph, self, mapping)
    }

    pub fn json(&self, graph: &Graph, mapped: &Mapped) -> String {
        loom_map::report::json(graph, self, 1, mapped)
    }

    pub fn read(&self, graph: &Graph, text: &str) -> Result<Mapped, Diagnostics> {
        loom_map::report::read_json(graph, self, text)
    }
}

pub fn graph(text: &str) -> Graph {
    let source = Source::new("kernel.dfg.mlir", text);
    loom_dfg::parse(&source)
        .unwrap_or_else(|d| panic!("{}", d.iter().map(|d| d.render(&source)).collect::<String>()))
}

pub fn kernel(name: &str) -> Graph {
    let path = root().join(format!("kernels/{name}/{name}.dfg.mlir"));
    graph(&std::fs::read_to_string(path).expect("a kernel"))
}

pub fn kernels() -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(root().join("kernels"))
        .expect("kernels")
        .map(|e| e.expect("an entry"))
        .map(|e| (e.path(), e.file_name().into_string().expect("a plain name")))
        .filter(|(path, name)| path.join(format!("{name}.dfg.mlir")).exists())
        .map(|(_, name)| name)
        .collect();
    names.sort();
    names
}
