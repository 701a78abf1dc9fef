// The field: a thin hand on silt.wasm, and the plan of each day.

export const EARTH = 1, ROCK = 2, GLASS = 3, SAND = 4, GEM = 7;
export const PALETTE = 0x00000, CELLS = 0x10000, PIXELS = 0x30000;
export const JAR = { w: 22, h: 20, need: 290 };
export const cell = (kind, shade) => kind | (shade << 3);

// Streaming needs the server to say application/wasm; one that does not still gets its game, a moment later.
export async function loadSilt() {
  const url = new URL('silt.wasm', import.meta.url);
  try {
    return (await WebAssembly.instantiateStreaming(fetch(url))).instance.exports;
  } catch {
    const bytes = await (await fetch(url)).arrayBuffer();
    return (await WebAssembly.instantiate(bytes)).instance.exports;
  }
}

export function dice(seed) {
  let s = (seed | 0) || 1;
  return () => {
    s ^= s << 13; s ^= s >>> 17; s ^= s << 5;
    return (s >>> 0) / 4294967296;
  };
}

// How many cells the window is wide and high, and how many device pixels one cell takes. About 50,000 cells whatever the screen, so that a
// day is as long on a telephone as on a desk, and never more than silt.wasm has room for; two more columns than are seen hold the walls.
export function measure(cssW, cssH, ratio) {
  const devW = Math.round(cssW * ratio), devH = Math.round(cssH * ratio);
  for (let k = Math.max(1, Math.round(Math.sqrt(Math.min(devW, devH * 2.3) * devH / 50000))); ; k++) {
    const w = Math.min(Math.ceil(devW / k), Math.floor(devH / k * 2.3)) + 2, h = Math.ceil(devH / k);
    if (w * h <= 65536) return { k, w, h };
  }
}

// plan lays out day n: what is poured where, where it must go, and what lies between. top is the first row that is free for an urn.
export function plan(n, w, h, top, seed) {
  const rnd = dice(seed + n * 7919), kinds = n < 3 ? 1 : n < 6 ? 2 : 3;
  const ground = Math.max(top + 38, Math.round(h * .27));
  const floor = h - JAR.h - 16;
  // Sand runs at most two cells aside for each one down, so a wide window keeps its jars within reach.
  const span = Math.min(w, 2.2 * (floor - ground));
  const set = jars => places(kinds, w / 2, span, n, rnd, jars);
  return {
    n, top, ground, floor, seed: seed + n, kinds,
    seconds: Math.max(26, 48 - n * 2 + (kinds - 1) * 5),
    cave: n === 1 ? 255 : Math.max(176, 214 - n * 5),
    rock: n === 1 ? 255 : Math.max(172, 216 - n * 6),
    urns: set(false).map(({ x, kind }) => ({ x, y: top, kind, left: Math.round(JAR.need * Math.max(1.5, 2.3 - n * .06)) })),
    jars: set(true).map(({ x, kind }) => ({ x: x - JAR.w / 2, y: floor, kind, have: 0, full: false, glow: 0 })),
    gems: Array.from({ length: n === 1 ? 2 : 4 }, () => ({
      x: Math.round(10 + rnd() * (w - 20)), y: Math.round(ground + 14 + rnd() * (floor - ground - 26)),
    })),
  };
}

// On the first day the jar is right below the urn, on the second it is aside. A day that brings a new sand leaves each under its own urn;
// the others may change the order.
function places(kinds, middle, span, n, rnd, jars) {
  if (kinds === 1) return [{ kind: 0, x: Math.round(middle + (n === 1 ? 0 : span * (jars ? .26 : -.08))) }];
  const order = [...Array(kinds).keys()], gap = span / (kinds + 1);
  if (jars && n !== 3 && n !== 6) order.push(...order.splice(0, n === 4 ? 1 : Math.floor(rnd() * kinds)));
  return order.map((kind, i) => ({ kind, x: Math.round(middle - span / 2 + gap * (i + 1) + (rnd() - .5) * gap * .22) }));
}

// build carves a plan into the field, with less and less rock until every sand can reach its jar.
export function build(silt, p, w, h) {
  for (let rock = p.rock; ; rock += 8) {
    carve(silt, { ...p, rock }, w, h);
    if (rock > 255 || solvable(silt, p, w)) return;
  }
}

// Row by row: where could sand be, if all earth were dug away? It falls straight, or up to two cells aside.
function solvable(silt, p, w) {
  const cells = new Uint8Array(silt.memory.buffer, CELLS, 65536);
  return p.jars.every(jar => {
    const urn = p.urns.find(u => u.kind === jar.kind);
    let here = new Uint8Array(w).fill(1, Math.max(1, urn.x - 8), urn.x + 8);
    for (let y = p.ground; y < jar.y + 2; y++) {
      const next = new Uint8Array(w);
      for (let x = 2; x < w - 2; x++) {
        const kind = cells[y * w + x] & 7;
        if (kind !== ROCK && kind !== GLASS) next[x] = here[x - 2] | here[x - 1] | here[x] | here[x + 1] | here[x + 2];
      }
      here = next;
    }
    return here.subarray(jar.x, jar.x + JAR.w).includes(1);
  });
}

function carve(silt, p, w, h) {
  silt.size(w, h);
  silt.terrain(p.ground, p.seed, p.cave, p.rock);
  for (const g of p.gems) {
    silt.bury(g.x, g.y, 1, cell(GEM, 8 + (g.x & 7)));
    silt.bury(g.x, g.y, 2, cell(GEM, g.x & 7));
  }
  for (const j of p.jars) {
    for (let i = 1; i < 11; i++) {
      const half = Math.round(Math.sqrt(144 - i * i));
      silt.fill(j.x + JAR.w / 2 - half, j.y - i, half * 2, 1, 0);
    }
    silt.fill(j.x - 1, j.y, JAR.w + 2, h - j.y, cell(ROCK, 9));
    silt.fill(j.x - 1, j.y, JAR.w + 2, JAR.h + 1, cell(GLASS, 0));
    silt.fill(j.x, j.y, JAR.w, JAR.h, 0);
  }
}

// The title is made of cells too, so that sand comes to rest on it.
const LETTERS = {
  r: ['####.', '#...#', '#...#', '####.', '#.#..', '#..#.', '#...#'],
  u: ['#...#', '#...#', '#...#', '#...#', '#...#', '#...#', '.###.'],
  n: ['#...#', '##..#', '##..#', '#.#.#', '#..##', '#..##', '#...#'],
  e: ['#####', '#....', '#....', '####.', '#....', '#....', '#####'],
  l: ['#....', '#....', '#....', '#....', '#....', '#....', '#####'],
};

export function carveTitle(silt, w, h, y) {
  const word = [...'runnel'], size = Math.max(2, Math.min(6, Math.floor((w - 12) / 36), Math.floor(h / 24)));
  const x0 = Math.round((w - (word.length * 6 - 1) * size) / 2);
  silt.size(w, h);
  word.forEach((letter, i) => LETTERS[letter].forEach((row, dy) => [...row].forEach((dot, dx) => {
    if (dot === '#') silt.fill(x0 + (i * 6 + dx) * size, y + dy * size, size, size, cell(GLASS, 1 + Math.min(14, dy * 2)));
  })));
  return { left: x0, right: w - x0, bottom: y + 7 * size };
}
