// Buttons that copy what is shown beside them, and say so. Without this module
// they are hidden.
for (const button of document.querySelectorAll("[data-copy]")) {
  button.hidden = !navigator.clipboard;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
    button.nextElementSibling.textContent = button.dataset.done;
  });
}
