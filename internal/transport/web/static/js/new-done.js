// After publishing: shares the link, and saves the keys as a file. They are on this page alone.
const keys = document.querySelector('#new-keys');
const share = document.querySelector('[data-send]');

if (share && navigator.share) {
  share.hidden = false;
  share.addEventListener('click', () => {
    navigator.share({ title: document.title, url: share.dataset.send }).catch(() => {}); // the visitor cancelled
  });
}

if (keys) {
  const lines = Array.from(keys.querySelectorAll('[data-key]'), (code) => `${code.dataset.key}: ${code.textContent}`);
  const save = keys.querySelector('[data-save]');
  save.href = URL.createObjectURL(new Blob([[keys.dataset.of, ...lines, ''].join('\n')], { type: 'text/plain' }));
  save.download = keys.dataset.name;
  save.hidden = false;
}
