// Keys of the desk: one for each decision. They can be switched off, and do nothing while somebody types.
const storageKey = 'desk-keys';
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

const undo = () => document.querySelector('.desk-undo button')?.click();

const acts = { j: () => move(1), k: () => move(-1), o: open, u: undo, '?': () => help.showModal() };
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
