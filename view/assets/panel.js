// The side: what is selected in words, what sets the interval, what is used, the legend. And the search.

const side = byId("side");
const link = (words, kind, id) => {
  const a = make("a", words, { role: "button", tabindex: 0, "data-kind": kind, "data-id": id });
  a.onclick = () => { choose(kind, id); reveal(); };
  a.onkeydown = (e) => { if (e.key === "Enter") a.onclick(); };
  return a;
};
const put = (parent, ...children) => { children.forEach((c) => c !== null && parent.append(c)); return parent; };
const line = (...children) => put(make("p"), ...children);
function rows(list) {
  const table = make("table");
  list.forEach(([name, ...cells]) => {
    const row = table.insertRow();
    row.append(make("th", name, { scope: "row" }));
    cells.forEach((c) => { const cell = row.insertCell(); cell.append(c instanceof Node ? c : String(c)); });
  });
  return table;
}
// Brings what is selected into sight on both drawings.
function reveal() {
  const what = chosen.selected;
  if (!what) return;
  if (graph && chosen.lit.nodes.size) showNode([...chosen.lit.nodes][0]);
  if (fabric && chosen.lit.units.size) showPlace(areaOf([...chosen.lit.units][0]));
}
function sourceAt(number) {
  const pre = make("pre", null, { class: "source", "aria-label": "source" }), all = graph.source.lines;
  for (let i = Math.max(1, number - 3); i <= Math.min(all.length, number + 3); i++) {
    const span = make("span", null, i === number ? { class: "on" } : {});
    span.append(make("i", i), all[i - 1]);
    pre.append(span);
  }
  return pre;
}
const valueLink = (v) => link("%" + graph.values[v].name, "value", v);
const nodeLink = (n) => link(n < graph.ops ? opName(n) : graph.nodes[n].op + " " + graph.nodes[n].label, "op", n);
const listOf = (items) => { const span = make("span"); items.forEach((item, i) => span.append(i ? ", " : "", item)); return span; };

function aboutOp(id) {
  const node = graph.nodes[id], place = placements[id] || null, out = [];
  out.push(make("h3", opName(id)));
  const list = [["op", node.op]];
  if (place) list.push(["unit", link(place.path, "unit", place.component)], ["runs", place.unit_name]);
  const port = mapping && id >= graph.ops ? (id < graph.ops + graph.arguments ? ["in", mapping.arguments[id - graph.ops]] : ["out", mapping.results[id - graph.ops - graph.arguments]]) : null;
  if (port) list.push(["port", port[1] === null ? "not used" : port[0] + port[1]]);
  node.operands.forEach((o, i) => {
    const what = o.immediate !== null ? make("span", "immediate " + o.immediate) : valueLink(o.value);
    list.push(["takes " + o.name, put(make("span"), what, place && node.class !== "memory" ? " at input " + place.inputs[i] : "")]);
  });
  node.results.forEach((v, i) => {
    const way = place && node.class !== "memory" ? (place.outputs[i] === null ? ", discarded" : " by output " + place.outputs[i]) : "";
    list.push(["gives", put(make("span"), valueLink(v), way)]);
  });
  if (node.within !== null) { const l = graph.loops[node.within]; list.push(["in", l.kind + (l.line ? " of line " + l.line : "")]); }
  out.push(rows(list));
  if (playback && place) out.push(...playback.aboutUnit(place.component));
  out.push(node.line ? sourceAt(node.line) : make("p", "made by the compiler, of no line of its own", { class: "empty" }));
  return out;
}
// An end of a channel: a component, or a port of the fabric.
function endLink(e, side) {
  return e.part === undefined ? "fabric " + side + e.port : link(pathOf(e.part), "unit", e.part);
}
function aboutValue(id) {
  const value = graph.values[id], route = routeOf.get(id), out = [make("h3", "%" + value.name)];
  const takers = graph.edges.filter((e) => e.value === id);
  const list = [["type", value.ty + (value.control ? ": orders, carries nothing" : "")]];
  if (value.from !== null) list.push(["from", nodeLink(value.from)]);
  list.push(["to", listOf(takers.map((e) => nodeLink(e.to)))]);
  if (route) list.push(["registers", route.registers + " to its farthest use"], ["may wait in", route.slack ? route.slack + " entries of deep FIFOs" : "links only"]);
  out.push(rows(list));
  if (playback) out.push(...playback.aboutValue(id));
  if (route) {
    out.push(make("h3", "its way"));
    const ul = make("ul");
    route.channels.forEach((c) => {
      const last = c.to.part === undefined || !route.channels.some((d) => d.after !== null && route.channels[d.after] === c);
      if (c.after === null) ul.append(put(make("li"), endLink(c.from, "in"), c.from.part === undefined ? "" : " output " + c.from.port));
      const depth = c.to.part === undefined ? 0 : definitionOf(c.to.part).depth;
      ul.append(put(make("li"), last ? "arrives at " : "by ", endLink(c.to, "out"), c.to.part === undefined || depth ? "" : " input " + c.to.port, depth ? ", " + depth + " entries" : ""));
    });
    out.push(ul);
  }
  return out;
}
function aboutUnit(id) {
  const d = definitionOf(id), out = [make("h3", pathOf(id))], ops = opsOn.get(id) || [], values = [...(valuesOn.get(id) || [])];
  const list = [["kind", d.kind + " `" + d.name + "`"]];
  if (at(id).part.rank !== null && at(id).part.rank !== undefined) list.push(["rank", at(id).part.rank]);
  if (d.depth) list.push(["holds", d.depth + " entries of " + d.inputs[0]]);
  else list.push(["ports", d.inputs.length + " in, " + d.outputs.length + " out"]);
  const hosted = fabric.hosted.find((h) => h.component === id);
  if (hosted) list.push(["port", hosted.signal]);
  if (ops.length) list.push(["runs", listOf(ops.map(nodeLink))]);
  if (values.length) list.push(["values", listOf(values.map(valueLink))]);
  out.push(rows(list));
  if (playback) out.push(...playback.aboutUnit(id));
  const settings = settingsOf.get(id);
  if (settings) {
    out.push(make("h3", "configuration"));
    const ul = make("ul", null, { class: "mono" });
    settings.forEach((s) => ul.append(make("li", s)));
    out.push(ul);
  } else if (mapping) out.push(make("p", "not used by this mapping", { class: "empty" }));
  if (d.units.length) out.push(make("h3", "can run"), make("p", d.units.join(", "), { class: "mono" }));
  return out;
}

function aboutAll() {
  const out = [];
  if (failure) out.push(...aboutFailure());
  if (run && playback) out.push(...playback.aboutRun());
  if (mapping) {
    out.push(make("h2", "what sets the interval"));
    const p = line(mapping.limit.text, ". ");
    if (mapping.limit.recurrence.length || mapping.limit.sharing.length) p.append(link("show it", "limit", 0));
    out.push(p);
    const named = [...mapping.limit.sharing, ...(mapping.limit.sharing.length ? [] : mapping.limit.recurrence)];
    if (named.length) out.push(put(make("p"), listOf(named.slice(0, 12).map(nodeLink))));
  }
  if (mapping) {
    out.push(make("h2", "used"));
    const table = make("table");
    mapping.utilisation.forEach((u) => {
      const row = table.insertRow();
      row.append(make("th", u.kind, { scope: "row" }));
      row.append(make("td", u.used + " of " + u.total, { class: "n" }));
      const bar = put(make("div", null, { class: "bar" }), make("i", null, { style: "width:" + (100 * u.used / Math.max(1, u.total)) + "%" }));
      put(row.insertCell(), bar);
    });
    out.push(table);
  } else if (fabric && !failure) {
    out.push(make("h2", "what is here"));
    const count = new Map();
    for (const i of fabric.instances) for (const p of fabric.tiles[i.tile].parts) {
      const kind = fabric.definitions[p.definition].kind;
      count.set(kind, (count.get(kind) || 0) + 1);
    }
    out.push(rows([["tiles", fabric.instances.length], ...count, ["inputs", fabric.inputs.length], ["outputs", fabric.outputs.length]]));
    out.push(make("p", "To see a program on it: loom view PROGRAM --fabric " + fabric.name + ".toml -o DIR", { class: "empty" }));
  }
  if (graph && !fabric) out.push(make("p", "To see where its ops go: loom view PROGRAM --fabric FABRIC -o DIR", { class: "empty" }));
  out.push(make("h2", "legend"), legend());
  return out;
}
function aboutFailure() {
  const out = [make("h2", "no mapping was found")];
  const box = make("div", null, { class: "bad" });
  failure.messages.forEach((m) => box.append(make("p", m)));
  out.push(box);
  if (failure.values.length) out.push(line("could not be routed: ", listOf(failure.values.map(valueLink)), " ", link("show them", "failed", 0)));
  if (failure.contended.length) {
    out.push(make("h3", "wanted by more than one value"));
    const ul = make("ul");
    failure.contended.slice(0, 40).forEach(({ channel, values }) => ul.append(put(make("li"), endLink(channel.from, "in"), " to ", endLink(channel.to, "out"), ": ", listOf(values.map(valueLink)))));
    out.push(ul);
  }
  return out;
}
function legend() {
  const box = make("div", null, { class: "legend" });
  const entry = (draw, words) => {
    const svg = shape("svg", { viewBox: "0 0 26 16", "aria-hidden": "true" });
    draw(svg);
    box.append(svg, make("span", words));
  };
  const node = (cls) => (svg) => {
    const g = shape("g", { class: "node " + cls, transform: "translate(1 2)" }, svg), [tag, a] = bodyOf({ class: cls, area: { w: 24, h: 12 } });
    shape(tag, { class: "body", ...a }, g);
  };
  const stroke = (cls, colour) => (svg) => shape("path", { d: "M1 8H25", class: cls, ...(colour ? { style: "stroke:var(--" + colour + ");stroke-width:3;opacity:1" } : {}) }, svg);
  const fill = (colour) => (svg) => shape("rect", { x: 3, y: 2, width: 20, height: 12, fill: "var(--" + colour + ")" }, svg);
  if (graph) {
    entry(node("state"), "state machine: stream, gate, carry, invariant");
    entry(node("steer"), "moves tokens: branch, mux, join, constant");
    entry(node("arith"), "computes");
    entry(node("memory"), "access at a memory, with its unit");
    entry(stroke("edge control"), "control token: order, no data");
    entry(stroke("edge order"), "order behind an access");
    entry(stroke("edge back"), "to the next iteration");
  }
  if (fabric) {
    entry(fill("hub"), "switch: the bar of a tile");
    entry(fill("part"), mapping || failure ? "free" : "PE, memory interface, FIFO: nearer, their names come out");
  }
  if (failure) entry(stroke("edge", "lit"), "channel that several values want");
  if (mapping) {
    entry(fill("state"), "a unit in use has its op's colour");
    entry(stroke("edge", "route"), "way of a value");
    entry(stroke("edge", "lit"), "selected");
    entry((svg) => shape("rect", { x: 3, y: 2, width: 20, height: 12, class: "body", style: "fill:none;stroke:var(--lit);stroke-dasharray:5 2;stroke-width:2" }, svg), "sets the interval");
  }
  if (run) {
    entry((svg) => shape("circle", { cx: 13, cy: 8, r: 4, fill: "var(--token)" }, svg), "token that moves");
    entry(fill("wait0"), "waits 1 cycle or a few");
    entry(fill("wait1"), "waits 4 cycles or more");
    entry(fill("wait2"), "waits 16 cycles or more");
  }
  return box;
}
function fillSide() {
  const what = chosen.selected;
  const body = !what ? aboutAll() : what.kind === "op" ? aboutOp(what.id) : what.kind === "value" ? aboutValue(what.id) : what.kind === "unit" ? aboutUnit(what.id) : aboutAll();
  side.replaceChildren(...(what && !["limit", "failed", "circle"].includes(what.kind) ? [put(make("h2"), link("overview", null, null))] : []), ...body);
}

// Search over ops, values and components by name.
const names = [];
function collectNames() {
  if (graph) {
    graph.nodes.forEach((n, i) => names.push([i < graph.ops ? opName(i) : n.label, n.op, "op", i]));
    graph.values.forEach((v, i) => v.from !== null && names.push(["%" + v.name, "value", "value", i]));
  }
  if (!fabric) return;
  const all = fabric.instances.length < 500;
  fabric.instances.forEach((instance) => fabric.tiles[instance.tile].parts.forEach((p, i) => {
    const c = instance.first + i;
    if (all || used(c) || i === 0) names.push([pathOf(c), used(c) ? "in use" : "free", "unit", c]);
  }));
}
function startSearch() {
  const box = byId("search"), list = byId("found");
  let matches = [], marked = 0;
  const show = () => {
    const words = box.value.trim().toLowerCase();
    const score = ([name]) => { const n = name.toLowerCase(), at = n.indexOf(words); return at < 0 ? -1 : (n === words || n === "%" + words ? 0 : 1 + at); };
    matches = words ? names.map((n) => [score(n), n]).filter((m) => m[0] >= 0).sort((a, b) => a[0] - b[0]).slice(0, 40).map((m) => m[1]) : [];
    marked = Math.min(marked, Math.max(0, matches.length - 1));
    list.replaceChildren(...matches.map(([name, what, kind, id], i) => {
      const li = put(make("li", null, { role: "option", "aria-selected": i === marked }), make("b", name), make("span", what));
      li.onpointerdown = (e) => { e.preventDefault(); take(kind, id); };
      return li;
    }));
    if (words && !matches.length) list.append(make("li", "nothing is called so"));
    list.hidden = !words;
  };
  const take = (kind, id) => { box.value = ""; list.hidden = true; box.blur(); choose(kind, id); reveal(); };
  box.oninput = () => { marked = 0; show(); };
  box.onblur = () => (list.hidden = true);
  box.onkeydown = (e) => {
    if (e.key === "ArrowDown") { marked = Math.min(matches.length - 1, marked + 1); show(); e.preventDefault(); }
    if (e.key === "ArrowUp") { marked = Math.max(0, marked - 1); show(); e.preventDefault(); }
    if (e.key === "Enter" && matches[marked]) take(matches[marked][2], matches[marked][3]);
    if (e.key === "Escape") { box.value = ""; show(); box.blur(); }
    e.stopPropagation();
  };
}
