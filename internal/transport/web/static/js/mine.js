// Shows the projects that this browser remembers as liked and played. It sends the ids to get their cards, and the
// service stores none of them: see kept.js. Pages wait for this module before they are painted, and each list has the
// height of its cards before they arrive, so that nothing moves.
const storageKey = 'kept';

const parsed = (text) => {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {}; // a value that is not one of our lists counts as none
  }
};

const listOf = (kept, name) => (Array.isArray(kept[name]) ? kept[name] : []).filter((id) => /^[\w-]{1,80}$/.test(id));

// read throws in a browser without storage.
const read = () => {
  const kept = parsed(localStorage.getItem(storageKey));
  return { liked: listOf(kept, 'liked'), played: listOf(kept, 'played') };
};

// standIns returns n cards without words.
const standIns = (n) => {
  const list = document.createElement('ul');
  list.className = 'cards';
  list.setAttribute('aria-hidden', 'true');
  const part = (tag, name) => Object.assign(document.createElement(tag), { className: name, textContent: name === 'cover' ? '' : '\u00a0' });
  const title = () => {
    const line = part('p', 'card-title');
    line.replaceChildren(Object.assign(document.createElement('a'), { textContent: '\u00a0' }));
    return line;
  };
  for (let i = 0; i < n; i++) {
    const card = part('li', 'card');
    card.replaceChildren(part('span', 'cover'), title(), part('p', 'card-maker'), part('p', 'card-counts'));
    list.append(card);
  }
  return list;
};

const show = (section, some) => {
  section.hidden = !some && !section.querySelector('.empty');
  for (const e of section.querySelectorAll('[data-cards], button')) e.hidden = !some;
  for (const e of section.querySelectorAll('.empty')) e.hidden = some;
};

const fill = async (section, ids) => {
  const cards = section.querySelector('[data-cards]');
  cards.replaceChildren(standIns(ids.length));
  show(section, ids.length > 0);
  if (!ids.length) return;
  try {
    const answer = await fetch('/mine/cards', { method: 'POST', body: new URLSearchParams({ ids: ids.join(' ') }) });
    if (!answer.ok) throw new Error(answer.statusText);
    cards.innerHTML = await answer.text(); // the site's own, escaped there
    show(section, !!cards.querySelector('.card'));
  } catch {
    section.hidden = true;
    for (const e of document.querySelectorAll('[data-failed]')) e.textContent = e.dataset.failed;
  }
};

const forget = (section) => {
  localStorage.setItem(storageKey, JSON.stringify({ ...read(), [section.dataset.kept]: [] }));
  show(section, false);
  const title = section.querySelector('h2');
  title.tabIndex = -1; // the button is gone
  title.focus();
};

const begin = () => {
  let kept;
  try {
    kept = read();
  } catch {
    for (const e of document.querySelectorAll('[data-blocked]')) e.hidden = false;
    return;
  }
  for (const section of document.querySelectorAll('[data-kept]')) {
    section.querySelector('button')?.addEventListener('click', () => forget(section));
    fill(section, kept[section.dataset.kept].slice(0, section.dataset.most));
  }
};

for (const e of document.querySelectorAll('[data-plain]')) e.hidden = true;
begin();
