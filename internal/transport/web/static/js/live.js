// Keeps the numbers of a project's page up to date.
const base = `/p/${document.querySelector('.counts').dataset.project}`;

const pollEvery = 5_000; // ms

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

let polling = 0;

const stop = () => clearInterval(polling);

const poll = async () => {
  try {
    const answer = await fetch(`${base}/counts`, { cache: 'no-store' });
    if (answer.ok) update(await answer.json());
    else if (answer.status === 404 || answer.status === 451) stop(); // deleted or suspended
  } catch { /* the next one may come through */ }
};

const start = () => {
  stop();
  if (document.hidden) return;
  polling = setInterval(poll, pollEvery);
  poll();
};

document.addEventListener('visibilitychange', start);
document.addEventListener('sandlot:play', () => setTimeout(poll, 1000)); // the visitor counts by then
addEventListener('pagehide', stop);
addEventListener('pageshow', (event) => { if (event.persisted) start(); });
start();
