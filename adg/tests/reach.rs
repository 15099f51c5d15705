//! Links that lead further than to a neighbour: where they lead, what turns round at the edges, and which stay ports.

use loom_adg::model::{Connection, End};
use loom_adg::{codes, mlir, toml, Adg};
use loom_base::Source;

const DIRECTIONS: [char; 4] = ['n', 'e', 's', 'w'];

/// A mesh of one tile with as many channels.
fn text(columns: usize, rows: usize, channels: usize, reach: &str) -> String {
    format!(
        "name = \"reach\"
[pe.keep]
inputs = {{ count = 2, width = 32 }}
outputs = {{ count = 1, width = 32 }}
output_buffers = true
fus = [\"dataflow.invariant 32\"]
[tile.t]
channels = {channels}
ranks = [[\"s0: keep\"]]
[mesh]
columns = {columns}
rows = {rows}
tile = \"t\"
{reach}
"
    )
}

fn read(text: String) -> Adg {
    let source = Source::new("reach.toml", text);
    toml::read(&source).unwrap_or_else(|d| panic!("{}", d[0].render(&source)))
}

/// All links between tiles as `t_0_0.e_out1 t_2_0.w_in1`.
fn links(adg: &Adg) -> Vec<String> {
    let name = |end: End, out: bool| match end {
        End::Instance { instance, port } => {
            let ports = if out { &adg.tiles[0].body.outputs } else { &adg.tiles[0].body.inputs };
            Some(format!("{}.{}", adg.top.instances[instance].name, ports[port].name))
        }
        End::Body(_) => None,
    };
    let between = |c: &Connection| Some((name(c.from, true)?, name(c.to, false)?));
    adg.top.connections.iter().filter_map(between).map(|(from, to)| format!("{from} {to}")).collect()
}

#[test]
fn far_links_lead_over_tiles_and_turn_round_at_the_edges() {
    let adg = read(text(4, 3, 3, "reach = [1, 2, 3]"));
    let links = links(&adg);
    for link in [
        "t_0_0.e_out0 t_1_0.w_in0",
        "t_0_0.e_out1 t_2_0.w_in1",
        "t_0_0.e_out2 t_3_0.w_in2",
        "t_3_1.w_out1 t_1_1.e_in1",
        "t_2_2.n_out1 t_2_0.s_in1",
        // Over the edge by one or two tiles.
        "t_2_0.e_out1 t_3_0.e_in1",
        "t_3_0.e_out1 t_2_0.e_in1",
        "t_0_2.w_out1 t_1_2.w_in1",
        "t_1_1.w_out2 t_1_1.w_in2",
        "t_3_2.e_out2 t_1_2.e_in2",
        "t_1_0.n_out1 t_1_1.n_in1",
        "t_0_1.s_out1 t_0_2.s_in1",
    ] {
        assert!(links.iter().any(|l| l == link), "no {link} in {links:#?}");
    }
    // Every end of a far channel is joined, each once.
    for channel in [1, 2] {
        for (column, row) in (0..12).map(|k| (k % 4, k / 4)) {
            for direction in DIRECTIONS {
                let from = format!("t_{column}_{row}.{direction}_out{channel} ");
                let to = format!(" t_{column}_{row}.{direction}_in{channel}");
                assert_eq!(links.iter().filter(|l| l.starts_with(&from)).count(), 1, "{from}");
                assert_eq!(links.iter().filter(|l| l.ends_with(&to)).count(), 1, "{to}");
            }
        }
    }
    // Those of the first channel that leave the grid are ports.
    assert_eq!((adg.top.inputs.len(), adg.top.outputs.len()), (14, 14));
    let written = mlir::write(&adg);
    let again = mlir::read(&Source::new("reach.fabric.mlir", written.clone())).expect("it can be read");
    assert!(adg == again && mlir::write(&again) == written);
}

#[test]
fn a_reach_of_one_is_the_mesh_without() {
    let plain = read(text(3, 2, 2, ""));
    assert!(plain == read(text(3, 2, 2, "reach = [1, 1]")));
    assert!(plain == read(text(3, 2, 2, "reach = [1]")));
    assert!(plain != read(text(3, 2, 2, "reach = [1, 2]")));
}

#[test]
fn what_no_link_can_reach_is_refused() {
    for (reach, says) in [
        ("reach = [1, 0]", "channel 1 has a reach of 0"),
        ("reach = [3]", "channel 0 has a reach of 3"),
        ("reach = [1, 2, 1]", "`reach` is given for 3 channels, the tiles have 2"),
    ] {
        let source = Source::new("reach.toml", text(3, 2, 2, reach));
        let list = toml::read(&source).expect_err(reach);
        assert_eq!(list.iter().map(|d| d.code.id).collect::<Vec<_>>(), [codes::MESH.id], "{reach}");
        assert!(list[0].render(&source).contains(says), "{}", list[0].render(&source));
    }
}
