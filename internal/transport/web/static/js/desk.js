// Keys of the desk: one for each decision. They can be switched off, and do nothing while somebody types.
const storageKey = 'desk-keys';
const placeKey = 'desk-place';
const form = document.querySelector('[data-decide]');
const rows = [...document.querySelectorAll('[data-row]')];
const help = document.querySelector('[data-dialog]');
const toggle = document.querySelector('[data-switch]');

const stored = (value) => {
  try {
    if (value !== undefined) localStorage.setItem(storageKey, value);
    return localStorage.getItem(storageKey);
  } catch {
    return value; // a browser without storage forgets the choice
  }
};

// The place on the first page of the queue outlives a decision and a look at a case, which lead back there.
const keep = () => {
  if (location.search.includes('after=')) return;
  try {
    sessionStorage.setItem(placeKey, at);
  } catch { /* then the first row follows */ }
};
const take = () => {
  try {
    const kept = sessionStorage.getItem(placeKey);
    sessionStorage.removeItem(placeKey);
    return kept;
  } catch {
    return null;
  }
};

let on = stored() !== 'off';
let at = 0;

const mark = () => rows.forEach((row, i) => row.classList.toggle('current', on && i === at));

const apply = () => {
  toggle.checked = on;
  document.documentElement.classList.toggle('keyed', on);
  for (const button of document.querySelectorAll('[data-key]')) {
    if (on) button.setAttribute('aria-keyshortcuts', button.dataset.key);
    else button.removeAttribute('aria-keyshortcuts');
  }
  mark();
};

const move = (by) => {
  if (!rows.length) return;
  at = Math.min(Math.max(at + by, 0), rows.length - 1);
  mark();
  rows[at].querySelector('[data-open]').focus({ preventScroll: true });
  rows[at].scrollIntoView({ block: 'nearest' });
};

// decide presses the button of a decision. Without a ticked box it is about the marked row.
const decide = (key) => {
  const button = form?.querySelector(`[data-key="${key}"]`);
  if (!button) return;
  const boxes = rows.map((row) => row.querySelector('input'));
  if (rows.length && !boxes.some((box) => box.checked)) boxes[at].checked = true;
  form.requestSubmit(button);
};

const open = () => {
  const target = rows.length ? rows[at].querySelector('[data-open]') : document.querySelector('button[data-open]');
  target?.click();
};

const block = () => form?.querySelector('[name=block]').click();

const undo = () => document.querySelector('.desk-undo button')?.click();

const acts = { j: () => move(1), k: () => move(-1), o: open, b: block, u: undo, '?': () => help.showModal() };
for (const key of 'dhta') acts[key] = () => decide(key);

const typing = (e) => e.target.closest?.('textarea, select, [contenteditable], input:not([type=checkbox], [type=radio])');

document.addEventListener('keydown', (e) => {
  if (!on || e.ctrlKey || e.metaKey || e.altKey || e.repeat || e.isComposing || help.open || typing(e)) return;
  const act = acts[e.key.length === 1 ? e.key.toLowerCase() : ''];
  if (!act) return;
  e.preventDefault();
  act();
});

// The row that has the focus is the marked one.
rows.forEach((row, i) => row.addEventListener('focusin', () => {
  at = i;
  mark();
}));

rows.forEach((row, i) => row.addEventListener('click', (e) => {
  at = i;
  if (e.target.closest('a')) keep();
}));
if (rows.length) {
  form.addEventListener('submit', () => {
    at = Math.max(rows.findIndex((row) => row.querySelector('input').checked), 0);
    keep();
  });
}

// arrive gives the focus to the row that followed a decision, or to the row of a case that was looked at. A screen reader
// reads the message of the decision with it.
const arrive = () => {
  if (!rows.length) return;
  const kept = take();
  const said = document.querySelector('#said');
  if (kept === null && !document.querySelector('.desk-undo') || document.querySelector('[role=alert] p')) return;
  at = Math.min(Number(kept), rows.length - 1);
  if (said) rows[at].querySelector('[data-open]').setAttribute('aria-describedby', 'said');
  move(0);
  said?.addEventListener('focus', () => move(0), { once: true }); // the browser goes to the message later
};

toggle.addEventListener('change', () => {
  on = toggle.checked;
  stored(on ? 'on' : 'off');
  apply();
});
document.querySelector('[data-help]').addEventListener('click', () => help.showModal());
document.querySelector('[data-tools]').hidden = false;

// Boxes of all projects that have something in common with this one.
for (const all of document.querySelectorAll('[data-all]')) {
  all.hidden = false;
  for (const button of all.querySelectorAll('[data-same]')) {
    const boxes = [...document.querySelectorAll('[data-is]')].filter((box) => box.dataset.is.split(' ').includes(button.dataset.same));
    button.hidden = !boxes.length;
    button.addEventListener('click', () => {
      const tick = boxes.some((box) => !box.checked);
      for (const box of boxes) box.checked = tick;
    });
  }
}

apply();
arrive();
