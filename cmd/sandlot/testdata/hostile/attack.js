// Each attempt answers with what it got hold of, and with nothing if it was kept out. What only the test can see (cookies, requests) the
// test looks at. The plan says where everything is; the truth is what really happened to the service.
'use strict';

const here = (path) => new URL(path, document.baseURI.replace(/[?#].*/, '')).href;
const say = (name, took) => fetch(here('__said'), { method: 'POST', mode: 'no-cors', body: JSON.stringify({ name, took: String(took || '') }) });
const ask = async (path) => (await fetch(here(path), { cache: 'no-store' })).json();
const truth = () => ask('__truth');
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
const framed = window.parent !== window;
let plan;

// until waits for something to become true, and not for ever: an attempt that is kept out mostly leaves no trace.
const until = async (holds, most = plan.patience) => {
  const end = Date.now() + most;
  while (Date.now() < end) {
    if (await holds()) return true;
    await pause(30);
  }
  return false;
};

// comes waits as well, for something to become true of what really happened: the test tells when there is more.
const comes = async (holds, most = plan.patience) => {
  const end = Date.now() + most;
  for (let now = await truth(); !holds(now);) {
    const left = end - Date.now();
    if (left <= 0) return false;
    now = await ask(`__truth?noted=${now.noted}&within=${Math.min(left, 200)}`);
  }
  return true;
};

// tryAll goes through several ways to one end and ends with the first that works.
const tryAll = async (...ways) => {
  for (const way of ways) {
    try {
      const got = await way();
      if (got) return got;
    } catch { /* kept out: the next one */ }
  }
  return '';
};

const frame = (src, name) => new Promise((loaded) => {
  const element = document.createElement('iframe');
  if (name) element.name = name;
  element.width = element.height = 10; // a click goes to the page itself
  element.onload = () => loaded(element);
  if (src) element.src = src;
  document.body.append(element);
});

const others = () => [window.parent, window.top, window.opener].filter((w) => w && w !== window);

const form = (action, fields, target) => {
  const element = document.createElement('form');
  element.method = 'post';
  element.action = action;
  element.target = target;
  for (const [name, value] of Object.entries(fields)) {
    const input = document.createElement('input');
    input.name = name;
    input.value = value;
    element.append(input);
  }
  document.body.append(element);
  element.submit();
};

// post sends a form in all the ways that a page has, and waits each time until the service has answered.
const post = async (path, fields, came, worked) => {
  const url = plan.base + path;
  const body = new URLSearchParams(fields);
  const ways = [
    () => fetch(url, { method: 'POST', mode: 'no-cors', credentials: 'include', body }),
    () => navigator.sendBeacon(url, body),
    async () => { await frame('', 'inner'); form(url, fields, 'inner'); },
    async () => { window.open('about:blank', 'outer'); form(url, fields, 'outer'); },
  ];
  for (const way of ways) {
    const before = came(await truth());
    try { await way(); } catch { /* a refused answer says nothing of what happened there */ }
    await comes((now) => came(now) > before);
    if (worked(await truth())) return way.toString();
  }
  return '';
};

const attempts = {
  'forges play messages': async () => {
    if (!framed || plan.place !== 'frame') return '';
    await comes(({ beats }) => beats > 0);
    for (const message of ['sandlot:play', 'sandlot:stop', { type: 'sandlot:stop' }, { type: 'sandlot:play', player: 'forged' }]) {
      for (const w of others()) w.postMessage(message, '*');
    }
    return (await comes(({ beats }) => beats > 1)) ? 'another heartbeat' : '';
  },

  'reads the page': () => tryAll(...others().map((w) => () => w.document.documentElement.outerHTML.length)),

  'reads the cookies': async () => {
    const ways = [window, ...others()].map((w) => () => w.document.cookie);
    const all = [];
    for (const way of [...ways, async () => JSON.stringify(await window.cookieStore.getAll())]) all.push(await tryAll(way));
    return all.find((text) => text.includes(plan.session));
  },

  // The test looks at what the browser has kept.
  'sets a cookie': async () => {
    const host = new URL(plan.base).hostname;
    for (const scope of ['', `; domain=${host}`, `; domain=.${host}`, `; domain=${host}.`]) {
      const rest = `${scope}; path=/${location.protocol === 'https:' ? '; secure' : ''}`;
      for (const start of ['plain=', `${plan.session}=`, `${plan.session.toLowerCase()}=`, `=${plan.session}=`, `\u2000${plan.session}=`]) {
        try { document.cookie = `${start}evil${rest}`; } catch { /* a sandbox has none */ }
      }
    }
  },

  "reaches another's storage": async () => {
    const sibling = await Promise.race([frame(framed && plan.place !== 'frame' ? plan.siblingPath : plan.sibling), pause(plan.patience)]);
    return tryAll(
      () => sibling.contentWindow.localStorage.secret && 'localStorage of a frame',
      () => { document.domain = new URL(plan.base).hostname; return sibling.contentWindow.localStorage.secret && 'localStorage by document.domain'; },
      () => ['secret', 'player'].find((key) => localStorage.getItem(key) !== null),
      async () => (await indexedDB.databases()).find(({ name }) => name === 'secret') && 'indexedDB',
      async () => (await caches.has('secret')) && 'caches',
      ...others().map((w) => () => w.localStorage.length && 'localStorage of the page'),
    );
  },

  'registers a service worker': () => {
    const mine = plan.own !== plan.path && !location.href.startsWith(plan.path);
    const register = async (script, scope) => (await navigator.serviceWorker.register(script, { scope })).scope;
    return tryAll(
      () => register(`${plan.path}worker.js`, `${plan.base}/`),
      () => register(`${plan.path}worker.js`, plan.path),
      () => register(`${plan.siblingPath}worker.js`, plan.siblingPath),
      () => register(`${plan.sibling}worker.js`, plan.sibling),
      () => register(here('worker.js'), `${plan.base}/`),
      () => register(here('worker.js'), plan.sibling),
      () => (mine ? '' : register(here('worker.js'), here('./'))),
    );
  },

  likes: () => post(`/p/${plan.id}/like`, { like: '1' }, ({ posts }) => posts, ({ likes }) => likes > 0),

  'renames the account': () => post('/account/settings/handle', { handle: plan.wish }, ({ posts }) => posts, ({ handle }) => handle === plan.wish),

  'reads the account': () => tryAll(async () => (await (await fetch(`${plan.base}/account`, { credentials: 'include' })).text()).length),

  'loads the account as a resource': () => tryAll(async () => (await fetch(`${plan.base}/account`, { mode: 'no-cors', credentials: 'include' })).type),

  'frames the account': async () => {
    await Promise.race([frame(`${plan.base}/account/sessions`), pause(plan.patience)]);
    return (await truth()).shown.find((url) => url.includes('sessions'));
  },

  'holds a window of the account': async () => {
    const w = window.open(`${plan.base}/account/keys`, 'held');
    if (!w) return '';
    let keys;
    await comes(({ shown }) => w.closed || (keys = shown.find((url) => url.includes('keys'))));
    if (w.closed || !keys) return '';
    return (await until(() => w.closed, 4000)) ? '' : keys;
  },

  'reaches the opener': () => (window.opener ? 'window.opener' : ''),

  // The test says yes to every dialog. The frame's own name the project's address; the page's would speak for the site.
  'opens a dialog of the page': () => tryAll(...others().map((w) => () => w.confirm('Your password?') && 'confirm')),

  'runs a text as a script': () => new Promise((done) => {
    const script = document.createElement('script');
    script.src = here('note.txt');
    script.onload = script.onerror = () => done(window.ranText ? script.src : '');
    document.head.append(script);
  }),

  'sends the window back': async () => {
    if (!framed) return '';
    history.back();
    return (await until(() => false)) || '';
  },

  'navigates the window': async () => {
    if (!framed) return '';
    let clicked = false;
    addEventListener('pointerdown', () => { clicked = true; });
    say('!click');
    const end = Date.now() + 20000;
    while (!clicked && Date.now() < end) await pause(30);
    if (!clicked) return 'not tried: no click came';
    const form = document.createElement('form');
    form.target = '_top';
    form.action = here('./');
    form.innerHTML = '<input name="moved">';
    document.body.append(form);
    await tryAll(() => { window.top.location = here('./?moved'); }, () => { window.open(here('./?moved'), '_top'); }, () => { form.submit(); });
    await until(() => false);
    return '';
  },

  // Only where an operator keeps projects of strangers to themselves.
  'sends something elsewhere': () => tryAll(
    async () => (await fetch(`${plan.base}/v1/project/${plan.id}`, { mode: 'no-cors' })).type,
    async () => { const { posts } = await truth(); await frame('', 'home'); form(`${plan.base}/v1/signup`, {}, 'home'); return (await comes((now) => now.posts > posts)) && 'a form'; },
  ),
};

const run = async () => {
  plan = await ask('__plan');
  if (location.search.includes('moved')) {
    await say('navigates the window', framed ? '' : location.href);
    return say('!done');
  }
  if (plan.place === 'path' && !framed) {
    const inner = await frame(plan.path); // it runs in there
    inner.style.cssText = 'position: fixed; inset: 0; width: 100%; height: 100%';
    return undefined;
  }
  for (const name of plan.attempts) {
    let took;
    try { took = await attempts[name](); } catch { took = ''; }
    await say(name, took);
  }
  return say('!done');
};

if (location.search.includes('back')) {
  // The page before the site's: it is not to be seen again.
  addEventListener('pageshow', async (event) => {
    if (!event.persisted && performance.getEntriesByType('navigation')[0].type !== 'back_forward') return;
    await say('sends the window back', location.href);
    say('!done');
  });
} else {
  run();
}
