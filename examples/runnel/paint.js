// Painting: colours by day and by night, the sky behind the field, and what lies over it.

import { CELLS, EARTH, GEM, GLASS, JAR, PALETTE, PIXELS, ROCK, SAND } from './field.js';

const hex = s => [1, 3, 5].map(i => parseInt(s.slice(i, i + 2), 16));
const mix = (a, b, t) => a.map((v, i) => v + (b[i] - v) * t);
const css = (c, a = 1) => `rgba(${c.map(v => Math.round(v)).join(',')},${a})`;
const along = (stops, t) => {
  const at = Math.min(stops.length - 2, Math.floor(t * (stops.length - 1)));
  return mix(stops[at], stops[at + 1], t * (stops.length - 1) - at);
};
const colours = list => list.split(' ').map(hex);

// Each sky is a list of moments of the day; each moment has a colour above and one at the horizon.
const DAY = {
  above: colours('#7fc4e0 #8ecbe0 #e9b58a #8d6a9c'), horizon: colours('#fbe9c8 #fdf0d2 #f9c58a #f0906f'),
  far: colours('#e9c79c #efcf9f #d98f70 #8f5a78'), near: colours('#dba871 #e2b077 #b96b55 #6d4262'),
  earth: colours('#e2b272 #cf8f56 #b06a48 #8a4c43 #66363f'), wall: colours('#8a5540 #5e3638 #43272f'),
  rock: colours('#a39aa0 #7e7684 #5e5868'), sands: [colours('#d98a1c #ffd35c'), colours('#b92c58 #f58aa6'), colours('#0d7f7c #6ad6c6')],
  letter: colours('#4a3050 #7a4658'), glass: [255, 255, 255], ink: '#3a2438', stars: false,
};
const NIGHT = {
  above: colours('#1d2452 #161c48 #10143a #090b22'), horizon: colours('#5a4f8e #474485 #3a3a74 #52305a'),
  far: colours('#3a3668 #322f62 #282654 #2a1c40'), near: colours('#2a2650 #24214a #1c1a3e #1c1430'),
  earth: colours('#7a5f8e #5d4a7e #463a6c #332b56 #231e40'), wall: colours('#221b3c #181430 #100d24'),
  rock: colours('#7d84a2 #5c6384 #444a69'), sands: [colours('#e08f20 #ffdf7a'), colours('#d93a6c #ff9db8'), colours('#12a39a #8af0dc')],
  letter: colours('#fff2da #f0c9a0'), glass: [210, 225, 255], ink: '#fdf1e2', stars: true,
};

// Where the pictures lie in art.png, in cells; gen/art.go draws them there.
const URN = kind => [2 + kind * 32, 0, 28, 26], PLAQUE = kind => [104, kind * 16, 16, 10];
const SHINE = [128, 0, 26, 22], CORK = [160, 0, 26, 7], SUN = [197, 5, 22, 22], MOON = [230, 6, 20, 20];
const FAR = [0, 48, 256, 38], NEAR = [0, 88, 256, 40];

export function makePainter(canvas, silt, art) {
  const g = canvas.getContext('2d', { alpha: false });
  const layer = document.createElement('canvas'), tint = document.createElement('canvas');
  let view = { k: 1, w: 1, h: 1, x: 0, y: 0 }, theme = DAY, image;
  const colour = new Uint8ClampedArray(silt.memory.buffer, PALETTE, 1024), cells = new Uint8Array(silt.memory.buffer, CELLS, 65536);

  const put = (i, c, a = 255) => colour.set([c[0], c[1], c[2], a], i * 4);
  const lighter = (c, t) => mix(c, [255, 244, 222], t);
  function palette() {
    for (let s = 0; s < 16; s++) {
      const t = s / 15, deep = along(theme.wall, t), soil = along(theme.earth, t), stone = along(theme.rock, Math.min(1, t * .8 + (s & 1) * .2));
      const both = (kind, plain, edge, a = 255) => { put(kind | s << 3, plain, a); put(kind | s << 3 | 128, edge, a); };
      both(0, deep, mix(deep, [8, 4, 14], .35), s ? 255 : 0);
      both(EARTH, soil, lighter(soil, .28));
      both(ROCK, stone, lighter(stone, .3));
      const letter = along(theme.letter, t);
      both(GLASS, s ? letter : theme.glass, s ? letter : theme.glass, s ? 255 : 60);
      theme.sands.forEach(([dark, light], n) => both(SAND + n, mix(dark, light, t), mix(dark, light, .5 + t / 2)));
    }
  }
  // Gems glitter by changing their colours, not their cells.
  function glitter(time) {
    for (let s = 0; s < 16; s++) {
      const heart = s > 7, shine = .5 + .5 * Math.sin(time * 3 + (s & 7) * 1.7);
      const c = heart ? mix([214, 250, 255], [255, 255, 255], shine) : mix([96, 190, 226], [150, 224, 240], shine);
      put(GEM | s << 3, c); put(GEM | s << 3 | 128, lighter(c, .6));
    }
  }
  const piece = ([sx, sy, w, h], x, y) => g.drawImage(art, sx, sy, w, h, Math.round(x), Math.round(y), w, h);

  function range(cut, c, bottom, shift) {
    tint.width = cut[2]; tint.height = cut[3];
    const p = tint.getContext('2d');
    p.drawImage(art, cut[0], cut[1], cut[2], cut[3], 0, 0, cut[2], cut[3]);
    p.globalCompositeOperation = 'source-in';
    p.fillStyle = css(c); p.fillRect(0, 0, cut[2], cut[3]);
    for (let x = -shift; x < view.w; x += cut[2]) g.drawImage(tint, x, bottom - cut[3]);
    g.fillStyle = css(c); g.fillRect(0, bottom, view.w, view.h);
  }
  function sky(late, top, horizon, time, still) {
    const f = g.createLinearGradient(0, 0, 0, horizon);
    f.addColorStop(0, css(along(theme.above, late))); f.addColorStop(1, css(along(theme.horizon, late)));
    g.fillStyle = f; g.fillRect(0, 0, view.w, view.h);
    if (theme.stars) stars(horizon, time, still);
    const x = view.w * (.12 + .76 * late), y = top + 14 + (horizon - top - 16) * late * late;
    const halo = g.createRadialGradient(x, y, 6, x, y, 60);
    halo.addColorStop(0, theme.stars ? 'rgba(226,222,255,.34)' : 'rgba(255,240,196,.7)'); halo.addColorStop(1, 'rgba(255,240,210,0)');
    g.fillStyle = halo; g.fillRect(x - 60, y - 60, 120, 120);
    const ball = theme.stars ? MOON : SUN;
    piece(ball, x - ball[2] / 2, y - ball[3] / 2);
    range(FAR, along(theme.far, late), horizon + 4, 40);
    range(NEAR, along(theme.near, late), horizon + 22, 120);
  }
  function stars(horizon, time, still) {
    g.fillStyle = '#fff';
    for (let i = 0; i < 70; i++) {
      g.globalAlpha = (.25 + .6 * (i * 37 % 10) / 10) * (still ? 1 : .75 + .25 * Math.sin(time * 1.5 + i));
      g.fillRect(i * 7919 % 1009 / 1009 * view.w | 0, i * 104729 % 997 / 997 * horizon * .9 | 0, 1, 1);
    }
    g.globalAlpha = 1;
  }
  function urn(u) {
    g.fillStyle = css(theme.stars ? [150, 140, 170] : [120, 84, 70]);
    g.fillRect(u.x - 9, 0, 1, u.y + 2); g.fillRect(u.x + 8, 0, 1, u.y + 2);
    piece(URN(u.kind), u.x - 14, u.y);
    // The band of an urn empties with it.
    const gone = Math.round(8 * (1 - Math.max(0, u.left / u.all)));
    g.fillStyle = 'rgba(46,20,30,.62)';
    g.fillRect(u.x - 13, u.y + 9, 27, Math.min(6, gone)); if (gone > 6) g.fillRect(u.x - 12, u.y + 15, 25, gone - 6);
  }
  function jar(j, time) {
    if (j.glow > 0) {
      const x = j.x + JAR.w / 2, y = j.y + JAR.h / 2, f = g.createRadialGradient(x, y, 4, x, y, 44);
      f.addColorStop(0, css(theme.sands[j.kind][1], .65 * j.glow)); f.addColorStop(1, css(theme.sands[j.kind][1], 0));
      g.fillStyle = f; g.fillRect(x - 44, y - 44, 88, 88);
    }
    piece(SHINE, j.x - 2, j.y);
    piece(PLAQUE(j.kind), j.x + 3, j.y + JAR.h + 2);
    if (j.full) { piece(CORK, j.x - 2, j.y - 5 - Math.round(8 * Math.max(0, j.glow - .8))); return; }
    // The mark to fill to, and the share that is there.
    g.fillStyle = css(theme.sands[j.kind][1], .5 + .3 * Math.sin(time * 4));
    for (let x = 0; x < JAR.w; x += 4) g.fillRect(j.x + x, j.y + 5, 2, 1);
    g.fillStyle = 'rgba(10,4,14,.5)'; g.fillRect(j.x, j.y + JAR.h + 13, JAR.w, 2);
    g.fillStyle = css(theme.sands[j.kind][1]); g.fillRect(j.x, j.y + JAR.h + 13, Math.round(JAR.w * Math.min(1, j.have / JAR.need)), 2);
  }
  // A star over a gem that is still in the ground.
  function twinkle({ x, y }, time) {
    if ((cells[y * view.w + x] & 7) !== GEM) return;
    const t = Math.sin(time * 1.7 + x), size = t > .4 ? Math.round((t - .4) * 6) : 0;
    g.fillStyle = 'rgba(255,255,255,.9)';
    g.fillRect(x - size, y, size * 2 + 1, 1); g.fillRect(x, y - size, 1, size * 2 + 1);
  }
  function cursor(c) {
    g.strokeStyle = theme.stars ? '#fff' : '#3a2438'; g.lineWidth = 1;
    g.beginPath(); g.arc(c.x + .5, c.y + .5, c.r + 1.5, 0, Math.PI * 2); g.stroke();
  }
  function crumbs(list) {
    for (const b of list) {
      g.globalAlpha = Math.max(0, 1 - b.age / b.life);
      g.fillStyle = b.kind < 0 ? css(along(theme.earth, b.tone)) : b.kind === 3 ? '#fff3c4' : css(theme.sands[b.kind][1]);
      g.fillRect(Math.round(b.x), Math.round(b.y), 1, 1);
    }
    g.globalAlpha = 1;
  }
  // Words are drawn in screen pixels, so that they are sharp whatever the size of a cell.
  function words(list, ratio) {
    g.setTransform(1, 0, 0, 1, 0, 0);
    g.textAlign = 'center'; g.lineJoin = 'round';
    g.font = `700 ${17 * ratio}px ui-rounded, "SF Pro Rounded", "Avenir Next", "Segoe UI", system-ui, sans-serif`;
    for (const w of list) {
      const t = w.age / w.life, x = view.x + w.x * view.k, y = view.y + (w.y - t * 10) * view.k;
      g.globalAlpha = Math.min(1, (1 - t) * 3);
      g.strokeStyle = theme.stars ? 'rgba(14,10,30,.75)' : 'rgba(255,246,230,.85)'; g.lineWidth = 4 * ratio;
      g.strokeText(w.text, x, y);
      g.fillStyle = theme.ink; g.fillText(w.text, x, y);
    }
    g.globalAlpha = 1;
  }
  return {
    theme(bright) { theme = bright ? DAY : NIGHT; palette(); },
    // resize fits the field of w by h cells into the canvas, in whole device pixels.
    resize(w, h, devW, devH) {
      canvas.width = devW; canvas.height = devH;
      // One row and column may be cut at the edge rather than leave a seam.
      const k = Math.max(1, Math.floor(Math.min(devW / (w - 3), devH / (h - 1))));
      view = { k, w, h, x: Math.floor((devW - k * w) / 2), y: Math.floor((devH - k * h) / 2) };
      layer.width = w; layer.height = h;
      image = new ImageData(new Uint8ClampedArray(silt.memory.buffer, PIXELS, w * h * 4), w, h);
    },
    toCell(x, y) { return { x: Math.floor((x - view.x) / view.k), y: Math.floor((y - view.y) / view.k) }; },
    draw({ late, top, horizon, time, still, urns, jars, gems, bits, text, hand, ratio, shake }) {
      glitter(still ? 0 : time);
      silt.paint();
      layer.getContext('2d').putImageData(image, 0, 0);
      g.setTransform(1, 0, 0, 1, 0, 0);
      g.fillStyle = css(along(theme.near, late)); g.fillRect(0, 0, canvas.width, canvas.height);
      g.imageSmoothingEnabled = false;
      g.setTransform(view.k, 0, 0, view.k, view.x, view.y + (shake || 0) * view.k);
      sky(late, top, horizon, time, still);
      g.drawImage(layer, 1, 0, view.w - 2, view.h, 1, 0, view.w - 2, view.h);
      for (const u of urns) urn(u);
      for (const j of jars) jar(j, still ? 0 : time);
      for (const b of gems) twinkle(b, still ? 1 : time);
      crumbs(bits);
      if (hand) cursor(hand);
      words(text, ratio);
    },
  };
}
