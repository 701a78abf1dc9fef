// Reports to the service that somebody is playing in the frame: on the project's page, and where others embed it.
const address = `/p/${document.querySelector('.stage').dataset.project}/heartbeat`;

const beatEvery = 20_000; // ms; the service forgets a player after 45 s
const storageKey = 'player';

// One player for each browser. Without storage the id is empty, and the service distinguishes players in its own way.
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

// The host that the visitor came from, reported once, and nothing else of the address.
let from = '';
try {
  from = new URL(document.referrer).hostname;
} catch { /* from nowhere */ }

let id = null; // nothing is stored until somebody plays
let playing = false;
let beating = 0;

const beat = async () => {
  const body = JSON.stringify({ player: id, from: from || undefined });
  try {
    const { status } = await fetch(address, { method: 'POST', body, keepalive: true, cache: 'no-store' });
    if (status < 500) from = '';
    if (status !== 404 && status !== 451) return;
    clearInterval(beating); // deleted or suspended: a page that stays open has no player any more
    playing = false;
  } catch { /* the next one may come through */ }
};

const play = () => {
  playing = true;
  id ??= player();
  clearInterval(beating);
  beating = setInterval(beat, beatEvery);
  beat();
};

const goodbye = () => {
  clearInterval(beating);
  if (playing) navigator.sendBeacon(address, JSON.stringify({ player: id, gone: true }));
};

document.addEventListener('sandlot:play', play);
document.addEventListener('sandlot:pause', () => {
  goodbye();
  playing = false;
});
addEventListener('pagehide', goodbye);
addEventListener('pageshow', (event) => { if (event.persisted && playing) play(); });
// Browsers slow the timers of hidden pages down beyond the time that the service waits.
document.addEventListener('visibilitychange', () => { if (!document.hidden && playing) play(); });
