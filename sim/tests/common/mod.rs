//! Tiny fabrics for tests: components put between boundary ports by hand, configured field by field.

use loom_adg::model::*;
use loom_adg::{Adg, ChannelType, Component, ComponentId, Fabric, FieldKind, Image, Mux, PeConfig};
use loom_base::stall::Stalls;
use loom_dfg::{Counter, OpKind, StepOp, Type};
use loom_sim::{InputToken, Limits, NativeModel, Refusal, Stimulus, Trace};

pub const I32: Type = Type::I32;
pub const I1: Type = Type::I1;

/// A fabric under construction.
pub struct Bench {
    pub adg: Adg,
}

impl Bench {
    pub fn new() -> Bench {
        Bench {
            adg: Adg {
                name: "bench".into(),
                index_width: 32,
                definitions: vec![],
                tiles: vec![],
                top: Body::default(),
            },
        }
    }

    /// Adds a component as definition and instance of the same number.
    pub fn add(&mut self, component: Component) -> usize {
        let n = self.adg.definitions.len();
        self.adg.definitions.push(Definition { name: format!("d{n}"), component });
        self.adg.top.instances.push(Instance { name: format!("c{n}"), of: Of::Component(n), position: None });
        n
    }

    pub fn input(&mut self, ty: ChannelType, instance: usize, port: usize) {
        let k = self.adg.top.inputs.len();
        self.adg.top.inputs.push(Port { name: format!("in{k}"), ty });
        self.link(End::Body(k), End::Instance { instance, port });
    }

    pub fn output(&mut self, ty: ChannelType, instance: usize, port: usize) {
        let k = self.adg.top.outputs.len();
        self.adg.top.outputs.push(Port { name: format!("out{k}"), ty });
        self.link(End::Instance { instance, port }, End::Body(k));
    }

    pub fn wire(&mut self, from: (usize, usize), to: (usize, usize)) {
        self.link(
            End::Instance { instance: from.0, port: from.1 },
            End::Instance { instance: to.0, port: to.1 },
        );
    }

    fn link(&mut self, from: End, to: End) {
        self.adg.top.connections.push(Connection { from, to });
    }

    /// One component between boundary ports.
    pub fn around(component: Component) -> Bench {
        let (inputs, outputs) = (component.inputs(), component.outputs());
        let mut bench = Bench::new();
        let c = bench.add(component);
        for (port, ty) in inputs.into_iter().enumerate() {
            bench.input(ty, c, port);
        }
        for (port, ty) in outputs.into_iter().enumerate() {
            bench.output(ty, c, port);
        }
        bench
    }

    pub fn model(&self, configure: impl FnOnce(&mut Setup)) -> Result<NativeModel, Refusal> {
        let fabric = self.fabric();
        let image = Image::unused(&fabric);
        let mut setup = Setup { fabric: &fabric, image };
        configure(&mut setup);
        NativeModel::new(&fabric, &setup.image)
    }

    pub fn fabric(&self) -> Fabric {
        Fabric::new(self.adg.clone())
    }
}

/// An image being filled.
pub struct Setup<'a> {
    pub fabric: &'a Fabric,
    pub image: Image,
}

impl Setup<'_> {
    pub fn set(&mut self, component: usize, kind: FieldKind, value: u64) {
        self.image.set(self.fabric, ComponentId(component as u32), kind, value);
    }

    pub fn route(&mut self, component: usize, output: usize, input: usize) {
        self.set(component, FieldKind::Route { output, input }, 1);
    }

    /// Enables FU `opcode` with its ports straight on the PE's ports.
    pub fn pe(&mut self, component: usize, opcode: usize, payload: &[u64]) {
        let id = ComponentId(component as u32);
        let Component::SpatialPe(pe) = self.fabric.component(id) else { panic!("not a PE") };
        let mux = |n: usize, max: usize| {
            (0..max).map(|i| if i < n { Mux::Port(i) } else { Mux::Disconnect }).collect()
        };
        let fu = &pe.fus[opcode];
        let config = PeConfig {
            opcode,
            inputs: mux(fu.inputs.len(), pe.input_muxes()),
            immediates: vec![0; pe.immediates],
            outputs: mux(fu.results.len(), pe.output_demuxes()),
            payload: payload.to_vec(),
        };
        self.write(component, &config);
    }

    pub fn write(&mut self, component: usize, config: &PeConfig) {
        config.write(&mut self.image, self.fabric, ComponentId(component as u32));
    }
}

pub fn channel(ty: Type) -> ChannelType {
    ChannelType::bits(ty.width(32))
}

/// A PE of one FU with ports of the FU's widths.
pub fn pe_of(fu: FunctionUnit, output_buffers: bool) -> SpatialPe {
    SpatialPe {
        inputs: fu.inputs.iter().map(|&t| channel(t)).collect(),
        outputs: fu.output_types().into_iter().map(channel).collect(),
        fus: vec![fu],
        output_buffers,
        immediates: 0,
    }
}

pub fn single(kind: OpKind, operands: &[Type], results: &[Type]) -> FunctionUnit {
    FunctionUnit::single("f", kind, operands, results)
}

pub fn stream_fu(step: StepOp) -> FunctionUnit {
    single(OpKind::Stream(Counter::signed(step)), &[Type::Index; 3], &[Type::Index, I1])
}

/// A model of one PE of one FU, its ports straight on the boundary.
pub fn unit(fu: FunctionUnit, output_buffers: bool, payload: &[u64]) -> NativeModel {
    Bench::around(Component::SpatialPe(pe_of(fu, output_buffers))).model(|s| s.pe(0, 0, payload)).unwrap()
}

pub fn values(list: &[u64]) -> Vec<InputToken> {
    list.iter().map(|&data| InputToken { data, tag: 0 }).collect()
}

pub fn tagged(list: &[(u64, u64)]) -> Vec<InputToken> {
    list.iter().map(|&(data, tag)| InputToken { data, tag }).collect()
}

pub fn stimulus(inputs: &[&[u64]], expected: &[usize]) -> Stimulus {
    Stimulus { inputs: inputs.iter().map(|l| values(l)).collect(), expected: expected.to_vec(), gate: None }
}

pub fn run(model: &mut NativeModel, stimulus: &Stimulus) -> Trace {
    model.run(stimulus, &Stalls::NONE, &Limits { max_cycles: 100_000, drain_cycles: 1000 })
}

/// Data of each output.
pub fn data(trace: &Trace) -> Vec<Vec<u64>> {
    trace.outputs.iter().map(|o| o.iter().map(|t| t.data).collect()).collect()
}

pub fn times(trace: &Trace, output: usize) -> Vec<u64> {
    trace.outputs[output].iter().map(|t| t.cycle).collect()
}
