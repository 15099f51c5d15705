//! A record of a run against what the run itself says.

use loom_adg::{Fabric, Image};
use loom_base::{stall::Stalls, Source};
use loom_sim::{ChannelState, InputToken, Limits, NativeModel, Stimulus, Window};

#[test]
fn one_token_into_an_unused_fabric() {
    let mesh = Source::new("mesh.toml", loom_adg::topology::mesh_toml(2, 2));
    let fabric = Fabric::new(loom_adg::toml::read(&mesh).expect("a fabric"));
    let mut model = NativeModel::new(&fabric, &Image::unused(&fabric)).expect("an image that starts");
    let stimulus = Stimulus { inputs: vec![vec![InputToken::default()]], ..Stimulus::default() };
    let limits = Limits { max_cycles: 50, ..Limits::default() };
    let plain = model.run(&stimulus, &Stalls::NONE, &limits);
    let (trace, recording) =
        model.run_recorded(&stimulus, &Stalls::NONE, &limits, Window { first: 0, cycles: 8 });
    assert_eq!(plain, trace);
    assert!(recording.cycles <= 8 && recording.units.is_empty());
    let moves = |t: &loom_sim::Track| (0..8).filter(|&c| t.state(c) == ChannelState::Moves).count();
    // The token goes into its link's FIFO, and the switch behind it has no way for it.
    let moved: usize = recording.tracks.iter().map(moves).sum();
    assert_eq!(moved, trace.input_times[0].len());
    let (_, late) = model.run_recorded(&stimulus, &Stalls::NONE, &limits, Window { first: 4, cycles: 2 });
    let before: u64 = late.tracks.iter().map(|t| t.before).sum();
    assert_eq!((late.cycles <= 2, before), (true, moved as u64));
}
