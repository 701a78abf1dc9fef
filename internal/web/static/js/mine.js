// Shows what this browser remembers of the projects that it liked and played. The ids are sent for their cards, and
// nothing of them is kept: see kept.js.
const storageKey = 'kept';
const most = 60; // of each list

const parsed = (text) => {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {}; // what is no list of ours is none
  }
};

const read = () => {
  const kept = parsed(localStorage.getItem(storageKey));
  const list = (name) => (Array.isArray(kept[name]) ? kept[name] : []).filter((id) => /^[\w-]{1,80}$/.test(id)).slice(0, most);
  return { liked: list('liked'), played: list('played') };
};

const clear = (name) => {
  const kept = read();
  kept[name] = [];
  localStorage.setItem(storageKey, JSON.stringify(kept));
};

const show = (section, cards) => {
  section.querySelector('.mine-cards').innerHTML = cards;
  const some = !!section.querySelector('.card');
  section.querySelector('.mine-cards').hidden = !some;
  section.querySelector('button').hidden = !some;
  section.querySelector('.empty').hidden = some;
  section.hidden = false;
};

const cardsOf = async (ids) => {
  if (!ids.length) return '';
  const answer = await fetch('/mine/cards', { method: 'POST', body: new URLSearchParams({ ids: ids.join(' ') }) });
  if (!answer.ok) throw new Error(answer.statusText);
  return answer.text();
};

const begin = async () => {
  document.querySelector('[data-plain]').hidden = true;
  let kept;
  try {
    kept = read();
    localStorage.setItem(storageKey, JSON.stringify(kept));
  } catch {
    document.querySelector('[data-blocked]').hidden = false;
    return;
  }
  for (const section of document.querySelectorAll('[data-kept]')) {
    const name = section.dataset.kept;
    section.querySelector('button').addEventListener('click', () => {
      clear(name);
      show(section, '');
      const title = section.querySelector('h2');
      title.tabIndex = -1; // the button is gone
      title.focus();
    });
    try {
      show(section, await cardsOf(kept[name]));
    } catch {
      const failed = document.querySelector('[data-failed]');
      failed.textContent = failed.dataset.failed;
    }
  }
};

begin();
