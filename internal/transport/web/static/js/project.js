// Puts a project into its frame when the visitor presses Play, and not before.
const stage = document.querySelector('.stage');
const poster = stage.querySelector('.poster');
const start = poster.querySelector('button.start');
const apart = poster.querySelector('.apart');
const exit = stage.querySelector('.exit');
const onward = poster.querySelector('.onward'); // the link to the next project
const full = document.querySelector('.full'); // null where the frame is the whole page
const phone = matchMedia('(max-width: 40rem), (max-height: 30rem) and (pointer: coarse)');

for (const element of document.querySelectorAll('[data-scripted]')) element.hidden = false;
for (const element of document.querySelectorAll('[data-plain]')) element.hidden = true;

// The frame is made once, and keeps its element and place: a game that is moved or made again starts over.
let frame = null;
let small = false; // whether the visitor has played in the page, without filling the window

const isFilled = () => stage.classList.contains('filled');

const show = (filled) => {
  stage.classList.toggle('filled', filled);
  for (const element of document.querySelectorAll('.skip, header.site, .about, footer.site')) element.inert = filled;
};

// Filling the window is a step of its own in the history, so that going back leads to the page.
let steps = 0;

const fill = () => {
  if (isFilled()) return;
  show(true);
  if (history.state?.filled) return; // after a reload
  history.pushState({ filled: true }, '');
  steps = history.length;
};

// Browsers may deny storage to frames of another site, as in private windows. A game that reads it first then stays
// blank: a page on the project's own origin finds that out while the poster shows. If it does not answer in time,
// storage counts as available.
const patience = 5000; // ms; the game comes from the same place as the answer, and would not arrive sooner
const grace = 1000; // ms, once that page has loaded: it answers before, or never

const storageWorks = () => new Promise((resolve) => {
  const address = stage.dataset.storage;
  if (!address) {
    resolve(true);
    return;
  }
  const probe = document.createElement('iframe');
  const end = (works) => {
    clearTimeout(waiting);
    removeEventListener('message', hear);
    probe.remove();
    resolve(works);
  };
  const hear = ({ source, data }) => {
    if (source === probe.contentWindow && typeof data?.storage === 'boolean') end(data.storage);
  };
  let waiting = setTimeout(end, patience, true);
  probe.addEventListener('load', () => {
    clearTimeout(waiting);
    waiting = setTimeout(end, grace, true);
  });
  addEventListener('message', hear);
  probe.hidden = true;
  probe.sandbox = 'allow-scripts allow-same-origin';
  probe.src = address;
  document.body.append(probe);
});

// play starts the game, or continues it after the poster covered the frame.
const play = (filled) => {
  if (!frame) {
    frame = stage.querySelector('template').content.firstElementChild.cloneNode(true);
    poster.after(frame);
  }
  if (filled) fill();
  else small = true;
  if (poster.hidden) return;
  poster.hidden = true;
  frame.inert = false;
  document.body.classList.add('playing');
  frame.focus();
  document.dispatchEvent(new CustomEvent('sandlot:play'));
};

const press = () => play(full && phone.matches);

// cover puts the poster over the frame, whose content stays as it is.
const cover = () => {
  apart.hidden = true;
  start.hidden = false;
  start.lastElementChild.textContent = start.dataset.continue;
  poster.hidden = false;
  if (onward) onward.hidden = false;
  frame.inert = true;
  document.body.classList.remove('playing');
  start.focus();
  document.dispatchEvent(new CustomEvent('sandlot:pause'));
};

// shrink leads back to the previous view: to the poster, for on a phone the frame in the page is too small to play in;
// or to the frame in the page.
const shrink = () => {
  show(false);
  if (phone.matches || !small) cover();
  else full.focus();
};

const leave = () => {
  if (document.fullscreenElement) document.exitFullscreen().catch(() => {});
  if (!isFilled()) return;
  shrink();
  // Going back would be a step inside a project that has made steps since.
  if (history.length === steps) history.back();
  else history.replaceState(null, '');
};

const offerTab = () => {
  if (frame || !apart.hidden) return;
  const focused = document.activeElement === start;
  start.hidden = true;
  apart.hidden = false;
  if (focused) apart.querySelector('a').focus();
};

const storage = storageWorks();
storage.then((works) => { if (!works) offerTab(); });

start.addEventListener('click', async () => {
  if (frame || await storage) press();
});
apart.querySelector('.anyway').addEventListener('click', press);

if (full) {
  full.addEventListener('click', async () => {
    if (!frame && !await storage) {
      apart.querySelector('a').focus();
      return;
    }
    play(true);
    try {
      await stage.requestFullscreen?.({ navigationUI: 'hide' });
    } catch { /* then it fills the window */ }
    frame.focus();
  });
  exit.addEventListener('click', leave);
  addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && isFilled()) leave();
  });
  let whole = false; // whether the stage has had the whole screen: a game may take it for itself, and give it back
  document.addEventListener('fullscreenchange', () => {
    if (document.fullscreenElement) {
      whole ||= document.fullscreenElement === stage;
      return;
    }
    if (whole) leave();
    whole = false;
  });
  addEventListener('popstate', (event) => {
    const filled = !!event.state?.filled;
    if (filled === isFilled() || !frame) return;
    if (filled) {
      play(true);
      return;
    }
    if (document.fullscreenElement) document.exitFullscreen().catch(() => {});
    shrink();
  });
}

// Browsers hand a key or a turn of the wheel that a game does not take to the page around it, which would scroll away
// under the game. While the game has the focus the page stays where it is, until the pointer is on the page.
let beside = false; // whether the pointer is on the page
const hold = () => document.documentElement.classList.toggle('held', !beside && document.activeElement === frame && frame !== null);
const pointed = ({ target }) => {
  beside = target !== frame;
  hold();
};
document.addEventListener('pointerover', pointed);
document.addEventListener('pointerdown', pointed);
addEventListener('focus', hold);
addEventListener('blur', () => { // the focus is in the frame, or in another window
  beside = false;
  hold();
});

const ways = document.querySelector('details.share');

for (const share of navigator.share ? document.querySelectorAll('[data-share]') : []) {
  share.hidden = false;
  share.addEventListener('click', () => {
    navigator.share({ title: document.title, url: share.dataset.share }).catch(() => {}); // the visitor cancelled
  });
}

// The menus to share close as other menus do.
if (ways) {
  addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || !ways.open) return;
    if (ways.contains(document.activeElement)) ways.querySelector('summary').focus();
    ways.open = false;
  });
  addEventListener('click', ({ target }) => { if (!ways.contains(target)) ways.open = false; });
}

// A visitor who pressed Play on another page need not press it again. The address loses its fragment, so that a reload
// shows the poster.
if (full && location.hash === '#play') {
  history.replaceState(history.state, '', location.pathname + location.search);
  storage.then((works) => { if (works && !frame) press(); });
}
