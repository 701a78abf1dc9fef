// Keeps the numbers of a project's page up to date, and tells the service that
// somebody is playing in the page's frame.
const counts = document.querySelector('[data-project]');
const base = `/p/${counts.dataset.project}`;

const pollEvery = 10_000; // ms
const beatEvery = 20_000; // ms; the service forgets a player after 45 s
const storageKey = 'player';

const number = new Intl.NumberFormat(document.documentElement.lang);

const show = (name, value) => {
  for (const element of document.querySelectorAll(`[${name}]`)) element.textContent = number.format(value);
};

const update = ({ player_count: players, plays, likes }) => {
  show('data-live', players);
  show('data-plays', plays);
  show('data-likes', likes);
};

let stream = null;
let polling = 0;

const poll = async () => {
  try {
    const answer = await fetch(`${base}/counts`, { cache: 'no-store' });
    if (answer.ok) update(await answer.json());
  } catch { /* the next one may come through */ }
};

const startPolling = () => {
  stop();
  polling = setInterval(poll, pollEvery);
  poll();
};

const stop = () => {
  stream?.close();
  stream = null;
  clearInterval(polling);
};

const start = () => {
  stop();
  if (document.hidden) return;
  stream = new EventSource(`${base}/live`);
  stream.onmessage = (event) => update(JSON.parse(event.data));
  // A stream that broke off is opened again by the browser; one that was refused is not.
  stream.onerror = () => { if (stream?.readyState === EventSource.CLOSED) startPolling(); };
};

document.addEventListener('visibilitychange', start);
addEventListener('pagehide', stop);
addEventListener('pageshow', (event) => { if (event.persisted) start(); });
start();

// One player for each browser. Without storage the id is empty, and the service
// tells players apart in its own way.
const player = () => {
  try {
    let id = localStorage.getItem(storageKey) ?? '';
    if (!/^[\w-]{1,64}$/.test(id)) {
      id = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
      localStorage.setItem(storageKey, id);
    }
    return id;
  } catch {
    return '';
  }
};

const id = player();
let playing = false;
let beating = 0;

const beat = () => {
  const body = JSON.stringify({ player: id });
  fetch(`${base}/heartbeat`, { method: 'POST', body, keepalive: true, cache: 'no-store' }).catch(() => {});
};

const play = () => {
  playing = true;
  clearInterval(beating);
  beating = setInterval(beat, beatEvery);
  beat();
};

const goodbye = () => {
  clearInterval(beating);
  if (playing) navigator.sendBeacon(`${base}/heartbeat`, JSON.stringify({ player: id, gone: true }));
};

document.addEventListener('sandlot:play', play);
document.addEventListener('sandlot:stop', () => { goodbye(); playing = false; });
addEventListener('pagehide', goodbye);
addEventListener('pageshow', (event) => { if (event.persisted && playing) play(); });
// Browsers slow the timers of hidden pages down to less than the service waits.
document.addEventListener('visibilitychange', () => { if (!document.hidden && playing) play(); });
