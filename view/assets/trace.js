// What was recorded of a run: states of channels, counts and values of tokens, what each unit did, accesses of memory.

function bytesOf(text) {
  const raw = atob(text), bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return bytes;
}
const EMPTY = 0, WAITS = 1, MOVES = 3, BLOCK = 256;
const trace = run && (() => {
  const tracks = run.tracks.map((t) => ({ before: t.before, bits: bytesOf(t.states), text: t.values, values: null, sums: null, channels: [], value: null, source: null }));
  const byChannel = new Map(), into = new Map(), outOf = new Map();
  const push = (map, part, track) => { if (part === undefined) return; if (!map.has(part)) map.set(part, []); map.get(part).push(track); };
  run.channels.forEach((c) => {
    byChannel.set(c.channel, c.track);
    tracks[c.track].channels.push(c);
    push(into, c.to.part, c.track);
    push(outOf, c.from.part, c.track);
  });
  // Tokens of a way are those of its first channel.
  (mapping ? mapping.routes : []).forEach((route) => route.channels.forEach((c) => {
    const track = tracks[byChannel.get(c.channel)];
    if (track) { track.value = route.value; track.source = tracks[byChannel.get(route.channels[0].channel)] || null; }
  }));
  const units = new Map(run.units.map((u) => [u.component, { ...u, bits: bytesOf(u.fires), ins: into.get(u.component) || [], outs: outOf.get(u.component) || [], totals: null }]));
  return { tracks, byChannel, into, outOf, units };
})();
const stateOf = (track, cycle) => (track.bits[cycle >> 2] >> ((cycle & 3) << 1)) & 3;
const firedAt = (unit, cycle) => (unit.bits[cycle >> 3] >> (cycle & 7)) & 1;
// Tokens that moved on a track before a cycle, those before the record too.
function movedBefore(track, cycle) {
  if (!track.sums) {
    track.sums = new Uint32Array(Math.ceil(run.cycles / BLOCK) + 1);
    for (let c = 0, n = 0; c < run.cycles; c++) {
      if (c % BLOCK === 0) track.sums[c / BLOCK] = n;
      if (stateOf(track, c) === MOVES) n++;
    }
  }
  const block = Math.floor(cycle / BLOCK);
  let n = track.before + track.sums[block];
  for (let c = block * BLOCK; c < cycle; c++) if (stateOf(track, c) === MOVES) n++;
  return n;
}
// Cycles that a token has waited up to a cycle, counted up to 64.
function waited(track, cycle) {
  let n = 0;
  while (n < 64 && cycle - n >= 0 && stateOf(track, cycle - n) === WAITS) n++;
  return n;
}
const valuesOf = (track) => track.values || (track.text ? (track.values = numbersOf(track.text)) : null);
function numbersOf(text) {
  const bytes = bytesOf(text), list = [], mask = (1n << 64n) - 1n;
  let last = 0n;
  for (let i = 0; i < bytes.length;) {
    let rest = 0n, shift = 0n, byte;
    do { byte = bytes[i++]; rest |= BigInt(byte & 127) << shift; shift += 7n; } while (byte & 128);
    last = (last + ((rest >> 1n) ^ -(rest & 1n))) & mask;
    list.push(last);
  }
  return list;
}
// The token that a track shows in a cycle, in words; nothing where its data are not in the record.
function tokenAt(track, cycle) {
  const source = track.text ? track : track.source, list = source && valuesOf(source);
  const bits = list && list[movedBefore(track, cycle) - source.before];
  if (bits === undefined || bits === null) return "";
  return inWords(bits, track.value === null ? "" : graph.values[track.value].ty);
}
function inWords(bits, ty) {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, bits);
  if (ty === "none") return "";
  if (ty === "f32") return String(Number(view.getFloat32(4).toPrecision(6)));
  if (ty === "f64") return String(Number(view.getFloat64(0).toPrecision(8)));
  if (ty === "f16" || ty === "bf16") return "0x" + bits.toString(16);
  const width = /^i\d+$/.test(ty) ? BigInt(ty.slice(1)) : 32n;
  return String(width > 1n ? BigInt.asIntN(Number(width), bits) : bits);
}
// What a unit does in a cycle: 0 nothing, 1 fires, 2 offers what is not taken, 3 lacks an operand.
function doing(unit, cycle) {
  if (firedAt(unit, cycle)) return 1;
  if (unit.outs.some((t) => stateOf(trace.tracks[t], cycle) === WAITS)) return 2;
  return unit.ins.some((t) => stateOf(trace.tracks[t], cycle) === WAITS) ? 3 : 0;
}
function totalsOf(unit) {
  if (!unit.totals) {
    unit.totals = [0, 0, 0, 0];
    for (let c = 0; c < run.cycles; c++) unit.totals[doing(unit, c)]++;
  }
  return unit.totals;
}
// The line that a track's tokens take: its channels in the order in which they are passed.
function trackLine(track) {
  if (track.line) return track.line;
  const all = track.channels, ends = new Set(all.filter((c) => c.to.part !== undefined).map((c) => c.to.part));
  const rest = all.slice(), points = [];
  let next = rest.find((c) => c.from.part === undefined || !ends.has(c.from.part)) || rest[0];
  while (next) {
    points.push(...channelLine(next.from));
    rest.splice(rest.indexOf(next), 1);
    const part = next.to.part;
    next = part === undefined ? null : rest.find((c) => c.from.part === part);
  }
  const lengths = [0];
  for (let i = 1; i < points.length; i++) lengths.push(lengths[i - 1] + Math.hypot(points[i].x - points[i - 1].x, points[i].y - points[i - 1].y));
  return (track.line = { points, lengths, total: lengths[lengths.length - 1] || 0 });
}
function along({ points, lengths, total }, part) {
  const want = part * total;
  let i = 1;
  while (i < points.length - 1 && lengths[i] < want) i++;
  if (points.length < 2) return points[0];
  const a = points[i - 1], b = points[i], l = lengths[i] - lengths[i - 1], t = l ? (want - lengths[i - 1]) / l : 0;
  return { x: a.x + (b.x - a.x) * t, y: a.y + (b.y - a.y) * t };
}

// Requests and answers of a memory interface: events of each kind, in the order of cycles.
const KINDS = ["loads", "stores", "loaded", "stored"];
const memories = new Map((run ? run.memories : []).map((m) => [m.component, m]));
function eventsOf(memory, kind) {
  const of = memory[kind];
  if (of.list) return of.list;
  const [cycles, lanes, addresses, data] = [of.cycles, of.lanes, of.addresses, of.data].map((text) => (text ? numbersOf(text) : []));
  return (of.list = cycles.map((c, i) => ({ cycle: Number(c), lane: Number(lanes[i]), address: addresses[i], data: data[i] })));
}
// How many events of a list came before a cycle.
function eventsBefore(list, cycle) {
  let low = 0, high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle].cycle < cycle) low = middle + 1; else high = middle;
  }
  return low;
}
function eventAt(memory, kind, cycle) {
  const list = eventsOf(memory, kind), event = list[eventsBefore(list, cycle)];
  return event && event.cycle === cycle ? event : null;
}
const hex = (n) => "0x" + n.toString(16);
const inEvent = {
  loads: (e) => "load " + hex(e.address), stores: (e) => "store " + hex(e.address) + " = " + hex(e.data),
  loaded: (e) => "gives " + hex(e.data), stored: () => "stored",
};
