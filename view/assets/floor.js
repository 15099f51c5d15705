// The floor plan on a canvas, drawn from the whole fabric down to the ports of one switch. What moves is on a second canvas
// above it, so that a run redraws only tokens.

const floor = { base: byId("base"), over: byId("over"), tip: byId("tip"), scale: 1, x: 0, y: 0, dirty: true, heat: null };

function size(canvas) {
  const box = canvas.parentElement.getBoundingClientRect(), ratio = window.devicePixelRatio || 1;
  const w = Math.max(1, Math.round(box.width * ratio)), h = Math.max(1, Math.round(box.height * ratio));
  if (canvas.width !== w || canvas.height !== h) { canvas.width = w; canvas.height = h; }
  return { w: box.width, h: box.height, ratio };
}
function fitFloor(area) {
  const { w, h } = size(floor.base), a = area || { x: 0, y: 0, w: fabric.size.w, h: fabric.size.h };
  floor.scale = Math.min(w / a.w, h / a.h, 4);
  floor.x = w / 2 - (a.x + a.w / 2) * floor.scale;
  floor.y = h / 2 - (a.y + a.h / 2) * floor.scale;
  floor.dirty = true;
}
function usedArea() {
  if (!mapping) return null;
  let x0 = Infinity, y0 = Infinity, x1 = -Infinity, y1 = -Infinity;
  const grow = (x, y) => { x0 = Math.min(x0, x); y0 = Math.min(y0, y); x1 = Math.max(x1, x); y1 = Math.max(y1, y); };
  for (const route of mapping.routes) for (const line of routeLines(route)) line.points.forEach((p) => grow(p.x, p.y));
  for (const component of opsOn.keys()) {
    const { instance, tile } = at(component);
    grow(instance.at.x, instance.at.y);
    grow(instance.at.x + tile.size.w, instance.at.y + tile.size.h);
  }
  return x0 < x1 && y0 < y1 ? { x: x0 - 20, y: y0 - 20, w: x1 - x0 + 40, h: y1 - y0 + 40 } : null;
}
function zoomFloor(factor, cx, cy) {
  const { w, h } = size(floor.base), px = cx === undefined ? w / 2 : cx, py = cy === undefined ? h / 2 : cy;
  const scale = Math.min(8, Math.max(Math.min(w / fabric.size.w, h / fabric.size.h) / 2, floor.scale * factor));
  floor.x = px - (px - floor.x) * scale / floor.scale;
  floor.y = py - (py - floor.y) * scale / floor.scale;
  floor.scale = scale;
  floor.dirty = true;
}
// Moves the plan so that a place is seen, and no more than that.
function showPlace(area) {
  const { w, h } = size(floor.base), s = floor.scale;
  const x = area.x * s + floor.x, y = area.y * s + floor.y;
  if (x < 20 || x + area.w * s > w - 20) floor.x = w / 2 - (area.x + area.w / 2) * s;
  if (y < 20 || y + area.h * s > h - 20) floor.y = h / 2 - (area.y + area.h / 2) * s;
  floor.dirty = true;
}

function drawFloor() {
  const { w, h, ratio } = size(floor.base), g = floor.base.getContext("2d"), s = floor.scale;
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  g.fillStyle = colours.back;
  g.fillRect(0, 0, w, h);
  g.setTransform(ratio * s, 0, 0, ratio * s, ratio * floor.x, ratio * floor.y);
  const seen = { x0: -floor.x / s, y0: -floor.y / s, x1: (w - floor.x) / s, y1: (h - floor.y) / s };
  const inside = (a, size) => a.x < seen.x1 && a.y < seen.y1 && a.x + size.w > seen.x0 && a.y + size.h > seen.y0;
  const view = { g, s, hair: 1 / s };
  const tiles = fabric.instances.filter((i) => inside(i.at, fabric.tiles[i.tile].size));
  // At a few pixels a tile its parts say nothing.
  const level = fabric.tiles[0] ? fabric.tiles[fabric.instances[0].tile].size.w * s : 100;
  for (const instance of tiles) drawTile(view, instance, level);
  if (level > 160) drawStreets(view, seen);
  drawPorts(view, level);
  if (mapping) drawRoutes(view);
  if (failure) drawContended(view);
  for (const instance of tiles) if (level > 60) drawLabels(view, instance);
}
function drawTile(view, instance, level) {
  const { g, s, hair } = view, tile = fabric.tiles[instance.tile], { x, y } = instance.at;
  const alone = tile.parts.length === 1;
  g.fillStyle = colours.tile;
  g.strokeStyle = colours.line;
  g.lineWidth = hair;
  if (!alone) { g.fillRect(x, y, tile.size.w, tile.size.h); g.strokeRect(x, y, tile.size.w, tile.size.h); }
  const shown = (i) => level > (mapping ? 60 : 24) || alone || used(instance.first + i);
  if (level > 160) {
    g.strokeStyle = colours.wire;
    g.lineWidth = Math.max(hair * 0.7, 0.5);
    g.beginPath();
    for (const wire of tile.wires) wire.points.forEach((p, i) => (i ? g.lineTo(x + p.x, y + p.y) : g.moveTo(x + p.x, y + p.y)));
    g.stroke();
  }
  tile.parts.forEach((part, i) => {
    if (!shown(i)) return;
    const component = instance.first + i, a = part.area, kind = fabric.definitions[part.definition].kind;
    const cls = classOn(component), on = used(component), lit = chosen.lit.units.has(component);
    const heat = floor.heat && floor.heat(component);
    g.fillStyle = heat !== null && heat !== undefined && heat !== false ? heat
      : cls ? colours[cls] : kind === "spatial_sw" ? colours.hub : colours.part;
    g.globalAlpha = on || !mapping || heat ? 1 : 0.75;
    if (!chosen.lit.empty && !lit && cls && !heat) g.globalAlpha = 0.35;
    const grow = level < 60 && on ? 14 : 0;
    g.fillRect(x + a.x - grow, y + a.y - grow, a.w + 2 * grow, a.h + 2 * grow);
    g.globalAlpha = 1;
    if (lit) {
      g.strokeStyle = colours.lit;
      g.lineWidth = Math.max(2.5 * hair, 2);
      g.strokeRect(x + a.x - 1, y + a.y - 1, a.w + 2, a.h + 2);
    } else if (on && kind !== "spatial_sw") {
      g.strokeStyle = colours.ink;
      g.lineWidth = hair;
      g.strokeRect(x + a.x, y + a.y, a.w, a.h);
    }
    if (s > 1.1) drawPartPorts(view, instance, part);
  });
}
function drawPartPorts(view, instance, part) {
  const { g, s } = view, { x, y } = instance.at;
  const dot = (p, colour) => { g.fillStyle = colour; g.fillRect(x + p.x - 1.2, y + p.y - 1.2, 2.4, 2.4); };
  part.inputs.forEach((p) => dot(p, colours.soft));
  part.outputs.forEach((p) => dot(p, colours.ink));
  if (s < 2.2) return;
  g.font = "3.4px sans-serif";
  g.fillStyle = colours.soft;
  g.textAlign = "center";
  const inner = (p) => ({ x: x + p.x + (p.x <= part.area.x ? 4 : p.x >= part.area.x + part.area.w ? -4 : 0),
    y: y + p.y + (p.y <= part.area.y ? 5 : p.y >= part.area.y + part.area.h ? -2.5 : 1.2) });
  part.inputs.forEach((p, k) => { const q = inner(p); g.fillText("i" + k, q.x, q.y); });
  part.outputs.forEach((p, k) => { const q = inner(p); g.fillText("o" + k, q.x, q.y); });
}
function drawStreets(view, seen) {
  const { g, hair } = view;
  g.strokeStyle = colours.wire;
  g.lineWidth = Math.max(hair * 0.7, 0.5);
  g.beginPath();
  for (const wire of fabric.wires) {
    const p = wire.points[0], q = wire.points[wire.points.length - 1];
    if (Math.max(p.x, q.x) < seen.x0 || Math.min(p.x, q.x) > seen.x1 || Math.max(p.y, q.y) < seen.y0 || Math.min(p.y, q.y) > seen.y1) continue;
    wire.points.forEach((r, i) => (i ? g.lineTo(r.x, r.y) : g.moveTo(r.x, r.y)));
  }
  g.stroke();
}
function drawPorts(view, level) {
  const { g, hair } = view;
  const one = (port, used, label) => {
    g.fillStyle = used ? colours.route : colours.port;
    g.globalAlpha = used || !mapping ? 1 : 0.4;
    const r = used ? Math.max(4, 3 * hair) : Math.max(2.5, 1.2 * hair);
    g.fillRect(port.at.x - r, port.at.y - r, 2 * r, 2 * r);
    g.globalAlpha = 1;
    if (used && (level > 60 || 22 * view.s > 6)) text(view, label, port.at.x, port.at.y - r - 3, 11, colours.ink, 200);
  };
  const names = (ports, list, of) => {
    const by = new Map();
    (list || []).forEach((k, i) => k !== null && by.set(k, of(i)));
    ports.forEach((p, k) => one(p, by.has(k), by.get(k)));
  };
  names(fabric.inputs, mapping && mapping.arguments, (i) => graph.nodes[graph.ops + i].label);
  names(fabric.outputs, mapping && mapping.results, (i) => graph.nodes[graph.ops + graph.arguments + i].label);
}
function drawRoutes(view) {
  const { g, hair } = view, lit = chosen.lit;
  const stroke = (route, colour, width, alpha) => {
    g.strokeStyle = colour;
    g.globalAlpha = alpha;
    for (const line of routeLines(route)) {
      g.lineWidth = line.inside ? width * 0.7 : width;
      g.beginPath();
      line.points.forEach((p, i) => (i ? g.lineTo(p.x, p.y) : g.moveTo(p.x, p.y)));
      g.stroke();
    }
    g.globalAlpha = 1;
  };
  g.lineJoin = "round";
  for (const route of mapping.routes) {
    if (!lit.values.has(route.value)) stroke(route, colours.route, Math.max(1.2 * hair, 1.1), lit.empty ? 0.6 : 0.15);
  }
  for (const route of mapping.routes) {
    if (lit.values.has(route.value)) stroke(route, colours.lit, Math.max(2.6 * hair, 2.2), 1);
  }
}
function drawContended(view) {
  const { g, hair } = view;
  g.strokeStyle = colours.lit;
  g.lineWidth = Math.max(4 * hair, 3);
  for (const { channel } of failure.contended) {
    g.beginPath();
    channelLine(channel.from).forEach((p, i) => (i ? g.lineTo(p.x, p.y) : g.moveTo(p.x, p.y)));
    g.stroke();
  }
}
// Text that keeps within a width; nothing where it would be too small to read.
function text(view, words, x, y, px, colour, width) {
  const { g, s } = view;
  if (px * s < 6.5 || !words) return;
  g.font = px + "px system-ui, sans-serif";
  g.textAlign = "center";
  let shown = words;
  while (shown.length > 1 && g.measureText(shown).width > width) shown = shown.slice(0, -1);
  g.fillStyle = colour;
  g.fillText(shown, x, y);
}
function drawLabels(view, instance) {
  const tile = fabric.tiles[instance.tile], { x, y } = instance.at;
  if (tile.parts.length > 1) {
    text(view, instance.name + "  " + tile.name, x + tile.size.w * 0.8, y + tile.size.h - 12, 15, colours.soft, tile.size.w * 0.38);
  }
  tile.parts.forEach((part, i) => {
    const component = instance.first + i, a = part.area, ops = opsOn.get(component), on = !!ops && !floor.heat;
    const middle = x + a.x + a.w / 2, name = part.name || instance.name;
    const ink = on ? "#101214" : colours.soft;
    if (a.h < 20 && !ops) return;
    if (fabric.definitions[part.definition].kind === "spatial_sw") {
      text(view, "switch", middle, y + a.y + a.h / 2, 12, colours.soft, a.w - 2);
      return;
    }
    if (ops) {
      const label = ops.length > 1 ? ops.length + " ops" : graph.nodes[ops[0]].label;
      text(view, label, middle, y + a.y + a.h / 2 + 1, 12, ink, a.w - 2);
      text(view, name, middle, y + a.y + a.h - 5, 8, ink, a.w - 2);
    } else {
      text(view, name, middle, y + a.y + a.h / 2 + 3, 9, ink, a.w - 2);
    }
  });
}

// What is at a place of the canvas: a unit before a value.
function hit(px, py) {
  const x = (px - floor.x) / floor.scale, y = (py - floor.y) / floor.scale;
  const slop = Math.min(14, 5 / floor.scale);
  for (const instance of fabric.instances) {
    const tile = fabric.tiles[instance.tile], dx = x - instance.at.x, dy = y - instance.at.y;
    if (dx < 0 || dy < 0 || dx > tile.size.w || dy > tile.size.h) continue;
    let found = null;
    tile.parts.forEach((part, i) => {
      const a = part.area;
      if (dx >= a.x - 1 && dy >= a.y - 1 && dx <= a.x + a.w + 1 && dy <= a.y + a.h + 1) found = instance.first + i;
    });
    if (found !== null) return { kind: "unit", id: found };
  }
  if (!mapping) return null;
  for (const route of mapping.routes) {
    for (const { points } of routeLines(route)) {
      for (let i = 1; i < points.length; i++) if (near(points[i - 1], points[i], x, y) < slop) return { kind: "value", id: route.value };
    }
  }
  return null;
}
function near(a, b, x, y) {
  const dx = b.x - a.x, dy = b.y - a.y, l = dx * dx + dy * dy;
  const t = l ? Math.max(0, Math.min(1, ((x - a.x) * dx + (y - a.y) * dy) / l)) : 0;
  return Math.hypot(a.x + t * dx - x, a.y + t * dy - y);
}
function wordsOf(what) {
  if (what.kind === "value") return "%" + graph.values[what.id].name + ": " + graph.values[what.id].ty;
  const d = definitionOf(what.id), ops = (opsOn.get(what.id) || []).map(opName).join(", ");
  return pathOf(what.id) + (ops ? "\n" + ops : "\n" + d.kind + (d.depth ? ", " + d.depth + " entries" : ""));
}

function startFloor() {
  const canvas = floor.base;
  let drag = null;
  canvas.addEventListener("pointerdown", (e) => { drag = { x: e.clientX, y: e.clientY, moved: false }; canvas.setPointerCapture(e.pointerId); });
  canvas.addEventListener("pointermove", (e) => {
    const box = canvas.getBoundingClientRect(), px = e.clientX - box.left, py = e.clientY - box.top;
    if (drag) {
      const dx = e.clientX - drag.x, dy = e.clientY - drag.y;
      if (drag.moved || Math.hypot(dx, dy) > 3) {
        Object.assign(drag, { x: e.clientX, y: e.clientY, moved: true });
        floor.x += dx; floor.y += dy; floor.dirty = true;
      }
      return;
    }
    const what = hit(px, py);
    choose(what && what.kind, what && what.id, true);
    floor.tip.hidden = !what;
    canvas.style.cursor = what ? "pointer" : "grab";
    if (what) {
      floor.tip.textContent = wordsOf(what);
      floor.tip.style.left = Math.min(px + 14, box.width - 180) + "px";
      floor.tip.style.top = Math.min(py + 14, box.height - 44) + "px";
    }
  });
  canvas.addEventListener("pointerleave", () => { floor.tip.hidden = true; choose(null, null, true); });
  canvas.addEventListener("pointerup", (e) => {
    const box = canvas.getBoundingClientRect();
    if (drag && !drag.moved) { const what = hit(e.clientX - box.left, e.clientY - box.top); choose(what && what.kind, what && what.id); }
    drag = null;
  });
  canvas.addEventListener("wheel", (e) => {
    e.preventDefault();
    const box = canvas.getBoundingClientRect();
    zoomFloor(Math.exp(-e.deltaY * 0.0015), e.clientX - box.left, e.clientY - box.top);
  }, { passive: false });
}
