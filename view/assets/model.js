// What the page knows: the data, what is selected, and how numbers of components become places.

const data = JSON.parse(document.getElementById("data").textContent);
const fabric = data.fabric, file = data.file;
const graph = file && file.graph, mapping = file && file.mapping, run = file && file.run, failure = file && file.failure;
// What plays a run, where there is one.
let playback = null;
const byId = (id) => document.getElementById(id);
const make = (tag, text, attributes) => {
  const e = document.createElement(tag);
  if (text !== undefined && text !== null) e.textContent = text;
  for (const k in attributes || {}) e.setAttribute(k, attributes[k]);
  return e;
};

// Components by number: an instance and a part of its tile.
function at(component) {
  const all = fabric.instances;
  let low = 0, high = all.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (all[middle].first <= component) low = middle; else high = middle - 1;
  }
  const instance = all[low], tile = fabric.tiles[instance.tile];
  return { instance, number: low, tile, part: tile.parts[component - instance.first], index: component - instance.first };
}
const definitionOf = (component) => fabric.definitions[at(component).part.definition];
function pathOf(component) {
  const { instance, part } = at(component);
  return part.name ? instance.name + "." + part.name : instance.name;
}
function areaOf(component) {
  const { instance, part } = at(component);
  return { x: instance.at.x + part.area.x, y: instance.at.y + part.area.y, w: part.area.w, h: part.area.h };
}
function portOf(component, port, out) {
  const { instance, part } = at(component);
  const spot = (out ? part.outputs : part.inputs)[port];
  return { x: instance.at.x + spot.x, y: instance.at.y + spot.y };
}

// Wires by where they begin. An end without a part is a port of what the wire is in.
const key = (end) => (end.part === undefined ? "b" : end.part) + ":" + end.port;
const wiresOf = (wires) => new Map(wires.map((w) => [key(w.from), w]));
const topWires = fabric ? wiresOf(fabric.wires) : new Map();
const tileWires = fabric ? fabric.tiles.map((t) => wiresOf(t.wires)) : [];

// The line of a channel from where it begins to where it ends, over tile, street and tile.
const lines = new Map();
function channelLine(from) {
  const name = key(from);
  if (lines.has(name)) return lines.get(name);
  const points = [];
  const add = (wire, origin) => wire.points.forEach((p) => {
    const q = { x: p.x + origin.x, y: p.y + origin.y }, last = points[points.length - 1];
    if (!last || last.x !== q.x || last.y !== q.y) points.push(q);
  });
  let outer = from;
  if (from.part !== undefined) {
    const { instance, number, index } = at(from.part);
    const wire = tileWires[instance.tile].get(index + ":" + from.port);
    if (wire) add(wire, instance.at);
    outer = wire && wire.to.part === undefined ? { part: number, port: wire.to.port } : null;
  }
  const street = outer && topWires.get(key(outer));
  if (street) {
    add(street, { x: 0, y: 0 });
    if (street.to.part !== undefined) {
      const instance = fabric.instances[street.to.part];
      const wire = tileWires[instance.tile].get("b:" + street.to.port);
      if (wire) add(wire, instance.at);
    }
  }
  lines.set(name, points);
  return points;
}

// The whole way of a value: lines of its channels, and the ways through switches between them.
function routeLines(route) {
  if (route.lines) return route.lines;
  const list = [];
  for (const channel of route.channels) {
    const points = channelLine(channel.from);
    const before = channel.after === null ? null : route.channels[channel.after];
    if (before && points.length) {
      const enters = portOf(before.to.part, before.to.port, false);
      list.push({ points: [enters, points[0]], inside: true, channel });
    }
    list.push({ points, inside: false, channel });
  }
  return (route.lines = list);
}

// What is where, both ways.
const opsOn = new Map(), routeOf = new Map(), valuesOn = new Map(), settingsOf = new Map();
const placements = mapping ? mapping.placements : failure ? failure.placements : [];
placements.forEach((p, op) => {
  if (!opsOn.has(p.component)) opsOn.set(p.component, []);
  opsOn.get(p.component).push(op);
});
if (mapping) {
  for (const route of mapping.routes) {
    routeOf.set(route.value, route);
    for (const channel of route.channels) {
      for (const end of [channel.from, channel.to]) {
        if (end.part === undefined) continue;
        if (!valuesOn.has(end.part)) valuesOn.set(end.part, new Set());
        valuesOn.get(end.part).add(route.value);
      }
    }
  }
  for (const setting of mapping.settings) settingsOf.set(setting.component, setting.lines);
}
const used = (component) => opsOn.has(component) || valuesOn.has(component);
const classOn = (component) => {
  const ops = opsOn.get(component);
  return ops ? graph.nodes[ops[0]].class : null;
};
const opName = (op) => {
  const node = graph.nodes[op], value = node.results.map((v) => "%" + graph.values[v].name)[0];
  return value ? node.label + " " + value : node.label;
};

// Selection: of an op (any node of the graph), a value or a unit (a component). What is under the pointer goes before it.
const chosen = { selected: null, hovered: null, listeners: [] };
const current = () => chosen.hovered || chosen.selected;
function choose(kind, id, hover) {
  const next = kind === null ? null : { kind, id };
  const slot = hover ? "hovered" : "selected", was = chosen[slot];
  if ((was === null) === (next === null) && (!was || (was.kind === next.kind && was.id === next.id))) return;
  chosen[slot] = next;
  if (!hover) chosen.hovered = null;
  chosen.lit = litBy(current());
  chosen.listeners.forEach((f) => f(hover));
}
function litBy(what) {
  const lit = { nodes: new Set(), values: new Set(), units: new Set(), empty: !what };
  if (!what) return lit;
  const addOp = (op) => {
    lit.nodes.add(op);
    if (placements[op]) lit.units.add(placements[op].component);
  };
  if (what.kind === "op") {
    addOp(what.id);
    const node = graph.nodes[what.id];
    node.operands.forEach((o) => lit.values.add(o.value));
    node.results.forEach((v) => lit.values.add(v));
  } else if (what.kind === "value") {
    lit.values.add(what.id);
    graph.edges.filter((e) => e.value === what.id).forEach((e) => [e.from, e.to].forEach(addOp));
    const route = routeOf.get(what.id);
    if (route) route.channels.forEach((c) => [c.from, c.to].forEach((e) => e.part !== undefined && lit.units.add(e.part)));
  } else if (what.kind === "unit") {
    lit.units.add(what.id);
    (opsOn.get(what.id) || []).forEach(addOp);
    (valuesOn.get(what.id) || []).forEach((v) => lit.values.add(v));
  } else if (what.kind === "limit") {
    const limit = mapping.limit, ops = new Set([...limit.recurrence, ...limit.sharing]);
    ops.forEach(addOp);
    graph.edges.filter((e) => ops.has(e.from) && ops.has(e.to)).forEach((e) => lit.values.add(e.value));
  } else if (what.kind === "circle") {
    run.circle.forEach(addOp);
    run.circle_values.forEach((v) => lit.values.add(v));
  } else if (what.kind === "failed") {
    failure.values.forEach((v) => lit.values.add(v));
  }
  return lit;
}
chosen.lit = litBy(null);

const css = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
let colours = {};
function readColours() {
  const names = "back card ink soft line faint tile part wire hub state steer arith memory port route lit tint token wait0 wait1 wait2";
  colours = Object.fromEntries(names.split(" ").map((n) => [n, css(n)]));
  colours.access = colours.memory;
}
const darkNow = () => document.documentElement.dataset.theme === "dark";
function setTheme(dark) {
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  readColours();
}
