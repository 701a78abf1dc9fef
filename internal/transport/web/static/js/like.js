// Sets or withdraws a like without loading a new page.
const form = document.querySelector('form.like');
const buttons = document.querySelectorAll('form.like button, [form=like]');
const number = new Intl.NumberFormat(document.documentElement.lang);
let busy = false;

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  if (busy) return;
  busy = true;
  try {
    const answer = await fetch(form.action, {
      method: 'POST', body: new URLSearchParams(new FormData(form)), headers: { Accept: 'application/json' },
    });
    if (!answer.ok) throw new Error(answer.statusText);
    const { liked, likes } = await answer.json();
    for (const button of buttons) button.setAttribute('aria-pressed', liked);
    form.elements.like.value = liked ? '0' : '1';
    for (const element of document.querySelectorAll('[data-likes]')) {
      element.textContent = number.format(likes);
      element.hidden = !likes;
    }
    document.dispatchEvent(new CustomEvent('sandlot:like'));
  } catch {
    form.submit(); // the service's own page shows the error
  } finally {
    busy = false;
  }
});
