// Buttons that copy what is shown above them, and say so. Without this module they
// are hidden.
const copy = async (from) => {
  try {
    await navigator.clipboard.writeText(from.value ?? from.textContent);
  } catch { // an older browser, or a page without TLS
    if (from.select) from.select(); else getSelection().selectAllChildren(from);
    document.execCommand('copy');
  }
};

for (const button of document.querySelectorAll('[data-copy]')) {
  button.hidden = false;
  button.addEventListener('click', async () => {
    await copy(document.getElementById(button.dataset.copy));
    const output = button.parentElement.querySelector('output');
    output.textContent = output.dataset.copied;
    setTimeout(() => { output.textContent = ''; }, 3000);
  });
}
