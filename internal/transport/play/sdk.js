// Saves and keeps scores of a game, without a key: sandlot.save, load, score, top, ready, player, code, resume, and
// window.storage. Every call resolves, none throws. Without the service it stores everything in this browser, and answers
// with local: true. site is the origin of the website; live says whether the service answers at this address.
(site, live) => {
  'use strict';
  if (window.sandlot) return;
  // Kept here, because games replace them.
  const { parse, stringify } = JSON;
  const { fetch: request, setTimeout: later, Promise, Map, URL, parent, location, document } = window;
  const send = request && request.bind(window);
  const now = Date.now.bind(Date);
  const attempt = (f, otherwise) => { try { return f(); } catch { return otherwise; } };
  const sleep = (ms) => new Promise((resolve) => { later(resolve, ms); });
  const encode = encodeURIComponent;

  const src = document.currentScript?.src;
  const home = attempt(() => new URL('..', src).href, '');
  const mine = (at) => !!home && typeof at === 'string' && at.startsWith(home);
  const api = home + '.sandlot/';
  const online = live && mine(location.href) && location.protocol !== 'file:';

  // The storage of this browser: localStorage, or memory if there is none.
  const store = attempt(() => window.localStorage);
  const memory = new Map();
  const prefix = '.sandlot' + (mine(location.href) ? new URL(home).pathname : location.pathname.replace(/[^/]*$/, ''));
  const get = (key) => memory.get(key) ?? attempt(() => store.getItem(prefix + key), null);
  const put = (key, text) => {
    memory.delete(key);
    attempt(() => store.setItem(prefix + key, text), 0) === 0 && memory.set(key, text);
  };
  const drop = (key) => {
    memory.delete(key);
    attempt(() => store.removeItem(prefix + key));
  };
  const keys = (start) => [...memory.keys(), ...attempt(() => Object.keys(store), []).filter((key) => key.startsWith(prefix))
    .map((key) => key.slice(prefix.length))].filter((key) => key.startsWith(start));
  const read = (key) => attempt(() => parse(get(key)), null);

  // The player's token is the id of player.js, in the same database.
  const valid = (id) => typeof id === 'string' && /^[\w-]{32,64}$/.test(id);
  const draw = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
  const asked = (of) => new Promise((resolve, reject) => {
    of.onsuccess = () => resolve(of.result);
    of.onerror = (event) => { event.preventDefault(); reject(of.error); };
  });
  const stored = async () => {
    const opening = indexedDB.open('.sandlot', 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore('player');
    const db = await asked(opening);
    try {
      const table = db.transaction('player', 'readwrite').objectStore('player');
      let kept = await asked(table.get('id'));
      if (!valid(kept)) await asked(table.put(kept = draw(), 'id'));
      return kept;
    } finally {
      db.close();
    }
  };
  const spare = () => {
    if (!valid(get('id'))) put('id', draw());
    return get('id');
  };
  let id = '';
  const token = online && Promise.race([stored().catch(spare), sleep(3000).then(spare)]).then((found) => (id = found));

  // call sends a call, and returns {ok, text, at} or {reason, status, after}.
  let skew = 0; // of this browser's clock
  const call = async (method, path, body) => {
    try {
      const headers = { 'X-Sandlot-Player': await token };
      if (body) headers['Content-Type'] = 'application/json';
      const signal = window.AbortSignal?.timeout?.(20000);
      const keepalive = !!body && body.length < 2e4;
      const answer = await send(api + path, { method, headers, body, keepalive, signal, credentials: 'omit', cache: 'no-store' });
      const text = await answer.text();
      skew = Date.parse(answer.headers.get('Date')) - now() || 0;
      const json = /json/.test(answer.headers.get('Content-Type'));
      if (answer.ok && json) return { ok: true, text, at: Date.parse(answer.headers.get('Last-Modified')) };
      const { reason, retry_after: after = 0 } = json && attempt(() => parse(text)) || {};
      // Without a reason another server answers: the page was copied there, or there is a proxy.
      if (!reason) return { status: 0, reason: 'offline', after: 0, foreign: answer.status < 500 };
      return { status: answer.status, reason: reason === 'runtime_off' ? 'off' : reason, after };
    } catch {
      return { status: 0, reason: 'offline', after: 0 };
    }
  };
  const passes = (answer) => !answer.status || answer.status >= 500 || answer.reason === 'rate_limited' || answer.reason === 'off';
  const refused = (reason) => ({ ok: false, reason });
  const alone = (reason, more) => ({ ok: true, ...more, local: true, ...(online && { reason }) });
  // tame makes a call that never throws.
  const tame = (f) => async (...all) => { try { return await f(...all); } catch { return refused('invalid_field'); } };

  // This browser keeps a save as {text, at, sent} until the service has it, and afterwards for a start without network.
  const saves = new Map(); // by slot: {text, sending, waiting, timer, due}
  const keep = (slot, text, at, sent) => put('save/' + slot, stringify({ text, at, sent }));
  const plan = (slot, s) => {
    if (s.timer || s.sending !== undefined || s.text === undefined) return;
    s.timer = later(flush, Math.max(0, s.due - now()), slot, s);
  };
  let moving = false; // to another player: saves of this one must not reach it
  const flush = async (slot, s) => {
    clearTimeout(s.timer);
    if (moving) {
      s.timer = later(flush, 100, slot, s);
      return;
    }
    const { text, waiting } = s;
    const at = now() + skew;
    Object.assign(s, { timer: 0, sending: text, text: undefined, waiting: [], due: now() + 1000 });
    keep(slot, text, at, false);
    const answer = await call('PUT', 'saves/' + encode(slot), text);
    if (saves.get(slot) !== s) return; // another player's now
    s.sending = undefined;
    let result = { ok: true };
    if (answer.ok) {
      if (s.text === undefined) keep(slot, text, at, true);
    } else if (passes(answer)) {
      result = alone(answer.reason);
      s.text ??= text;
      s.due = now() + 1000 * Math.max(15, answer.after);
    } else {
      result = refused(answer.reason);
      if (s.text === undefined) drop('save/' + slot);
    }
    for (const resolve of waiting) resolve(result);
    plan(slot, s);
  };
  const save = tame(async (value, slot = 'main') => {
    const text = attempt(() => stringify(value));
    if (text === undefined) return refused('invalid_json');
    if (text.length > 262144) return refused('content_too_large');
    if (!online) {
      keep(slot, text, now(), false);
      return alone();
    }
    const s = saves.get(slot) || { waiting: [], due: 0 };
    saves.set(slot, s);
    s.text = text;
    const done = new Promise((resolve) => { s.waiting.push(resolve); });
    plan(slot, s);
    return done;
  });
  const unsent = (slot) => saves.get(slot)?.text ?? saves.get(slot)?.sending;
  const load = async (slot = 'main') => {
    try {
      let own = read('save/' + slot);
      const began = now();
      for (let n = 0; online; n++) {
        if (unsent(slot) !== undefined) return parse(unsent(slot));
        const answer = await call('GET', 'saves/' + encode(slot));
        if (unsent(slot) !== undefined) return parse(unsent(slot));
        own = read('save/' + slot);
        const newer = own && !own.sent && !(own.at <= answer.at);
        if (newer && (answer.ok || answer.status === 404)) {
          save(parse(own.text), slot);
          break;
        }
        if (answer.ok) {
          keep(slot, answer.text, answer.at, true);
          return parse(answer.text);
        }
        if (answer.status === 404) {
          drop('save/' + slot);
          return null;
        }
        if (!passes(answer) || answer.reason === 'off' || answer.foreign || n === 2 || now() - began > 5000 || own && !navigator.onLine) break;
        await sleep(500 * 4 ** n);
      }
      return own ? parse(own.text) : null;
    } catch {
      return null;
    }
  };

  // The player, and the stamp of this stay.
  let me = { id: '', name: get('name') || '' };
  let since = '';
  let met = 0;
  const meet = ({ id: known, name, since: stamp }) => {
    me = { id: known, name };
    put('name', name);
    if (stamp) [since, met] = [stamp, now()];
  };
  const hello = async () => {
    const answer = await call('GET', 'player');
    if (answer.ok) meet(parse(answer.text));
  };
  const rename = tame(async (name) => {
    name = String(name ?? '');
    const answer = online ? await call('PATCH', 'player', stringify({ name })) : {};
    if (answer.ok) meet(parse(answer.text));
    else if (!passes(answer)) return refused(answer.reason);
    else {
      me.name = [...name.trim()].slice(0, 20).join('');
      put('name', me.name);
      return alone(answer.reason, { name: me.name });
    }
    return { ok: true, name: me.name };
  });
  const code = tame(async () => {
    const answer = online ? await call('POST', 'player/code', '{}') : { reason: 'off' };
    return answer.ok ? { ok: true, code: parse(answer.text).code } : refused(answer.reason);
  });
  const resume = tame(async (words) => {
    words = String(words);
    moving = true;
    while ([...saves.values()].some(({ sending }) => sending !== undefined)) await sleep(50);
    const answer = online ? await call('POST', 'player/resume', stringify({ code: words })) : { reason: 'off' };
    moving = false;
    if (!answer.ok) return refused(answer.reason);
    for (const s of saves.values()) {
      clearTimeout(s.timer);
      for (const resolve of s.waiting) resolve(refused('resumed'));
    }
    saves.clear();
    keys('save/').forEach(drop);
    bag = undefined;
    meet(parse(answer.text));
    return { ok: true, name: me.name };
  });

  const score = tame(async (value, { board = 'main', order, name } = {}) => {
    if (!Number.isFinite(value)) return refused('invalid_field');
    let reason;
    for (let n = 0; online && n < 5; n++) {
      if (!since || now() - met > 8e7) await hello();
      const answer = await call('POST', 'scores/' + encode(board), stringify({ score: value, order, name, since }));
      if (answer.ok) {
        const { best, improved, rank, of, player } = parse(answer.text);
        me.id = player;
        if (name) hello();
        say({ sandlot: 'scored', board });
        return { ok: true, best, improved, rank, of };
      }
      reason = answer.reason;
      if (reason === 'too_early' && n < 4) await sleep(1000 * Math.max(1, answer.after)); // until the score counts
      else if (passes(answer)) break;
      else return refused(reason);
    }
    if (name && !online) await rename(name);
    const kept = read('board/' + board) || { order: order || 'desc' };
    const improved = !kept.at || (kept.order === 'asc' ? value < kept.score : value > kept.score);
    if (improved) Object.assign(kept, { score: value, at: new Date().toISOString() });
    put('board/' + board, stringify(kept));
    return alone(reason, { best: kept.score, improved, rank: 1, of: 1 });
  });
  const top = tame(async ({ board = 'main', limit, around, period } = {}) => {
    const query = new URLSearchParams();
    for (const [key, value] of Object.entries({ limit, around, period })) if (value) query.set(key, value);
    const answer = online ? await call('GET', 'scores/' + encode(board) + '?' + query) : {};
    if (answer.ok) return parse(answer.text);
    if (!passes(answer)) return refused(answer.reason);
    const kept = read('board/' + board);
    const entries = kept ? [{ rank: 1, name: me.name, score: kept.score, you: true, at: kept.at }] : [];
    return alone(answer.reason, { entries, of: entries.length });
  });

  // window.storage, as pages in some chats have it.
  let bag; // the player's own keys, which are one save
  const own = () => (bag ??= load('window.storage').then((kept) => new Map(Object.entries(kept || {}))));
  const common = async (method, key, value) => {
    const path = 'shared/' + encode(key);
    if (online) return call(method, path, value);
    if (method === 'PUT') put(path, value);
    if (method === 'DELETE') drop(path);
    return { ok: method !== 'GET' || get(path) !== null, text: get(path) };
  };
  const change = async (edit) => {
    const all = await own();
    edit(all);
    // No caller waits for the service at each key: the save is sent when the page is left at the latest.
    return Promise.race([save(Object.fromEntries(all), 'window.storage'), sleep(100).then(() => ({ ok: true }))]);
  };
  const quiet = (f) => async (...all) => { try { return await f(...all); } catch { return null; } };
  const storage = {
    get: quiet(async (key, shared = false) => {
      if (shared) {
        const answer = await common('GET', key);
        return answer.ok ? { key, value: parse(answer.text), shared } : null;
      }
      const all = await own();
      return all.has(String(key)) ? { key, value: all.get(String(key)), shared } : null;
    }),
    set: quiet(async (key, value, shared = false) => {
      const answer = shared ? await common('PUT', key, stringify(value)) : await change((all) => all.set(String(key), value));
      return answer.ok ? { key, value, shared } : null;
    }),
    delete: quiet(async (key, shared = false) => {
      const answer = shared ? await common('DELETE', key) : await change((all) => all.delete(String(key)));
      return answer.ok ? { key, deleted: true, shared } : null;
    }),
    list: quiet(async (start = '', shared = false) => {
      let found = [];
      if (!shared) found = [...(await own()).keys()].filter((key) => key.startsWith(start));
      else if (!online) found = keys('shared/').map((key) => decodeURIComponent(key.slice(7))).filter((key) => key.startsWith(start));
      else {
        const answer = await call('GET', 'shared?prefix=' + encode(start));
        if (!answer.ok) return null;
        found = parse(answer.text).shared.map(({ key }) => key);
      }
      return { keys: found, prefix: start, shared };
    }),
  };

  // Errors are reported by errors.js, which stands before this script.
  const fault = (message) => attempt(() => window[Symbol.for('sandlot.errors')]('ready', message));
  let begun = false;
  const ready = async () => {
    if (begun) return;
    begun = true;
    put('ready', '1');
    if (performance.now() > 10000 && !document.hidden) fault('ready() came later than 10 s.');
  };
  if (online) {
    later(() => {
      const calls = () => get('ready') || [...document.scripts].some((script) => script.text.includes('sandlot.ready'));
      if (!begun && !document.hidden && attempt(calls)) fault('No ready() within 10 s.');
    }, 10000);
  }

  // Messages from and to the page of the website around the game.
  let greeted = Promise.resolve();
  let heard = false;
  const say = (what) => heard && attempt(() => parent.postMessage(what, site));
  const who = () => say({ sandlot: 'player', id: me.id, name: me.name, local: !online });
  const answers = {
    __proto__: null,
    hello: () => greeted.then(who),
    rename: ({ name }) => rename(name).then(who),
    code: () => code().then((made) => say({ sandlot: 'code', code: made.code || '' })),
    tell: ({ text }) => call('POST', 'feedback', stringify({ text: String(text) })).then(({ ok }) => say({ sandlot: 'told', ok: !!ok })),
    resume: ({ code: words }) => resume(words).then(({ ok }) => {
      moving = ok; // the page begins the game anew
      say({ sandlot: 'resumed', ok });
      who();
    }),
  };
  if (parent !== window) {
    addEventListener('message', ({ source, origin, data }) => {
      const answer = source === parent && origin === site && data && answers[data.sandlot];
      if (!answer) return;
      heard = true;
      answer(data);
    });
  }

  window.sandlot = {
    save, load, score, top, ready, code, resume, local: !online,
    player: { get id() { return me.id; }, get name() { return me.name; }, rename },
  };
  if (!('storage' in window)) window.storage = storage;

  if (!online) return;
  greeted = hello();
  for (const key of keys('save/')) if (!read(key)?.sent) load(key.slice(5));
  // Phones may end a hidden page without another event.
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) saves.forEach((s, slot) => { if (s.timer) flush(slot, s); });
  });
  addEventListener('pagehide', () => {
    if (moving) return;
    saves.forEach((_, slot) => {
      const text = unsent(slot);
      if (text === undefined) return;
      keep(slot, text, now() + skew, false);
      if (id) attempt(() => navigator.sendBeacon(api + 'saves/' + encode(slot), `{"player":"${id}","value":${text}}`));
    });
  });
}
