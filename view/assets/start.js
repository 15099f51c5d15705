// Puts the parts together: figures, keys, and one frame at a time.

const KEYS = [
  ["/", "search by name"], ["Esc", "select nothing"], ["f", "whole fabric"], ["u", "what is used of it"], ["g", "whole graph"],
  ["+ -", "fabric larger, smaller"], ["arrows", "move the fabric"], ["n p", "next op, op before"], ["d", "light or dark"],
  ["space", "play or stop"], [", .", "a cycle back, a cycle on"], ["Home End", "first cycle, last cycle"], ["[ ]", "slower, faster"], ["h", "next heat map"],
];
const fits = { graph: () => graph && fitGraph(), floor: () => fabric && fitFloor(), used: () => fabric && fitFloor(usedArea()) };

const cyclesOf = (x) => (x === null ? "never" : x.toFixed(2));
function figures() {
  const box = byId("figures"), add = (name, value, title) => {
    const span = make("span", name + " ", title ? { title } : {});
    span.append(make("b", value));
    box.append(span);
  };
  if (graph) add("ops", graph.ops);
  if (mapping) {
    add("II", cyclesOf(mapping.ii), "expected cycles from one iteration to the next");
    add("MII", cyclesOf(mapping.mii), "no mapping like this one has a shorter interval");
    add("fill", mapping.fill + " cycles", "cycles beyond one interval for each further iteration");
  }
  if (run) add("case", run.case + ", " + run.total + " cycles");
  if (fabric && !file) { add("tiles", fabric.instances.length); add("hash", fabric.hash.slice(0, 12)); }
}
function step(by) {
  if (!graph) return;
  const what = chosen.selected, from = what && what.kind === "op" ? what.id : by > 0 ? -1 : 0;
  choose("op", (from + by + graph.nodes.length) % graph.nodes.length);
  reveal();
}
function pressed(e) {
  if (e.ctrlKey || e.metaKey || e.altKey || e.target.matches("input[type=search], select")) return;
  const move = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] }[e.key];
  const acts = {
    "/": () => byId("search").focus(), Escape: () => choose(null, null), f: fits.floor, u: fits.used, g: fits.graph,
    "+": () => fabric && zoomFloor(1.3), "=": () => fabric && zoomFloor(1.3), "-": () => fabric && zoomFloor(1 / 1.3),
    n: () => step(1), p: () => step(-1), d: () => switchTheme(), "?": () => byId("help").click(),
  };
  if (playback && playback.pressed(e.key)) { e.preventDefault(); return; }
  if (move && fabric && e.target.type !== "range") { floor.x += move[0]; floor.y += move[1]; floor.dirty = true; e.preventDefault(); }
  if (acts[e.key]) { acts[e.key](); e.preventDefault(); }
}
function switchTheme(dark) {
  setTheme(dark === undefined ? !darkNow() : dark);
  floor.dirty = true;
  if (playback) playback.redraw();
}
function frame(now) {
  if (playback) playback.frame(now);
  if (fabric && floor.dirty) { floor.dirty = false; drawFloor(); if (playback) playback.drawTokens(); }
  requestAnimationFrame(frame);
}
function start() {
  setTheme(window.matchMedia && matchMedia("(prefers-color-scheme: dark)").matches);
  byId("graph").hidden = !graph;
  byId("floor").hidden = !fabric;
  document.querySelector("main").classList.toggle("lone", !graph || !fabric);
  figures();
  if (graph) startGraph();
  if (fabric) startFloor();
  if (run && mapping) playback = makePlayback();
  collectNames();
  startSearch();
  if (!playback) byId("player").textContent = mapping ? "No run in this page. loom run PROGRAM --fabric FABRIC --case CASE -o DIR --view records one." : "";
  byId("player").hidden = !mapping;
  const table = make("table");
  KEYS.forEach(([k, words]) => { const row = table.insertRow(); put(row.insertCell(), make("kbd", k)); put(row.insertCell(), words); });
  const keys = byId("keys");
  keys.append(make("h2", "keys"), table, make("p", "Drag moves, the wheel zooms, a click selects."));
  keys.onclick = () => keys.close();
  byId("help").onclick = () => (keys.open ? keys.close() : keys.showModal());
  byId("theme").onclick = () => switchTheme();
  document.querySelectorAll("[data-fit]").forEach((b) => (b.onclick = () => fits[b.dataset.fit]()));
  document.querySelectorAll("[data-zoom]").forEach((b) => (b.onclick = () => {
    const [which, factor] = b.dataset.zoom.split(",");
    (which === "graph" ? zoomGraph : zoomFloor)(Number(factor));
  }));
  chosen.listeners.push((hover) => {
    if (graph) lightGraph();
    floor.dirty = true;
    if (!hover) fillSide();
  });
  fillSide();
  document.addEventListener("keydown", pressed);
  window.addEventListener("resize", () => { floor.dirty = true; if (playback) playback.redraw(); });
  if (graph) beginGraph();
  if (fabric) fitFloor(mapping ? usedArea() : null);
  if (playback) playback.begin();
  goTo(new URLSearchParams(location.hash.slice(1)));
  requestAnimationFrame((now) => { frame(now); performance.mark("drawn"); });
}
// What a link to the page may ask for: `#op=3`, `#value=sum`, `#unit=t_0_0.sw`, `&zoom=3`, `&theme=dark`, `&cycle=20`.
function goTo(wish) {
  if (wish.has("theme")) switchTheme(wish.get("theme") === "dark");
  const named = (kind, name) => names.find((n) => n[2] === kind && n[0] === name);
  const found = wish.has("op") && graph ? [0, 0, "op", Number(wish.get("op"))]
    : wish.has("value") ? named("value", "%" + wish.get("value")) : wish.has("unit") ? named("unit", wish.get("unit")) : null;
  if (found) choose(found[2], found[3]);
  if (wish.has("zoom") && fabric) {
    const unit = [...chosen.lit.units][0], a = unit === undefined ? usedArea() : areaOf(unit);
    fitFloor();
    if (a) { floor.x += (fabric.size.w / 2 - a.x - a.w / 2) * floor.scale; floor.y += (fabric.size.h / 2 - a.y - a.h / 2) * floor.scale; }
    zoomFloor(Number(wish.get("zoom")));
    if (graph && chosen.lit.nodes.size) showNode([...chosen.lit.nodes][0]);
  } else reveal();
  if (wish.has("cycle") && playback) playback.seek(Number(wish.get("cycle")));
}
start();
