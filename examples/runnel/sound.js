// All sound is made here, from oscillators and noise; nothing is loaded. Silent until wake is called from a gesture.

const SCALE = [0, 3, 5, 7, 10];
const note = n => 220 * 2 ** ((SCALE[((n % 5) + 5) % 5] + 12 * Math.floor(n / 5)) / 12);

export function makeSound(muted) {
  let ctx, out, hiss, noise, lastDig = 0, lastPing = 0, lastSpoil = 0;

  function build() {
    ctx = new (window.AudioContext || window.webkitAudioContext)();
    out = ctx.createGain();
    out.gain.value = muted ? 0 : .8;
    out.connect(ctx.createDynamicsCompressor()).connect(ctx.destination);
    noise = ctx.createBuffer(1, ctx.sampleRate, ctx.sampleRate);
    const data = noise.getChannelData(0);
    for (let i = 0; i < data.length; i++) data[i] = Math.random() * 2 - 1;
    hiss = stream(4200, .7);
    const wind = stream(260, .5);
    wind.gain.setTargetAtTime(.035, ctx.currentTime, 3);
  }
  // stream is noise without end through a band, and returns its volume, which starts at nothing.
  function stream(freq, q) {
    const s = ctx.createBufferSource(), f = ctx.createBiquadFilter(), g = ctx.createGain();
    s.buffer = noise; s.loop = true;
    f.type = 'bandpass'; f.frequency.value = freq; f.Q.value = q;
    g.gain.value = 0;
    s.connect(f).connect(g).connect(out);
    s.start();
    return g;
  }
  const ready = () => ctx && ctx.state === 'running';
  function tone(freq, { at = 0, dur = .4, type = 'sine', gain = .2, to = 0 } = {}) {
    if (!ready()) return;
    const t = ctx.currentTime + at, o = ctx.createOscillator(), g = ctx.createGain();
    o.type = type;
    o.frequency.setValueAtTime(freq, t);
    if (to) o.frequency.exponentialRampToValueAtTime(to, t + dur);
    g.gain.setValueAtTime(0, t);
    g.gain.linearRampToValueAtTime(gain, t + .006);
    g.gain.exponentialRampToValueAtTime(.0001, t + dur);
    o.connect(g).connect(out);
    o.start(t); o.stop(t + dur + .05);
  }
  function scratch(freq, dur, gain) {
    if (!ready()) return;
    const t = ctx.currentTime, s = ctx.createBufferSource(), f = ctx.createBiquadFilter(), g = ctx.createGain();
    s.buffer = noise; f.type = 'lowpass'; f.frequency.value = freq;
    g.gain.setValueAtTime(gain, t);
    g.gain.exponentialRampToValueAtTime(.0001, t + dur);
    s.connect(f).connect(g).connect(out);
    s.start(t, Math.random() * .8, dur);
  }
  const every = (last, ms) => performance.now() - last > ms;
  return {
    wake() {
      try {
        if (!ctx) build();
        if (ctx.state === 'suspended') ctx.resume();
      } catch { /* no audio device: the game is silent */ }
    },
    rest() { if (ctx) ctx.suspend(); },
    get muted() { return muted; },
    toggle() {
      muted = !muted;
      if (ctx) out.gain.setTargetAtTime(muted ? 0 : .8, ctx.currentTime, .03);
    },
    // The more grains move, the louder the sand.
    flow(moved) { if (ready()) hiss.gain.setTargetAtTime(Math.min(.09, moved / 6000), ctx.currentTime, .08); },
    dig() {
      if (!every(lastDig, 55)) return;
      lastDig = performance.now();
      scratch(700 + Math.random() * 700, .09, .2);
    },
    ping(share, kind) {
      if (!every(lastPing, 50)) return;
      lastPing = performance.now();
      tone(note(kind + Math.round(share * 10)), { type: 'triangle', gain: .13, dur: .35 });
    },
    spoil() {
      if (!every(lastSpoil, 90)) return;
      lastSpoil = performance.now();
      tone(96, { to: 70, dur: .12, gain: .12, type: 'triangle' });
    },
    full(kind) { [0, 2, 4, 5].forEach((n, i) => tone(note(n + kind + 3), { at: i * .07, gain: .16, dur: .9 })); scratch(1800, .08, .3); },
    gem() { [7, 9, 11, 14].forEach((n, i) => tone(note(n), { at: i * .05, gain: .1, dur: .35 })); },
    day() { [0, 2, 4].forEach((n, i) => tone(note(n), { at: i * .12, type: 'triangle', gain: .12, dur: .8 })); },
    lost() { [4, 2, 0, -3].forEach((n, i) => tone(note(n), { at: i * .18, type: 'triangle', gain: .16, dur: .9 })); },
    hurry() { tone(note(-2), { dur: .12, gain: .12, type: 'triangle' }); },
  };
}
