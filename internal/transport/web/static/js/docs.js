// Adds a button to each call in the documentation that copies it. Content wider than the page scrolls, by the keyboard,
// too.
const { words: copy, done: copied } = document.querySelector('.docs').dataset;

for (const pre of document.querySelectorAll('.docs pre')) {
  pre.tabIndex = 0;
  const button = Object.assign(document.createElement('button'), { type: 'button', className: 'second', textContent: copy });
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(pre.textContent);
      button.textContent = copied;
      setTimeout(() => { button.textContent = copy; }, 3000);
    } catch { // an older browser, or a page without TLS
      getSelection().selectAllChildren(pre);
    }
  });
  const box = Object.assign(document.createElement('div'), { className: 'call' });
  pre.replaceWith(box);
  box.append(pre, button);
}
