//! A fabric, or a mapping on it, as one still picture (SVG) for pages of text.
//!
//! It has the places, shapes and colours of the page (`view/assets/page.css`, light) without anything that moves. Guarantees: same
//! inputs, same bytes.

use crate::fabric::{EndView, FabricView, InstanceView, PartView, Spot, WireView};
use crate::page::MappingFile;
use std::collections::BTreeMap;
use std::fmt::Write;

const INK: &str = "#1b1d21";
const SOFT: &str = "#5d636e";
const LINE: &str = "#d4d6da";
const WIRE: &str = "#b9bec7";
const FREE: &str = "#eceef1";
const HUB: &str = "#dfe2e7";
const ROUTE: &str = "#0072b2";

/// What is drawn, and the ops on its components.
struct Picture<'a> {
    fabric: &'a FabricView,
    file: Option<&'a MappingFile>,
    /// By component, its first op.
    ops: BTreeMap<usize, usize>,
    text: String,
}

/// The picture of a fabric, with what a mapping puts on it.
pub fn picture(fabric: &FabricView, file: Option<&MappingFile>) -> String {
    let mapping = file.and_then(|f| f.mapping.as_ref());
    let mut ops = BTreeMap::new();
    for (op, place) in mapping.iter().flat_map(|m| m.placements.iter().enumerate()) {
        ops.entry(place.component).or_insert(op);
    }
    let mut picture = Picture { fabric, file, ops, text: String::new() };
    let (w, h) = (fabric.size.w, fabric.size.h);
    let _ = write!(
        picture.text,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {w} {h}\" font-family=\"sans-serif\" text-anchor=\"middle\">\n\
         <rect width=\"{w}\" height=\"{h}\" fill=\"#fff\"/>\n"
    );
    fabric.instances.iter().for_each(|i| picture.instance(i));
    if mapping.is_none() {
        let all: Vec<String> = fabric.wires.iter().map(|w| line(&w.points, Spot::default())).collect();
        picture.path(&all.concat(), WIRE, 1);
    }
    picture.ports();
    for route in mapping.iter().flat_map(|m| &m.routes) {
        let mut d = String::new();
        for channel in &route.channels {
            let points = picture.channel(channel.from);
            if let (Some(before), Some(&start)) = (channel.after, points.first()) {
                let to = route.channels[before].to;
                let enters = to.part.map(|c| picture.spot(c, to.port));
                d += &enters.map_or(String::new(), |p| line(&[p, start], Spot::default()));
            }
            d += &line(&points, Spot::default());
        }
        picture.path(&d, ROUTE, 3);
    }
    fabric.instances.iter().for_each(|i| picture.labels(i));
    picture.text.push_str("</svg>\n");
    picture.text
}

fn line(points: &[Spot], origin: Spot) -> String {
    let mut d = String::new();
    for (i, p) in points.iter().enumerate() {
        let _ = write!(d, "{}{} {}", if i == 0 { "M" } else { "L" }, p.x + origin.x, p.y + origin.y);
    }
    d
}

impl Picture<'_> {
    fn path(&mut self, d: &str, colour: &str, width: u32) {
        if !d.is_empty() {
            let _ = writeln!(
                self.text,
                "<path d=\"{d}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\" stroke-linejoin=\"round\"/>"
            );
        }
    }

    fn class(&self, component: usize) -> Option<&str> {
        let op = *self.ops.get(&component)?;
        self.file.map(|f| f.graph.nodes[op].class.as_str())
    }

    fn instance(&mut self, instance: &InstanceView) {
        let tile = &self.fabric.tiles[instance.tile];
        let Spot { x, y } = instance.at;
        let _ = writeln!(
            self.text,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{}\" height=\"{}\" fill=\"#fbfbfa\" stroke=\"{LINE}\"/>",
            tile.size.w, tile.size.h
        );
        if self.file.is_none() {
            let all: Vec<String> = tile.wires.iter().map(|w| line(&w.points, instance.at)).collect();
            self.path(&all.concat(), WIRE, 1);
        }
        for (i, part) in tile.parts.iter().enumerate() {
            let kind = self.fabric.definitions[part.definition].kind.as_str();
            let class = self.class(instance.first + i);
            let fill = match class.unwrap_or(kind) {
                "state" => "#cc79a7",
                "steer" => "#56b4e9",
                "arith" => "#009e73",
                "memory" if class.is_some() => "#e69f00",
                "access" => "#e69f00",
                "spatial_sw" => HUB,
                _ => FREE,
            };
            let a = part.area;
            let stroke = match (class, self.file) {
                (Some(_), _) => INK,
                (None, None) => SOFT,
                (None, Some(_)) => LINE,
            };
            let _ = writeln!(
                self.text,
                "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{fill}\" stroke=\"{stroke}\"/>",
                x + a.x,
                y + a.y,
                a.w,
                a.h
            );
        }
    }

    fn words(&mut self, at: Spot, size: i32, colour: &str, words: &str) {
        let words = words.replace('&', "&amp;").replace('<', "&lt;");
        let _ = writeln!(
            self.text,
            "<text x=\"{}\" y=\"{}\" font-size=\"{size}\" fill=\"{colour}\">{words}</text>",
            at.x, at.y
        );
    }

    fn labels(&mut self, instance: &InstanceView) {
        let tile = &self.fabric.tiles[instance.tile];
        for (i, part) in tile.parts.iter().enumerate() {
            let a = part.area;
            let middle = Spot { x: instance.at.x + a.x + a.w / 2, y: instance.at.y + a.y + a.h / 2 + 4 };
            let op = self.ops.get(&(instance.first + i)).copied();
            match (op, self.file) {
                (Some(op), Some(file)) => {
                    let node = &file.graph.nodes[op];
                    self.words(middle, if node.label.len() > 9 { 13 } else { 16 }, INK, &node.label);
                }
                (None, None) if a.h >= 26 && a.w >= 40 => self.words(middle, 12, SOFT, &part.name),
                _ => {}
            }
        }
        if tile.parts.len() > 1 {
            let corner = Spot { x: instance.at.x + tile.size.w - 90, y: instance.at.y + tile.size.h - 10 };
            self.words(corner, 16, SOFT, &format!("{} {}", instance.name, tile.name));
        }
    }

    fn ports(&mut self) {
        let mapping = self.file.and_then(|f| f.mapping.as_ref());
        let inputs: Vec<usize> = mapping.iter().flat_map(|m| m.arguments.iter().flatten().copied()).collect();
        let outputs: Vec<usize> = mapping.iter().flat_map(|m| m.results.iter().copied()).collect();
        for (ports, used) in [(&self.fabric.inputs, inputs), (&self.fabric.outputs, outputs)] {
            for (k, port) in ports.iter().enumerate() {
                let (r, fill) = if used.contains(&k) { (8, ROUTE) } else { (4, LINE) };
                let _ = writeln!(
                    self.text,
                    "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{fill}\"/>",
                    port.at.x - r,
                    port.at.y - r,
                    2 * r,
                    2 * r
                );
            }
        }
    }

    fn at(&self, component: usize) -> (usize, &InstanceView, &PartView) {
        let number = self.fabric.instances.partition_point(|i| i.first <= component) - 1;
        let instance = &self.fabric.instances[number];
        (number, instance, &self.fabric.tiles[instance.tile].parts[component - instance.first])
    }

    fn spot(&self, component: usize, input: usize) -> Spot {
        let (_, instance, part) = self.at(component);
        let spot = part.inputs[input];
        Spot { x: instance.at.x + spot.x, y: instance.at.y + spot.y }
    }

    /// The line of a channel over tile, street and tile.
    fn channel(&self, from: EndView) -> Vec<Spot> {
        let find = |wires: &'_ [WireView], end: EndView| wires.iter().find(|w| w.from == end).cloned();
        let moved = |wire: &WireView, at: Spot| {
            wire.points.iter().map(|p| Spot { x: p.x + at.x, y: p.y + at.y }).collect::<Vec<_>>()
        };
        let mut points = Vec::new();
        let mut outer = Some(from);
        if let Some(component) = from.part {
            let (number, instance, _) = self.at(component);
            let end = EndView { part: Some(component - instance.first), port: from.port };
            let Some(wire) = find(&self.fabric.tiles[instance.tile].wires, end) else { return points };
            points.extend(moved(&wire, instance.at));
            outer = wire.to.part.is_none().then_some(EndView { part: Some(number), port: wire.to.port });
        }
        let Some(street) = outer.and_then(|end| find(&self.fabric.wires, end)) else { return points };
        points.extend(moved(&street, Spot::default()));
        if let Some(number) = street.to.part {
            let instance = &self.fabric.instances[number];
            let end = EndView { part: None, port: street.to.port };
            let wire = find(&self.fabric.tiles[instance.tile].wires, end);
            points.extend(wire.map_or(Vec::new(), |w| moved(&w, instance.at)));
        }
        points
    }
}
