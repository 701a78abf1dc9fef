// Makes buttons copy the text above them and confirm that. Where copying fails, the text is selected. Without this
// module the buttons are hidden.
const copy = async (from) => {
  try {
    await navigator.clipboard.writeText(from.value ?? from.textContent);
    return true;
  } catch { // an older browser, or a page without TLS
    if (from.select) from.select(); else getSelection().selectAllChildren(from);
    return document.execCommand('copy');
  }
};

for (const button of document.querySelectorAll('[data-copy]')) {
  button.hidden = false;
  button.addEventListener('click', async () => {
    if (!await copy(document.getElementById(button.dataset.copy))) return;
    const output = button.parentElement.querySelector('output');
    output.textContent = output.dataset.copied;
    setTimeout(() => { output.textContent = ''; }, 3000);
  });
}
