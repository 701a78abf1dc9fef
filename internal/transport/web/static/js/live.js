// Keeps the numbers of a project's page up to date.
const base = `/p/${document.querySelector('.counts').dataset.project}`;

const pollEvery = 10_000; // ms

const number = new Intl.NumberFormat(document.documentElement.lang);
const plural = new Intl.PluralRules(document.documentElement.lang);

// A label beside a number has the plural forms of the language: "1 play", "2 plays".
const show = (name, value) => {
  for (const element of document.querySelectorAll(`[${name}]`)) {
    element.textContent = number.format(value);
    (element.closest('.counts > div') ?? element).hidden = !value; // a count of zero is not shown
    const label = element.closest('div')?.querySelector('[data-forms]');
    if (!label) continue;
    const forms = JSON.parse(label.dataset.forms);
    label.textContent = forms[plural.select(value)] ?? forms.other;
  }
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
  // The browser reopens a stream that broke off, but not one that was refused.
  stream.onerror = () => { if (stream?.readyState === EventSource.CLOSED) startPolling(); };
};

document.addEventListener('visibilitychange', start);
addEventListener('pagehide', stop);
addEventListener('pageshow', (event) => { if (event.persisted) start(); });
start();
