// Tells the service that somebody is playing, so that the project's page can
// show how many do. It sends a random number, nothing else, and only to the
// address it came from; it leaves nothing behind but that number.
(() => {
  'use strict';
  const script = document.currentScript;
  // In a frame the page around it does the counting.
  if (!script || window.top !== window) return;

  const every = 20000; // ms; the service forgets a player after 45 s
  const storageKey = '.sandlot/player';
  let timer = 0;

  // One player for each browser. Without storage (private windows, sandboxes)
  // the id is empty, and the service tells players apart in its own way.
  const player = () => {
    try {
      let id = localStorage.getItem(storageKey) || '';
      if (!/^[\w-]{1,64}$/.test(id)) {
        const random = crypto.getRandomValues(new Uint8Array(16));
        id = Array.from(random, (byte) => byte.toString(16).padStart(2, '0')).join('');
        localStorage.setItem(storageKey, id);
      }
      return id;
    } catch {
      return '';
    }
  };

  try {
    const url = new URL('heartbeat', script.src).href;
    const id = player();
    // Kept here, because games sometimes replace it.
    const post = window.fetch.bind(window);

    const beat = () => {
      try {
        const body = JSON.stringify({ player: id });
        post(url, { method: 'POST', body, keepalive: true, credentials: 'omit', cache: 'no-store' }).catch(() => {});
      } catch { /* the page matters more than the count */ }
    };
    const start = () => {
      clearInterval(timer);
      timer = setInterval(beat, every);
      beat();
    };
    const stop = () => {
      clearInterval(timer);
      try {
        navigator.sendBeacon(url, JSON.stringify({ player: id, gone: true }));
      } catch { /* the service will notice by itself */ }
    };

    addEventListener('pagehide', stop);
    // A page that comes back from the browser's memory is open again.
    addEventListener('pageshow', (event) => { if (event.persisted) start(); });
    // Browsers slow the timers of hidden pages down to less than the service waits.
    document.addEventListener('visibilitychange', () => { if (!document.hidden) start(); });

    if (document.prerendering) document.addEventListener('prerenderingchange', start, { once: true });
    else start();
  } catch { /* likewise */ }
})();
