// Puts a project into its frame when somebody asks for it, and not before.
const stage = document.querySelector('.stage');
const exit = stage.querySelector('.exit');
const full = document.querySelector('.full'); // there is none where the frame is the whole page
const phone = matchMedia('(max-width: 40rem), (max-height: 30rem) and (pointer: coarse)');

for (const element of document.querySelectorAll('[data-scripted]')) element.hidden = false;
for (const element of document.querySelectorAll('[data-plain]')) element.hidden = true;

const isFilled = () => stage.classList.contains('filled');

const show = (filled) => {
  stage.classList.toggle('filled', filled);
  for (const element of document.querySelectorAll('header.site, .about, footer.site')) element.inert = filled;
};

// What fills the window is a step of its own in the history, so that going back leads
// to the page.
let steps = 0;

const fill = () => {
  if (isFilled()) return;
  show(true);
  if (history.state?.filled) return; // there was a reload
  history.pushState({ filled: true }, '');
  steps = history.length;
};

const unfill = () => {
  if (!isFilled()) return;
  show(false);
  full.focus();
  // Going back would be a step inside of a project that has made steps since.
  if (history.length === steps) history.back();
  else history.replaceState(null, '');
};

// Browsers may keep storage from what another site frames, as in private windows. A
// game that reads it first stays blank then: a page on the project's own origin finds
// that out while the poster shows. Whoever does not answer in time has storage.
const patience = 1000; // ms

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
  const waiting = setTimeout(end, patience, true);
  addEventListener('message', hear);
  probe.hidden = true;
  probe.sandbox = 'allow-scripts allow-same-origin';
  probe.src = address;
  document.body.append(probe);
});

const play = () => {
  const poster = stage.querySelector('.poster');
  if (!poster) return;
  const frame = stage.querySelector('template').content.firstElementChild.cloneNode(true);
  poster.replaceWith(frame);
  document.body.classList.add('playing');
  if (full && phone.matches) fill();
  frame.focus();
  document.dispatchEvent(new CustomEvent('sandlot:play'));
};

const leave = () => {
  if (document.fullscreenElement) document.exitFullscreen().catch(() => {});
  unfill();
};

const apart = stage.querySelector('.apart');

const offerTab = () => {
  if (!stage.contains(apart) || !apart.hidden) return;
  const button = stage.querySelector('button.start');
  const focused = document.activeElement === button;
  button.hidden = true;
  apart.hidden = false;
  if (focused) apart.querySelector('a').focus();
};

const storage = storageWorks();
storage.then((works) => { if (!works) offerTab(); });

stage.querySelector('button.start').addEventListener('click', async () => {
  if (await storage) play();
});
apart.querySelector('.anyway').addEventListener('click', play);

if (full) {
  full.addEventListener('click', async () => {
    if (stage.contains(apart) && !await storage) {
      apart.querySelector('a').focus();
      return;
    }
    play();
    fill();
    try {
      await stage.requestFullscreen?.({ navigationUI: 'hide' });
    } catch { /* then it fills the window */ }
    stage.querySelector('iframe').focus();
  });
  exit.addEventListener('click', leave);
  addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && isFilled()) leave();
  });
  document.addEventListener('fullscreenchange', () => { if (!document.fullscreenElement) unfill(); });
  addEventListener('popstate', (event) => {
    const filled = !!event.state?.filled;
    if (filled === isFilled() || !stage.querySelector('iframe')) return;
    show(filled);
    if (document.fullscreenElement) document.exitFullscreen().catch(() => {});
    (filled ? stage.querySelector('iframe') : full).focus();
  });
}

const share = document.querySelector('[data-share]');
if (share && navigator.share) {
  share.hidden = false;
  share.addEventListener('click', () => {
    navigator.share({ title: document.title, url: share.dataset.share }).catch(() => {}); // whoever thought better of it
  });
}
