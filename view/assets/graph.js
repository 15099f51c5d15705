// The graph as SVG: what Rust has placed, with shapes that tell kinds of ops apart without colour.

const SVG = "http://www.w3.org/2000/svg";
const drawing = { svg: byId("drawing"), scale: 1, x: 0, y: 0, world: null, nodes: [], edges: [] };
const shape = (tag, attributes, parent) => {
  const e = document.createElementNS(SVG, tag);
  for (const k in attributes) e.setAttribute(k, attributes[k]);
  if (parent) parent.appendChild(e);
  return e;
};
// Straight down out of an op and into one, bent between.
function curve(points) {
  let d = "M" + points[0].x + " " + points[0].y;
  for (let i = 1; i < points.length; i++) {
    const a = points[i - 1], b = points[i], bend = Math.max(12, Math.min(60, Math.abs(b.y - a.y) / 2));
    d += "C" + a.x + " " + (a.y + bend) + " " + b.x + " " + (b.y - bend) + " " + b.x + " " + b.y;
  }
  return d;
}
// Round the side: down, up beside everything, and in from above.
function roundabout(points) {
  const [a, low, high, b] = points;
  return "M" + a.x + " " + a.y + "C" + a.x + " " + (low.y + 14) + " " + low.x + " " + (low.y + 14) + " " + low.x + " " + low.y +
    "L" + high.x + " " + high.y + "C" + high.x + " " + (high.y - 14) + " " + b.x + " " + (high.y - 14) + " " + b.x + " " + b.y;
}
function bodyOf(node) {
  const { w, h } = node.area;
  switch (node.class) {
    case "state": return ["rect", { width: w, height: h, rx: h / 2 }];
    case "steer": return ["path", { d: `M9 0H${w - 9}L${w} ${h / 2}L${w - 9} ${h}H9L0 ${h / 2}Z` }];
    case "memory": return ["path", { d: `M0 0H${w}V${h}H0ZM5 0V${h}M${w - 5} 0V${h}` }];
    case "access": return ["path", { d: `M8 0H${w}V${h - 8}L${w - 8} ${h}H0V8Z` }];
    case "arith": return ["rect", { width: w, height: h, rx: 3 }];
    default: return ["rect", { width: w, height: h, rx: 8 }];
  }
}
function startGraph() {
  const { svg } = drawing, world = (drawing.world = shape("g", {}, svg));
  const marks = shape("defs", {}, svg);
  const arrow = shape("marker", { id: "arrow", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto", markerUnits: "userSpaceOnUse" }, marks);
  shape("path", { d: "M0 0L8 4L0 8Z", fill: "context-stroke" }, arrow);
  graph.loops.forEach((l) => {
    shape("rect", { class: "loop", x: l.area.x, y: l.area.y, width: l.area.w, height: l.area.h, rx: 8 }, world);
    const label = shape("text", { class: "loopname", x: l.area.x + 10, y: l.area.y + 16 }, world);
    label.textContent = l.kind + (l.line ? ", line " + l.line : "");
  });
  const memory = (n) => graph.nodes[n].class === "memory" || graph.nodes[n].class === "access";
  graph.edges.forEach((edge, i) => {
    const value = graph.values[edge.value], points = edge.points;
    const d = edge.back && points.length === 4 ? roundabout(points) : curve(points);
    const order = value.control && memory(edge.from);
    const names = ["edge", value.control && "control", edge.back && "back", order && "order"].filter(Boolean).join(" ");
    drawing.edges.push(shape("path", { d, class: names, "marker-end": "url(#arrow)" }, world));
    const touch = shape("path", { d, class: "touch", "data-value": edge.value, "data-edge": i }, world);
    shape("title", {}, touch).textContent = "%" + value.name + ": " + value.ty;
  });
  graph.nodes.forEach((node, i) => {
    const g = shape("g", { class: "node " + node.class, "data-op": i, transform: `translate(${node.area.x} ${node.area.y})`, tabindex: -1, role: "button" }, world);
    const [tag, attributes] = bodyOf(node);
    shape(tag, { class: "body", ...attributes }, g);
    const literals = node.operands.filter((o) => o.immediate !== null).map((o) => "=" + o.immediate).join(" ");
    const label = shape("text", { x: node.area.w / 2, y: node.area.h / 2 + (literals ? 0 : 4) }, g);
    label.textContent = node.label;
    if (literals) shape("text", { class: "imm", x: node.area.w / 2, y: node.area.h - 4 }, g).textContent = literals;
    g.setAttribute("aria-label", opName(i) + (node.line ? ", line " + node.line : ""));
    shape("title", {}, g).textContent = opName(i) + (node.line ? "\nline " + node.line : "");
    drawing.nodes.push(g);
  });
  svg.addEventListener("click", (e) => { if (!drawing.dragged) { const what = under(e.target); choose(what && what.kind, what && what.id); } });
  svg.addEventListener("pointerover", (e) => { const what = under(e.target); if (what) choose(what.kind, what.id, true); });
  svg.addEventListener("pointerout", () => choose(null, null, true));
  panGraph(svg);
  if (mapping) {
    const ops = new Set([...mapping.limit.recurrence, ...mapping.limit.sharing]);
    ops.forEach((op) => drawing.nodes[op].classList.add("limit"));
    graph.edges.forEach((e, i) => ops.has(e.from) && ops.has(e.to) && drawing.edges[i].classList.add("limit"));
  }
}
function under(target) {
  const node = target.closest("[data-op]"), edge = target.closest("[data-value]");
  if (node) return { kind: "op", id: Number(node.dataset.op) };
  return edge ? { kind: "value", id: Number(edge.dataset.value) } : null;
}
function panGraph(svg) {
  let drag = null;
  svg.addEventListener("pointerdown", (e) => { drag = { x: e.clientX, y: e.clientY }; drawing.dragged = false; });
  svg.addEventListener("pointermove", (e) => {
    if (!drag) return;
    const dx = e.clientX - drag.x, dy = e.clientY - drag.y;
    if (drawing.dragged || Math.hypot(dx, dy) > 3) { drag = { x: e.clientX, y: e.clientY }; drawing.dragged = true; drawing.x += dx; drawing.y += dy; moveGraph(); }
  });
  window.addEventListener("pointerup", () => (drag = null));
  svg.addEventListener("wheel", (e) => {
    e.preventDefault();
    const box = svg.getBoundingClientRect();
    zoomGraph(Math.exp(-e.deltaY * 0.0015), e.clientX - box.left, e.clientY - box.top);
  }, { passive: false });
}
const moveGraph = () => drawing.world.setAttribute("transform", `translate(${drawing.x} ${drawing.y}) scale(${drawing.scale})`);
function zoomGraph(factor, cx, cy) {
  const box = drawing.svg.getBoundingClientRect(), px = cx === undefined ? box.width / 2 : cx, py = cy === undefined ? box.height / 2 : cy;
  const scale = Math.min(4, Math.max(0.05, drawing.scale * factor));
  drawing.x = px - (px - drawing.x) * scale / drawing.scale;
  drawing.y = py - (py - drawing.y) * scale / drawing.scale;
  drawing.scale = scale;
  moveGraph();
}
function fitGraph() {
  const box = drawing.svg.getBoundingClientRect(), { w, h } = graph.size;
  drawing.scale = Math.min((box.width - 24) / w, (box.height - 24) / h, 1.4);
  drawing.x = (box.width - w * drawing.scale) / 2;
  drawing.y = (box.height - h * drawing.scale) / 2;
  moveGraph();
}
// The first look: large enough to read, from the top where that is too large for the page.
function beginGraph() {
  fitGraph();
  const box = drawing.svg.getBoundingClientRect(), readable = 0.8;
  if (drawing.scale >= readable) return;
  drawing.scale = Math.max(drawing.scale, Math.min(readable, (box.width - 24) / graph.size.w, 1), 0.5);
  drawing.x = (box.width - graph.size.w * drawing.scale) / 2;
  drawing.y = 12;
  moveGraph();
}
function lightGraph() {
  const lit = chosen.lit;
  drawing.svg.classList.toggle("dim", !lit.empty && (lit.nodes.size > 0 || lit.values.size > 0));
  drawing.nodes.forEach((g, i) => g.classList.toggle("lit", lit.nodes.has(i)));
  graph.edges.forEach((e, i) => drawing.edges[i].classList.toggle("lit", lit.values.has(e.value)));
}
function showNode(op) {
  const box = drawing.svg.getBoundingClientRect(), a = graph.nodes[op].area, s = drawing.scale;
  const x = a.x * s + drawing.x, y = a.y * s + drawing.y;
  if (x < 10 || x + a.w * s > box.width - 10) drawing.x = box.width / 2 - (a.x + a.w / 2) * s;
  if (y < 10 || y + a.h * s > box.height - 10) drawing.y = box.height / 2 - (a.y + a.h / 2) * s;
  moveGraph();
}
