// Suggests projects while the visitor types into the search. Without this module the form searches when it is sent.
const box = document.getElementById('find');
const list = document.createElement('ul');
list.id = 'found';
list.className = 'found';
list.hidden = true;
list.setAttribute('role', 'listbox');
list.setAttribute('aria-label', box.getAttribute('aria-label'));
box.after(list);
box.setAttribute('role', 'combobox');
box.setAttribute('aria-autocomplete', 'list');
box.setAttribute('aria-controls', list.id);
box.setAttribute('aria-expanded', 'false');

let at = -1, wait, asked, shown = '';
const options = () => [...list.children];
const open = (yes) => {
  list.hidden = !yes;
  box.setAttribute('aria-expanded', yes);
  if (!yes) point(-1);
};
const point = (i) => {
  const all = options();
  at = i;
  all.forEach((o, n) => o.setAttribute('aria-selected', n === i));
  if (i < 0) return box.removeAttribute('aria-activedescendant');
  box.setAttribute('aria-activedescendant', all[i].id);
  all[i].scrollIntoView({ block: 'nearest' });
};
const ask = async () => {
  asked?.abort();
  const text = box.value.trim();
  if (text === shown) return open(list.children.length > 0);
  if (!text) { shown = ''; list.replaceChildren(); return open(false); }
  asked = new AbortController();
  try {
    const r = await fetch(`/search?q=${encodeURIComponent(text)}`, { signal: asked.signal });
    if (!r.ok) return open(false);
    const html = await r.text();
    list.innerHTML = html; // the site's own, escaped there
    shown = text;
    point(-1);
    open(list.children.length > 0 && document.activeElement === box);
  } catch { /* newer input, or no network: the form still searches */ }
};
box.addEventListener('input', () => { clearTimeout(wait); wait = setTimeout(ask, 180); });
box.addEventListener('focus', () => { if (list.children.length) open(true); });
box.addEventListener('blur', () => open(false));
box.addEventListener('keydown', (e) => {
  const n = list.children.length;
  if (e.isComposing || !n) return;
  if (e.key === 'ArrowDown' || e.key === 'ArrowUp') {
    e.preventDefault();
    if (list.hidden) open(true);
    const step = e.key === 'ArrowDown' ? 1 : -1;
    point(at < 0 ? (step > 0 ? 0 : n - 1) : (at + step + n) % n);
  } else if (e.key === 'Escape' && !list.hidden) {
    e.preventDefault();
    open(false);
  } else if (e.key === 'Enter' && at >= 0) {
    e.preventDefault();
    location.href = list.children[at].dataset.to;
  }
});
list.addEventListener('pointerdown', (e) => e.preventDefault()); // the box keeps the focus
list.addEventListener('click', (e) => {
  const to = e.target.closest('[data-to]')?.dataset.to;
  if (to) location.href = to;
});
