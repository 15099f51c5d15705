// Plays a run: tokens above the floor plan, ops and ways of the graph, heat maps, and a timeline.

const SPEEDS = [1, 2, 5, 10, 20, 60, 200, 1000], HEATS = ["none", "busy", "blocked", "starved"];
function makePlayback() {
  const state = { at: 0, playing: false, speed: 3, heat: 0, last: 0, shown: -1, part: 0 };
  const end = Math.max(0, run.cycles - 1), box = byId("player");
  const button = (words, label, act) => { const b = make("button", words, { "aria-label": label, title: label }); b.onclick = act; return b; };
  const play = button("play", "play or stop (space)", () => toggle());
  const seekBar = make("input", null, { type: "range", min: 0, max: end, step: 1, "aria-label": "cycle" });
  const where = make("output", "");
  const pick = (list, label, words) => {
    const select = make("select", null, { "aria-label": label, title: label });
    list.forEach((x, i) => select.append(make("option", words(x), { value: i })));
    return select;
  };
  const speed = pick(SPEEDS, "cycles a second", (s) => s + " cycles/s"), heat = pick(HEATS, "heat map (h)", (h) => (h === "none" ? "no heat map" : "share of cycles " + h));
  const strip = make("canvas", null, { role: "img", "aria-label": "timeline: firings of the busiest unit and waiting channels" });
  const bar = put(make("div", null, { class: "row" }), button("|◀", "first cycle (Home)", () => seek(run.first)), button("−1", "a cycle back (,)", () => seek(run.first + state.at - 1)), play,
    button("+1", "a cycle on (.)", () => seek(run.first + state.at + 1)), button("▶|", "last cycle (End)", () => seek(run.first + end)), seekBar, where, speed, heat);
  box.replaceChildren(bar, strip);
  speed.value = state.speed;
  seekBar.oninput = () => { stop(); move(Number(seekBar.value)); };
  speed.onchange = () => (state.speed = Number(speed.value));
  heat.onchange = () => setHeat(Number(heat.value));
  strip.onclick = (e) => { const r = strip.getBoundingClientRect(); stop(); move(Math.round((e.clientX - r.left) / r.width * end)); };

  const fifos = [...trace.into.keys()].filter((c) => definitionOf(c).depth && trace.outOf.has(c))
    .map((c) => ({ c, into: trace.tracks[trace.into.get(c)[0]], out: trace.tracks[trace.outOf.get(c)[0]] })).filter((f) => f.into !== f.out);
  const edgeTracks = graph.edges.map((e) => {
    const p = e.to < graph.ops ? mapping.placements[e.to] : null;
    const ends = p && trace.into.get(p.component), route = routeOf.get(e.value);
    const mine = (ends || []).find((t) => trace.tracks[t].value === e.value);
    const first = route && trace.byChannel.get(route.channels[0].channel);
    return mine !== undefined ? trace.tracks[mine] : first !== undefined ? trace.tracks[first] : null;
  });
  const nodeUnits = graph.nodes.map((n, i) => (i < graph.ops ? trace.units.get(mapping.placements[i].component) || null : null));
  const busiest = [...trace.units.values()].sort((a, b) => b.count - a.count)[0] || null;

  function stop() { state.playing = false; play.textContent = "play"; }
  function toggle() {
    if (!state.playing && state.at >= end) move(0);
    state.playing = !state.playing;
    play.textContent = state.playing ? "stop" : "play";
    state.last = 0;
  }
  function move(cycle) { state.at = Math.max(0, Math.min(end, cycle)); state.part = 0; show(); }
  function seek(cycle) { stop(); move(cycle - run.first); }
  function setHeat(which) {
    state.heat = which;
    heat.value = which;
    floor.heat = which === 0 ? null : (component) => {
      const unit = trace.units.get(component);
      return unit ? warmth(totalsOf(unit)[which] / Math.max(1, run.cycles)) : null;
    };
    floor.dirty = true;
  }
  // One hue from pale to deep, which every eye orders alike.
  function warmth(share) {
    const [a, b] = darkNow() ? [[38, 46, 58], [122, 196, 255]] : [[226, 236, 246], [8, 64, 129]];
    return "rgb(" + a.map((x, i) => Math.round(x + (b[i] - x) * Math.sqrt(share))).join(",") + ")";
  }
  function show() {
    if (state.shown !== state.at) {
      state.shown = state.at;
      seekBar.value = state.at;
      where.textContent = "cycle " + (run.first + state.at) + " of " + (run.first + end);
      lightRun();
      drawStrip();
      const what = chosen.selected;
      if (what && !state.playing && (what.kind === "value" || (what.kind === "unit" && memories.has(what.id)))) fillSide();
    }
    drawTokens();
  }
  function lightRun() {
    nodeUnits.forEach((u, i) => u && drawing.nodes[i].classList.toggle("fired", !!firedAt(u, state.at)));
    edgeTracks.forEach((t, i) => {
      const s = t ? stateOf(t, state.at) : EMPTY, list = drawing.edges[i].classList;
      list.toggle("moves", s === MOVES);
      list.toggle("waits", s === WAITS);
    });
  }
  function drawTokens() {
    const { w, h, ratio } = size(floor.over), g = floor.over.getContext("2d"), s = floor.scale;
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.clearRect(0, 0, w, h);
    g.setTransform(ratio * s, 0, 0, ratio * s, ratio * floor.x, ratio * floor.y);
    const radius = Math.max(3, 2.6 / s), part = state.playing && SPEEDS[state.speed] <= 10 ? state.part : 0.5, labels = [];
    for (const track of trace.tracks) {
      const now = stateOf(track, state.at);
      if (now !== MOVES && now !== WAITS) continue;
      const line = trackLine(track);
      if (!line.points.length) continue;
      if (now === MOVES) {
        const p = along(line, part);
        dot(g, p, radius, colours.token);
        labels.push([track, p]);
      } else {
        const age = waited(track, state.at), colour = age >= 16 ? colours.wait2 : age >= 4 ? colours.wait1 : colours.wait0;
        g.strokeStyle = colour;
        g.lineWidth = Math.max(3, 2.2 / s);
        // Broken, so that nobody takes it for what is selected.
        g.setLineDash([7 / s, 4 / s]);
        g.beginPath();
        line.points.forEach((p, i) => (i ? g.lineTo(p.x, p.y) : g.moveTo(p.x, p.y)));
        g.stroke();
        g.setLineDash([]);
        const p = along(line, 1);
        dot(g, p, radius, colour);
        labels.push([track, p]);
      }
    }
    if (s > 0.6) labels.forEach(([track, p]) => label(g, p, tokenAt(track, state.at), s));
    if (s > 0.35) fifos.forEach((f) => held(g, f));
    memories.forEach((m) => accesses(g, m, s));
  }
  // What a memory interface takes and gives in this cycle, in words on it where there is room for them.
  function accesses(g, memory, s) {
    const now = KINDS.map((kind) => [kind, eventAt(memory, kind, state.at)]).filter((e) => e[1]);
    if (!now.length) return;
    const a = areaOf(memory.component);
    g.strokeStyle = colours.token;
    g.lineWidth = Math.max(4, 2.5 / s);
    g.strokeRect(a.x, a.y, a.w, a.h);
    if (s > 0.25) now.forEach(([kind, e], i) => label(g, { x: a.x, y: a.y + a.h + (i + 1) * Math.max(9, 15 / s) }, inEvent[kind](e) + ", lane " + e.lane, s));
  }
  function dot(g, p, r, colour) {
    g.beginPath();
    g.arc(p.x, p.y, r, 0, 2 * Math.PI);
    g.fillStyle = colour;
    g.strokeStyle = colours.ink;
    g.lineWidth = r / 5;
    g.fill();
    g.stroke();
  }
  function label(g, p, words, s) {
    if (!words) return;
    const px = Math.max(7, 11 / s);
    g.font = px + "px ui-monospace, monospace";
    const wide = g.measureText(words).width;
    g.fillStyle = colours.card;
    g.globalAlpha = 0.85;
    g.fillRect(p.x + px * 0.4, p.y - px * 1.25, wide + px * 0.4, px * 1.15);
    g.globalAlpha = 1;
    g.textAlign = "left";
    g.fillStyle = colours.ink;
    g.fillText(words, p.x + px * 0.6, p.y - px * 0.35);
  }
  // How full a FIFO is, as a bar along its side.
  function held(g, f) {
    const n = movedBefore(f.into, state.at) - movedBefore(f.out, state.at);
    if (n <= 0) return;
    const a = areaOf(f.c), share = Math.min(1, n / definitionOf(f.c).depth);
    g.fillStyle = share >= 1 ? colours.wait2 : colours.wait1;
    g.fillRect(a.x, a.y + a.h * (1 - share), Math.min(5, a.w), a.h * share);
  }
  // Above how often the busiest unit fires, below how many channels wait; one column for each pixel.
  function drawStrip() {
    const r = strip.getBoundingClientRect(), ratio = window.devicePixelRatio || 1;
    const w = Math.max(1, Math.round(r.width)), h = 46;
    if (!state.strip || state.strip.width !== w * ratio || state.stripDark !== darkNow()) paintStrip(w, h, ratio);
    if (strip.width !== state.strip.width) { strip.width = state.strip.width; strip.height = state.strip.height; }
    const g = strip.getContext("2d");
    g.setTransform(1, 0, 0, 1, 0, 0);
    g.clearRect(0, 0, strip.width, strip.height);
    g.drawImage(state.strip, 0, 0);
    g.fillStyle = colours.lit;
    g.fillRect((end ? state.at / end : 0) * (strip.width - 2 * ratio), 0, 2 * ratio, strip.height);
  }
  function paintStrip(w, h, ratio) {
    const canvas = (state.strip = document.createElement("canvas")), g = canvas.getContext("2d");
    state.stripDark = darkNow();
    canvas.width = w * ratio;
    canvas.height = h * ratio;
    g.scale(ratio, ratio);
    const top = 24, columns = Math.min(w, run.cycles), wide = w / columns;
    let most = 1;
    const columnsOf = [];
    for (let x = 0; x < columns; x++) {
      const from = Math.floor(x * run.cycles / columns), to = Math.max(from + 1, Math.floor((x + 1) * run.cycles / columns));
      let fires = 0, waits = 0;
      for (let c = from; c < to; c++) if (busiest && firedAt(busiest, c)) fires++;
      for (const t of trace.tracks) if (stateOf(t, from) === WAITS) waits++;
      most = Math.max(most, waits);
      columnsOf.push([fires / (to - from), waits]);
    }
    columnsOf.forEach(([fires, waits], x) => {
      g.fillStyle = colours.route;
      g.fillRect(x * wide, top - fires * (top - 2), Math.max(wide - (wide > 4 ? 1 : 0), 0.5), fires * (top - 2));
      g.fillStyle = colours.wait1;
      g.fillRect(x * wide, top + 1, Math.max(wide - (wide > 4 ? 1 : 0), 0.5), (h - top - 2) * waits / most);
    });
    g.font = "11px system-ui, sans-serif";
    const words = busiest ? pathOf(busiest.component) + " fires (" + busiest.op + (busiest.interval ? ", every " + busiest.interval.toFixed(2) + " cycles" : "") + ")" : "", below = "channels that wait, at most " + most;
    for (const [text, y] of [[words, 12], [below, h - 5]]) {
      const wide = g.measureText(text).width;
      g.globalAlpha = 0.85;
      g.fillStyle = colours.card;
      g.fillRect(4, y - 10, wide + 8, 13);
      g.globalAlpha = 1;
      g.fillStyle = colours.ink;
      g.fillText(text, 8, y);
    }
  }
  return {
    state, seek, drawTokens, toggle,
    frame(now) {
      if (!state.playing) return;
      const by = state.last ? (now - state.last) / 1000 * SPEEDS[state.speed] : 0;
      state.last = now;
      const to = state.at + state.part + by;
      state.part = to - Math.floor(to);
      if (Math.floor(to) >= end) { stop(); move(end); return; }
      state.at = Math.floor(to);
      show();
    },
    redraw() { state.strip = null; state.shown = -1; if (state.heat) setHeat(state.heat); show(); },
    pressed(key) {
      const turn = (by) => { state.speed = Math.max(0, Math.min(SPEEDS.length - 1, state.speed + by)); speed.value = state.speed; };
      const acts = { " ": toggle, ",": () => seek(run.first + state.at - 1), ".": () => seek(run.first + state.at + 1), Home: () => seek(run.first), End: () => seek(run.first + end), "[": () => turn(-1), "]": () => turn(1), h: () => setHeat((state.heat + 1) % HEATS.length) };
      if (acts[key]) acts[key]();
      return !!acts[key];
    },
    aboutUnit(component) {
      if (memories.has(component)) return this.aboutMemory(memories.get(component));
      const unit = trace.units.get(component);
      if (!unit) return [];
      const totals = totalsOf(unit), share = (n) => n + " of " + run.cycles + " cycles";
      return [make("h3", "in this run"), rows([["fires", unit.count + " times" + (unit.interval ? ", every " + unit.interval.toFixed(2) + " cycles" : "")], ["busy", share(totals[1])], ["blocked", share(totals[2])], ["starved", share(totals[3])], ["idle", share(totals[0])]])];
    },
    aboutMemory(memory) {
      const [loads, stores, loaded, stored] = KINDS.map((kind) => eventsOf(memory, kind));
      const pending = (asked, given) => eventsBefore(asked, state.at + 1) - eventsBefore(given, state.at + 1);
      const out = [make("h3", "in this run"), rows([["loads", loads.length], ["stores", stores.length], ["under way", "loads: " + pending(loads, loaded) + ", stores: " + pending(stores, stored)]])];
      const near = KINDS.flatMap((kind) => {
        const list = eventsOf(memory, kind), next = eventsBefore(list, state.at + 1);
        return list.slice(Math.max(0, next - 12), next).map((e) => [kind, e]);
      }).sort((a, b) => b[1].cycle - a[1].cycle).slice(0, 12);
      if (near.length) out.push(make("h3", "requests and answers up to this cycle"), rows(near.map(([kind, e]) => ["cycle " + (run.first + e.cycle), inEvent[kind](e) + ", lane " + e.lane])));
      return out;
    },
    aboutValue(value) {
      const mine = trace.tracks.filter((t) => t.value === value);
      if (!mine.length) return [];
      const count = (t) => { let n = 0; for (let c = 0; c < run.cycles; c++) if (stateOf(t, c) === WAITS) n++; return n; };
      const first = mine[0].source || mine[0], list = [["tokens", movedBefore(first, state.at) + " before this cycle"], ["here now", tokenAt(first, state.at) || "-"]];
      mine.map((t) => [count(t), t]).filter((m) => m[0]).sort((a, b) => b[0] - a[0]).slice(0, 4).forEach(([n, t]) => {
        const to = t.channels[t.channels.length - 1].to;
        list.push(["waits", put(make("span"), n + " cycles before ", endLink(to, "out"))]);
      });
      return [make("h3", "in this run"), rows(list)];
    },
    aboutRun() {
      const ends = { complete: "complete", deadlock: "stands still: nothing can move any more", budget: "not complete when the cycles were used up" };
      const out = [make("h2", "run"), rows([["case", run.case], ["cycles", run.total + "; " + run.cycles + " are recorded, from " + run.first + " on"], ["end", ends[run.stop]], ...(run.error ? [["error", run.error]] : [])])];
      if (run.circle.length) out.push(put(make("p", null, { class: "bad" }), "These wait for each other: ", listOf(run.circle.map(nodeLink)), ". ", link("show it", "circle", 0)));
      if (run.waiting.length) {
        out.push(make("h3", "channels that wait"));
        const ul = make("ul");
        run.waiting.slice(0, 20).forEach((w) => ul.append(make("li", w.from + " to " + w.to + ": " + w.why)));
        out.push(ul);
      }
      return out;
    },
    begin() {
      move(run.stop === "complete" ? 0 : end);
      if (run.circle.length) choose("circle", 0);
    },
  };
}
