// Rewrites times in the browser's own zone, with its name: the server does not know it and writes UTC. The page waits
// for this module before it is first painted, where the browser can, so that nothing moves.
const { lang } = document.documentElement;
const { months, nth, day, time } = document.querySelector('script[data-months]').dataset;
const forms = JSON.parse(nth);
const plural = new Intl.PluralRules(lang);
const zones = new Intl.DateTimeFormat(lang, { hour: 'numeric', timeZoneName: 'short' });

const fill = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);

const dayOf = (at) => fill(day, {
  d: fill(forms[plural.select(at.getDate())] ?? forms.other, { n: at.getDate() }),
  m: months.split(' ')[at.getMonth()],
  y: at.getFullYear(),
});

const timeOf = (at) => fill(time, {
  day: dayOf(at),
  time: [at.getHours(), at.getMinutes()].map((n) => String(n).padStart(2, '0')).join(':'),
  zone: zones.formatToParts(at).find(({ type }) => type === 'timeZoneName').value,
});

for (const element of document.querySelectorAll('time[data-as]')) {
  const at = new Date(element.dateTime);
  element.textContent = element.dataset.as === 'day' ? dayOf(at) : timeOf(at);
}
