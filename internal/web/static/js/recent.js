// Shows on the home page what this browser played last: see kept.js. The ids are sent for their cards, and nothing of them is kept.
const storageKey = 'kept';
const most = 12; // a row

const section = document.getElementById('recent');
const shelf = section?.querySelector('.shelf');

const played = () => {
  try {
    const list = JSON.parse(localStorage.getItem(storageKey))?.played;
    return Array.isArray(list) ? list.filter((id) => /^[\w-]{1,80}$/.test(id)).slice(0, most) : [];
  } catch {
    return []; // a browser that keeps nothing
  }
};

// The row has its height before its cards are there, so that nothing moves when they come.
const hold = (n) => {
  const list = document.createElement('ul');
  list.className = 'cards';
  list.setAttribute('aria-hidden', 'true');
  for (let i = 0; i < n; i++) {
    const card = document.createElement('li');
    card.className = 'card';
    const cover = document.createElement('span');
    cover.className = 'cover';
    const lines = ['card-title', 'card-maker', 'card-counts'].map((name) => Object.assign(document.createElement('p'), { className: name, textContent: '\u00a0' }));
    card.append(cover, ...lines);
    list.append(card);
  }
  shelf.replaceChildren(list);
};

const begin = async () => {
  const ids = section ? played() : [];
  if (!ids.length) return;
  hold(ids.length);
  section.hidden = false;
  try {
    const answer = await fetch('/mine/cards', { method: 'POST', body: new URLSearchParams({ ids: ids.join(' ') }) });
    if (!answer.ok) throw new Error(answer.statusText);
    shelf.innerHTML = await answer.text(); // the site's own, escaped there
    section.hidden = !shelf.querySelector('.card');
  } catch {
    section.hidden = true;
  }
};

begin();
