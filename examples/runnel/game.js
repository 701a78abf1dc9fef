// Runnel: the rules, the screens and the loop. The sand itself lives in silt.wasm, see field.js.

import { GLASS, JAR, SAND, build, carveTitle, cell, dice, loadSilt, measure, plan } from './field.js';
import { makePainter } from './paint.js';
import { makeSound } from './sound.js';

const $ = id => document.getElementById(id);
const calm = matchMedia('(prefers-reduced-motion: reduce)');
const dark = matchMedia('(prefers-color-scheme: dark)');
const clamp = (v, lo, hi) => Math.max(lo, Math.min(hi, v));

// Storage is refused in sandboxed frames and some private windows: the game then forgets, and goes on.
const store = {
  get(key) { try { return localStorage.getItem(key); } catch { return null; } },
  set(key, value) { try { localStorage.setItem(key, value); } catch { /* played without memory */ } },
};

const TICK = 1 / 60, POUR = 2;
const sound = makeSound(store.get('runnel.muted') === '1');
const bits = [], text = [], fingers = new Map(), held = new Set();
let silt, painter, grid = { k: 1, w: 1, h: 1 }, ratio = 1;
let state = 'title', day = plan(1, 200, 200, 10, 1), letters = null;
let score = 0, banked = 0, best = Number(store.get('runnel.best')) || 0, fresh = false, seed = 1;
let clock = 0, ticks = 0, left = 1, phase = 'dig', rest = 0, frames = 0, hand = null, shake = 0;

/* ---------- a day ---------- */

function fit() {
  ratio = Math.min(devicePixelRatio || 1, 3);
  painter.resize(grid.w, grid.h, Math.round(innerWidth * ratio), Math.round(innerHeight * ratio));
}
function newGrid() {
  grid = measure(innerWidth, innerHeight, Math.min(devicePixelRatio || 1, 3));
  fit();
}
// The urns hang clear of the score and the buttons, which are in the corners of a wide window and along the top of a narrow one.
function clearOf() { return Math.ceil((innerWidth > 700 ? 16 : 74) * ratio / grid.k); }

function openDay(n) {
  newGrid();
  letters = null;
  day = plan(n, grid.w, grid.h, clearOf(), seed);
  for (const u of day.urns) u.all = u.left;
  build(silt, day, grid.w, grid.h);
  silt.gems();
  left = day.seconds; phase = 'dig'; rest = 0;
  hand = hand && { x: day.urns[0].x, y: day.ground - 2, r: reach(), speed: 0 };
  bits.length = 0; text.length = 0; fingers.clear();
  announce(n);
}
function announce(n) {
  const hint = n === 1 ? 'Dig the sand a way to its jar' : n === 2 ? 'Stone cannot be dug' : n === 3 ? 'Two sands, each to its own jar' : n === 6 ? 'Three sands' : '';
  banner('Day ' + n, hint, 1.9);
  sound.day();
}
function banner(head, line, seconds) {
  $('b1').textContent = head; $('b2').textContent = line;
  $('banner').classList.add('show');
  rest = seconds;
  say(`${head}. ${line}`);
}
// A finger covers about the same piece of ground on every screen.
function reach() { return clamp(Math.round(13 * ratio / grid.k), 3, 6); }

let find = { age: 1 };
function dig(x, y, r) {
  const gone = silt.dig(x, y, r);
  if (!gone) return;
  sound.dig();
  for (let n = Math.min(calm.matches ? 1 : 3, gone); n--;) crumb(x + (Math.random() - .5) * r * 2, y + (Math.random() - .5) * r * 2, -1);
  const found = silt.gems();
  if (!found) return;
  banked += found * 2;
  sound.gem();
  // One gem comes out in pieces: they share a word.
  if (find.age > .5) { find = { gain: 0, age: 0 }; find.word = word(x, y - 6, ''); }
  find.gain += found * 2; find.age = 0;
  if (find.word) find.word.text = '+' + find.gain;
  for (let n = calm.matches ? 2 : 8; n--;) crumb(x, y, 3);
}
function digAlong(from, to) {
  const r = reach(), far = Math.hypot(to.x - from.x, to.y - from.y), steps = Math.min(400, Math.max(1, Math.ceil(far / (r * .7))));
  for (let i = 1; i <= steps; i++) dig(Math.round(from.x + (to.x - from.x) * i / steps), Math.round(from.y + (to.y - from.y) * i / steps), r);
}
function useFingers() {
  for (const f of fingers.values()) {
    if (f.at.x === f.to.x && f.at.y === f.to.y && f.begun) continue;
    digAlong(f.at, f.to);
    f.at = f.to; f.begun = true;
  }
}
function useKeys() {
  const dx = held.has('right') - held.has('left'), dy = held.has('down') - held.has('up');
  if (!hand) return;
  hand.speed = dx || dy ? Math.min(1, hand.speed + TICK * 5) : 0;
  const pace = grid.h * .6 * TICK * (.3 + .7 * hand.speed), before = { x: Math.round(hand.x), y: Math.round(hand.y) };
  hand.x = clamp(hand.x + dx * pace, 2, grid.w - 3); hand.y = clamp(hand.y + dy * pace, 0, day.floor + JAR.h); hand.r = reach();
  if (held.has('dig')) digAlong(before, { x: Math.round(hand.x), y: Math.round(hand.y) });
}
function pour() {
  for (const u of day.urns) {
    if (u.left <= 0) continue;
    u.left -= silt.pour(u.x, u.y + 26, Math.min(POUR, u.left), SAND + u.kind);
  }
}
function weigh() {
  for (const j of day.jars) {
    const before = j.have;
    j.have = silt.tally(j.x, j.y, JAR.w, JAR.h, SAND + j.kind);
    if (Math.floor(j.have / 14) > Math.floor(before / 14)) sound.ping(j.have / JAR.need, j.kind);
    if (silt.spoilt() > 0) {
      sound.spoil();
      crumb(j.x + Math.random() * JAR.w, j.y + 2, -1);
    }
    j.glow = Math.max(0, j.glow - TICK * .5);
    if (!j.full && j.have >= JAR.need) cap(j);
  }
  const total = banked + day.jars.reduce((sum, j) => sum + j.have, 0);
  if (total === score) return;
  score = total;
  if (score > best) { best = score; fresh = true; store.set('runnel.best', best); sandlot?.save({ best }); }
}
function cap(j) {
  j.full = true; j.glow = 1;
  // The stopper is real: sand that comes later heaps up on it.
  silt.fill(j.x - 1, j.y - 1, JAR.w + 2, 1, cell(GLASS, 0));
  sound.full(j.kind);
  word(j.x + JAR.w / 2, j.y - 14, 'full');
  for (let n = calm.matches ? 4 : 26; n--;) crumb(j.x + Math.random() * JAR.w, j.y - 3, j.kind);
  if (!calm.matches) shake = 1;
}
function judge() {
  if (day.jars.every(j => j.full)) {
    phase = 'won';
    const bonus = Math.ceil(left) * 5;
    banked += bonus;
    banner(`Day ${day.n} done`, `+${bonus} for the time left`, 2.2);
    return;
  }
  if (left <= 0) lose('The day is out');
  else if (ticks % 30 === 0 && day.jars.some(short)) lose('Not enough sand left');
}
function short(j) {
  if (j.full) return false;
  const u = day.urns.find(v => v.kind === j.kind);
  return u.left + silt.loose(SAND + j.kind, grid.h) < JAR.need;
}
function tick() {
  clock += TICK; ticks++;
  const steps = clamp(Math.round(grid.h / 95), 2, 3);
  let moved = 0;
  if (letters) rain(); else if (state === 'play') { useFingers(); useKeys(); if (phase === 'dig') pour(); }
  for (let i = 0; i < steps; i++) moved += silt.step();
  sound.flow(state === 'title' ? 0 : moved / steps);
  drift();
  if (state !== 'play') return;
  weigh();
  if (rest > 0 && (rest -= TICK) <= 0) { $('banner').classList.remove('show'); if (phase === 'won') { bankDay(); openDay(day.n + 1); return; } }
  if (phase !== 'dig') return;
  const second = Math.ceil(left);
  left = Math.max(0, left - TICK);
  if (second <= 6 && Math.ceil(left) < second) sound.hurry();
  judge();
}
function bankDay() {
  banked += day.jars.reduce((sum, j) => sum + j.have, 0);
  for (const j of day.jars) j.have = 0;
}

/* ---------- the title: sand on the letters ---------- */

function openTitle() {
  newGrid();
  const y = Math.round(grid.h * (innerHeight < 520 ? .12 : .24));
  letters = carveTitle(silt, grid.w, grid.h, y);
  letters.y = y;
  day = { ...day, top: 4, ground: Math.round(grid.h * .66), urns: [], jars: [], gems: [] };
}
const wild = dice(99);
function rain() {
  const span = letters.right - letters.left;
  for (let kind = 0; kind < 3; kind++) {
    // Each kind wanders to and fro over the word, and rests now and then so that the letters come through.
    const x = letters.left + span * 2 * Math.abs((clock * .045 + kind / 3) % 1 - .5);
    if (Math.sin(clock * .5 + kind * 1.7) > -.2) silt.pour(clamp(Math.round(x + (wild() - .5) * 8), 4, grid.w - 5), 1, 2, SAND + kind);
  }
}

/* ---------- small decoration, bounded ---------- */

function crumb(x, y, kind) {
  if (bits.length < 160) bits.push({ x, y, kind, tone: clamp((y - day.ground) / (grid.h - day.ground), 0, 1), vx: (Math.random() - .5) * 50, vy: -20 - Math.random() * 45, age: 0, life: .4 + Math.random() * .5 });
}
function word(x, y, line, life = 1) {
  if (text.length >= 8) return null;
  text.push({ x: clamp(x, 18, grid.w - 18), y, text: line, age: 0, life });
  return text[text.length - 1];
}
function drift() {
  for (let i = bits.length - 1; i >= 0; i--) {
    const b = bits[i];
    b.age += TICK; b.vy += 190 * TICK; b.x += b.vx * TICK; b.y += b.vy * TICK;
    if (b.age > b.life) bits.splice(i, 1);
  }
  for (let i = text.length - 1; i >= 0; i--) if ((text[i].age += TICK) > text[i].life) text.splice(i, 1);
  shake = Math.max(0, shake - TICK * 6);
  find.age += TICK;
}

/* ---------- screens and input ---------- */

function say(line) { $('say').textContent = line; }
function show(next) {
  state = next;
  for (const p of ['title', 'pause', 'over']) $('p-' + p).classList.toggle('show', p === next);
  $('hud').classList.toggle('on', next === 'play' || next === 'pause');
  $('pause').hidden = next !== 'play';
  if (next !== 'play') $('banner').classList.remove('show');
  if (next !== 'play') { fingers.clear(); held.clear(); }
}
function start() {
  sound.wake();
  // The first day is the same for everyone; after it, no two journeys are alike.
  seed = (Math.random() * 1e6) | 0;
  score = banked = 0; fresh = false;
  show('play');
  const wish = /[#&]day=(\d{1,2})/.exec(location.hash);
  openDay(wish ? Math.max(1, Number(wish[1])) : 1);
  $('view').focus({ preventScroll: true });
}
// On Sandlot the best journey follows its player to other devices, and has a place on the board. Elsewhere there is no such script.
const sandlot = window.sandlot;
sandlot?.load().then(kept => { if (kept?.best > best) store.set('runnel.best', best = kept.best); });
async function rank() {
  const r = await sandlot?.score(score);
  if (r?.ok && !r.local && state === 'over') $('record').textContent += `, place ${r.rank} of ${r.of}`;
}

function lose(why) {
  show('over');
  sound.lost();
  $('why').textContent = why;
  $('final').textContent = score;
  $('record').textContent = fresh ? 'Your best journey yet' : 'Best ' + best;
  $('record').classList.toggle('new', fresh);
  if (score > 0) rank();
  over = performance.now();
  say(`Game over. ${why}. Day ${day.n}. Score ${score}. Best ${best}.`);
}
let over = 0;
function pause() { if (state === 'play') { show('pause'); sound.rest(); say('Paused.'); } }
function resume() { sound.wake(); show('play'); $('view').focus({ preventScroll: true }); }
function go() {
  if (state === 'title') start();
  else if (state === 'pause') resume();
  // A press meant for the day that just ended must not throw away the score.
  else if (state === 'over' && performance.now() - over > 700) start();
}
function mute() {
  sound.toggle();
  store.set('runnel.muted', sound.muted ? '1' : '0');
  $('mute').setAttribute('aria-pressed', String(!sound.muted));
}
const KEYS = {
  ArrowLeft: 'left', KeyA: 'left', ArrowRight: 'right', KeyD: 'right', ArrowUp: 'up', KeyW: 'up', ArrowDown: 'down', KeyS: 'down', Space: 'dig', Enter: 'dig',
};
function keyDown(e) {
  if (e.ctrlKey || e.metaKey || e.altKey) return;
  const key = KEYS[e.code];
  if (key === 'dig' && e.target.closest && e.target.closest('button')) return;
  if (key) {
    e.preventDefault();
    if (state !== 'play') { if (key === 'dig' && !e.repeat) go(); return; }
    hand = hand || { x: day.urns[0].x, y: day.ground - 2, r: reach(), speed: 0 };
    held.add(key);
  } else if (e.code === 'KeyP' || e.code === 'Escape') { if (state === 'pause') resume(); else pause(); }
  else if (e.code === 'KeyM') mute();
}
function listen() {
  const view = $('view'), at = e => painter.toCell(e.clientX * ratio, e.clientY * ratio);
  addEventListener('keydown', keyDown);
  addEventListener('keyup', e => held.delete(KEYS[e.code]));
  addEventListener('blur', () => held.clear());
  view.addEventListener('pointerdown', e => {
    if (e.button !== 0) return;
    e.preventDefault();
    if (state !== 'play') { if (state !== 'title') go(); return; }
    view.setPointerCapture(e.pointerId);
    hand = null;
    fingers.set(e.pointerId, { at: at(e), to: at(e), begun: false });
  });
  view.addEventListener('pointermove', e => { const f = fingers.get(e.pointerId); if (f) f.to = at(e); });
  for (const end of ['pointerup', 'pointercancel']) view.addEventListener(end, e => { useFingers(); fingers.delete(e.pointerId); });
  view.addEventListener('contextmenu', e => e.preventDefault());
  $('play').onclick = $('again').onclick = $('resume').onclick = go;
  $('pause').onclick = pause;
  $('mute').onclick = e => { sound.wake(); mute(); if (e.detail) view.focus({ preventScroll: true }); };
  $('mute').setAttribute('aria-pressed', String(!sound.muted));
  document.addEventListener('visibilitychange', () => { if (document.hidden) { pause(); sound.rest(); } });
  dark.addEventListener('change', () => painter.theme(!dark.matches));
  addEventListener('resize', () => { if (state === 'title') openTitle(); else fit(); });
}

/* ---------- the loop ---------- */

const shown = {};
function put(id, value) { if (shown[id] !== value) $(id).textContent = shown[id] = value; }
let last = 0, spare = 0;
function frame(now) {
  requestAnimationFrame(frame);
  // At most a tenth of a second is made up for: a slow device plays slower, it does not jump.
  spare += Math.min(.1, (now - last) / 1000 || 0);
  last = now;
  if (state === 'pause') spare = 0;
  for (; spare >= TICK; spare -= TICK) tick();
  painter.draw({
    late: letters ? .3 : clamp(1 - left / day.seconds, 0, 1), top: day.top, horizon: day.ground + 2, time: clock, still: calm.matches, ratio,
    urns: day.urns, jars: day.jars, gems: day.gems, bits, text, hand: state === 'play' ? hand : null, shake: shake * Math.sin(clock * 70) * .7,
  });
  const share = letters ? 0 : clamp(left / day.seconds, 0, 1);
  $('time').style.transform = `scaleX(${share.toFixed(3)})`;
  put('score', String(score)); put('top', String(best)); put('day', String(day.n));
  frames++;
}

window.__game = Object.freeze({
  get state() { return state; }, get score() { return score; }, get best() { return best; },
  get frames() { return frames; }, get day() { return day.n; }, get grains() { return silt ? [0, 1, 2].reduce((n, k) => n + silt.loose(SAND + k, grid.h), 0) : 0; },
});

async function main() {
  const art = new Image();
  art.src = new URL('art.png', import.meta.url).href;
  [silt] = await Promise.all([loadSilt(), art.decode()]);
  painter = makePainter($('view'), silt, art);
  painter.theme(!dark.matches);
  openTitle();
  listen();
  $('play').disabled = false;
  requestAnimationFrame(frame);
  sandlot?.ready();
}
main().catch(() => { $('play').textContent = 'Could not load'; });
