//! The model of area and delay: what must hold of it whatever its coefficients are. How good they are is tested in `verif/bench`.

use loom_adg::cost::{self, FabricCost};
use loom_adg::{toml, Fabric};
use loom_base::Source;

fn fabric(text: &str) -> Fabric {
    Fabric::new(toml::read(&Source::new("f.toml", text)).expect("legal"))
}

fn mesh(layout: &str, more: &str) -> FabricCost {
    let legend = "legend = { c = \"control\", k = \"corner\", x = \"compute_tile\", m = \"memory_tile\", s = \"pad_tile\" }";
    let text = format!("name = \"f\"\nuse = [\"mesh32\"]\n[mesh]\nlayout = {layout}\n{legend}\n{more}");
    cost::of_fabric(&fabric(&text))
}

/// Two multipliers with a FIFO between them.
fn chain(fifo: &str) -> FabricCost {
    let text = format!(
        "name = \"chain\"\ninput = [{{ type = \"bits<32>\" }}]\noutput = [{{ type = \"bits<32>\" }}]\n\
         instance = [{{ name = \"a\", of = \"s\" }}, {{ name = \"f\", of = \"f\" }}, {{ name = \"b\", of = \"s\" }}]\n\
         connect = [{{ from = \"in0\", to = \"a.in0\" }}, {{ from = \"a.out0\", to = \"f.in0\" }}, \
         {{ from = \"f.out0\", to = \"b.in0\" }}, {{ from = \"b.out0\", to = \"out0\" }}]\n\
         [pe.s]\ninputs = {{ count = 2, width = 32 }}\noutputs = {{ count = 1, width = 32 }}\nfus = [\"arith.muli i32\"]\n\
         [fifo.f]\ntype = \"bits<32>\"\n{fifo}\n"
    );
    cost::of_fabric(&fabric(&text))
}

#[test]
fn totals_are_sums_over_rows() {
    let cost = mesh("[\"km\", \"xs\"]", "");
    let sum =
        |of: &dyn Fn(&cost::CostRow) -> u64| cost.rows.iter().map(|r| of(r) * r.area.instances).sum::<u64>();
    assert_eq!(sum(&|r| r.area.area_um2), cost.area_um2);
    assert_eq!(cost.area_by_class.values().sum::<u64>(), cost.area_um2);
    assert_eq!(sum(&|r| r.area.ram_bits), cost.ram_bits);
    assert_eq!(cost.ram_bits, 4096 * 8);
    // Without the four tiles only what all share is left.
    let names: Vec<&str> = cost.rows.iter().map(|r| r.area.name.as_str()).collect();
    assert_eq!(names.iter().filter(|n| ["loader", "error tree", "top"].contains(n)).count(), 3, "{names:?}");
    assert_eq!(cost.rows.iter().filter(|r| r.area.is_tile).count(), 4);
}

#[test]
fn the_longest_path_is_in_the_names_of_the_fabric() {
    let text = "name = \"f\"\nuse = [\"mesh32\"]\n[mesh]\nlayout = [\"kx\"]\nlegend = { k = \"corner\", x = \"compute_tile\" }\n";
    let fabric = fabric(text);
    let cost = cost::of_fabric(&fabric);
    assert!(cost.path.len() > 3, "{:?}", cost.path);
    assert!(cost.path.windows(2).all(|w| w[0].at_ps <= w[1].at_ps));
    assert!(cost.path.iter().all(|p| fabric.find(&p.name).is_some()), "{:?}", cost.path);
    assert_eq!(cost.path.last().map(|p| p.at_ps), Some(cost.period_ps));
    // It lies in the tile with the longest period.
    let slowest = cost.rows.iter().filter_map(|r| r.period_ps).max();
    assert_eq!(slowest, Some(cost.period_ps));
    // Neighbours on it are neighbours in the fabric.
    for w in cost.path.windows(2) {
        let [a, b] = [&w[0], &w[1]].map(|p| fabric.find(&p.name).expect("there"));
        let joins = |c: &loom_adg::FlatChannel| {
            let at = |id| {
                matches!(c.source, loom_adg::SourcePort::Port(i, _) if i == id)
                    || matches!(c.sink, loom_adg::SinkPort::Port(i, _) if i == id)
            };
            at(a) && at(b)
        };
        assert!(fabric.flat().channels.iter().any(joins), "{w:?}");
    }
}

#[test]
fn more_hardware_is_larger_and_a_register_cuts_a_path() {
    let (small, large) = (mesh("[\"k\"]", ""), mesh("[\"kc\"]", ""));
    assert!(large.area_um2 > small.area_um2 && large.period_ps >= small.period_ps);
    let fifo = |depth| chain(&format!("depth = {depth}")).area_um2;
    assert!(fifo(2) < fifo(4) && fifo(4) < fifo(8));
    let (cut, through) = (chain("depth = 4"), chain("depth = 4\nbypassable = true"));
    assert!(through.period_ps > cut.period_ps, "{} {}", through.period_ps, cut.period_ps);
    let names: Vec<&str> = through.path.iter().map(|p| p.name.as_str()).collect();
    assert!(names.contains(&"a") && names.contains(&"f") && names.contains(&"b"), "{names:?}");
}

#[test]
fn the_same_fabric_costs_the_same() {
    assert_eq!(mesh("[\"km\", \"xs\"]", ""), mesh("[\"km\", \"xs\"]", ""));
}
