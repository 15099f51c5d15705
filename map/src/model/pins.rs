//! Ports of the fabric that arguments and results are to have.

use super::matching::{self, PortChoice};
use super::problem::Problem;
use crate::codes;
use loom_adg::model::Port;
use loom_adg::Fabric;
use loom_base::{Diagnostic, Diagnostics};
use std::str::FromStr;

/// An argument or result by name, and the port that it is to have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PinnedPort {
    /// Name of the argument or result.
    pub name: String,
    /// Whether it is an argument, at an input of the fabric.
    pub is_input: bool,
    /// Number of the input or output.
    pub port: usize,
}

impl FromStr for PinnedPort {
    type Err = String;

    /// Reads `NAME=in<k>` or `NAME=out<k>`.
    fn from_str(text: &str) -> Result<PinnedPort, String> {
        let (name, port) = text.rsplit_once('=').ok_or("no `=` between name and port")?;
        let input = port.strip_prefix("in").map(|k| (true, k));
        let (is_input, number) = input
            .or_else(|| port.strip_prefix("out").map(|k| (false, k)))
            .filter(|(_, k)| k.bytes().all(|b| b.is_ascii_digit()))
            .and_then(|(is_input, k)| Some((is_input, k.parse().ok()?)))
            .ok_or_else(|| format!("`{port}` is no port: `in<k>` for an argument, `out<k>` for a result"))?;
        match name.is_empty() {
            true => Err("no name before `=`".into()),
            false => Ok(PinnedPort { name: name.into(), is_input, port: number }),
        }
    }
}

impl PinnedPort {
    fn text(&self) -> String {
        format!("`{}` at `{}{}`", self.name, if self.is_input { "in" } else { "out" }, self.port)
    }
}

impl Problem<'_> {
    /// Leaves arguments and results the ports that they are to have, and the others the rest. Errors: names and ports that are not
    /// there, ports too narrow, ports of two values, and too few ports for the others.
    pub fn pin(&mut self, fabric: &Fabric, pins: &[PinnedPort]) -> Result<(), Diagnostics> {
        let top = &fabric.adg().top;
        let arguments = self.graph.arguments.iter().map(|&v| (&self.graph.value(v).name[..], v));
        let results = self.graph.outputs.iter().map(|o| (&o.name[..], o.value));
        for is_input in [true, false] {
            let pins: Vec<&PinnedPort> = pins.iter().filter(|p| p.is_input == is_input).collect();
            if pins.is_empty() {
                continue;
            }
            let (names, ports, choices): (Vec<_>, _, _) = match is_input {
                true => (arguments.clone().collect(), &top.inputs, &mut self.inputs),
                false => (results.clone().collect(), &top.outputs, &mut self.outputs),
            };
            let widths: Vec<u32> = names.iter().map(|&(_, v)| self.widths[v.0 as usize]).collect();
            let names: Vec<&str> = names.into_iter().map(|(name, _)| name).collect();
            // Arguments without uses have no port, and need none.
            let needing: Vec<usize> = (0..choices.len()).filter(|&i| !choices[i].ports.is_empty()).collect();
            pin_side(&names, ports, choices, &pins)?;
            matching::first_ports(choices, needing, &widths, ports).map_err(|i| {
                let message = format!("`{}` has no port left beside those that are pinned", names[i]);
                bad(message, "pin fewer, or others")
            })?;
        }
        Ok(())
    }
}

fn bad(message: String, help: &str) -> Diagnostics {
    vec![Diagnostic::error(codes::PINNED_PORT, message).help(help)]
}

/// Takes from each value the ports that it may not have.
fn pin_side(
    names: &[&str],
    ports: &[Port],
    choices: &mut [PortChoice],
    pins: &[&PinnedPort],
) -> Result<(), Diagnostics> {
    for (k, pin) in pins.iter().enumerate() {
        let what = if pin.is_input { "argument" } else { "result" };
        let Some(at) = names.iter().position(|&name| name == pin.name) else {
            let list: Vec<String> = names.iter().map(|n| format!("`{n}`")).collect();
            let help = format!("its {what}s are {}", list.join(", "));
            return Err(bad(
                format!("{} is to be pinned, and the kernel has no such {what}", pin.text()),
                &help,
            ));
        };
        if let Some(other) = pins[..k].iter().find(|p| p.name == pin.name || p.port == pin.port) {
            let message = format!("{} and {} exclude each other", other.text(), pin.text());
            return Err(bad(message, "give each name one port, and each port one name"));
        }
        if pin.port >= ports.len() {
            let message = format!("{}: the fabric has {} such ports", pin.text(), ports.len());
            return Err(bad(message, "ports are counted from 0; the fabric's layout.json lists them"));
        }
        let choice = &mut choices[at];
        if choice.ports.is_empty() {
            let message = format!("{}, which nobody uses and has no port", pin.text());
            return Err(bad(message, "leave it out"));
        }
        if !choice.ports.contains(&pin.port) {
            let message =
                format!("{}, which cannot take it: too narrow, tagged, or connected to nothing", pin.text());
            let fitting: Vec<String> = choice.ports.iter().take(8).map(usize::to_string).collect();
            return Err(bad(message, &format!("ports that can are {}", fitting.join(", "))));
        }
        for (other, choice) in choices.iter_mut().enumerate() {
            choice.ports.retain(|&port| (port == pin.port) == (other == at));
        }
    }
    Ok(())
}
