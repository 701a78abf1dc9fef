// Stores, in this browser alone, the projects that it liked and played. The page of these lists reads them: mine.js.
const storageKey = 'kept';
const most = 60; // of each list

const id = document.querySelector('.stage').dataset.project;
const button = document.querySelector('form.like button');

const remember = (list, is) => {
  try {
    const kept = JSON.parse(localStorage.getItem(storageKey)) ?? {};
    const others = (Array.isArray(kept[list]) ? kept[list] : []).filter((other) => other !== id);
    kept[list] = (is ? [id, ...others] : others).slice(0, most);
    localStorage.setItem(storageKey, JSON.stringify(kept));
  } catch { /* a browser that keeps nothing */ }
};

const likes = () => button.getAttribute('aria-pressed') === 'true';

const knows = () => {
  try {
    return JSON.parse(localStorage.getItem(storageKey))?.liked?.includes(id) ?? false;
  } catch {
    return false;
  }
};

document.addEventListener('sandlot:play', () => remember('played', true));
document.addEventListener('sandlot:like', () => remember('liked', likes()));
// Catches up with a like made by a form without scripts, or before there were lists.
if (likes() !== knows()) remember('liked', likes());
