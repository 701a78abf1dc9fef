// Reports to the service that somebody is playing, so that the project's page
// can show the number of players. It sends only a random id, and only to the
// address that it was loaded from, and stores only that id, in a database of
// its own: the storage that games read, list and empty is theirs.
(() => {
  'use strict';
  const script = document.currentScript;
  // In a frame the page around it counts.
  if (!script || window.top !== window) return;

  const every = 20000; // ms; the service forgets a player after 45 s
  const patience = 3000; // ms; some browsers never open a database
  let timer = 0;
  let id = null; // until it is loaded
  let left = false;

  const asked = (request) => new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = (event) => { event.preventDefault(); reject(request.error); };
  });

  const stored = async () => {
    const opening = indexedDB.open('.sandlot', 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore('player');
    const db = await asked(opening);
    try {
      const store = db.transaction('player', 'readwrite').objectStore('player');
      let kept = await asked(store.get('id'));
      if (typeof kept !== 'string' || !/^[\w-]{1,64}$/.test(kept)) { // a RegExp reads undefined as text
        const random = crypto.getRandomValues(new Uint8Array(16));
        kept = Array.from(random, (byte) => byte.toString(16).padStart(2, '0')).join('');
        await asked(store.put(kept, 'id'));
      }
      return kept;
    } finally {
      db.close(); // a game that deletes every database does not wait for us
    }
  };

  // Each browser is one player. Without storage (private windows, sandboxes) the
  // id is empty, and the service identifies players by the hash of the visitor.
  const player = () => Promise.race([
    stored().catch(() => ''),
    new Promise((resolve) => { setTimeout(resolve, patience, ''); }),
  ]);

  try {
    const url = new URL('heartbeat', script.src).href;
    // Kept here, because games sometimes replace it.
    const post = window.fetch.bind(window);

    const beat = () => {
      try {
        const body = JSON.stringify({ player: id });
        post(url, { method: 'POST', body, keepalive: true, credentials: 'omit', cache: 'no-store' }).catch(() => {});
      } catch { /* the page matters more than the count */ }
    };
    const start = async () => {
      left = false;
      id ??= await player();
      if (left) return;
      clearInterval(timer);
      timer = setInterval(beat, every);
      beat();
    };
    const stop = () => {
      left = true;
      clearInterval(timer);
      if (id === null) return; // it was never counted
      try {
        navigator.sendBeacon(url, JSON.stringify({ player: id, gone: true }));
      } catch { /* the service forgets the player after 45 s */ }
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
