// Files dropped anywhere on the page open the publish page. It replaces the content of this page, so that the files
// need no storage on the way.
const dropping = document.documentElement.classList;
let leading = false;

const bringsFiles = (event) => event.dataTransfer?.types.includes('Files');

// held returns the dropped items in a form that outlives the event.
const held = (data) => ({
  items: Array.from(data.items, (item) => item.kind === 'file' && item.webkitGetAsEntry?.()).filter(Boolean).map((entry) => ({ kind: 'file', webkitGetAsEntry: () => entry })),
  files: Array.from(data.files),
});

const lead = async (data) => {
  const answer = await fetch('/new');
  if (!answer.ok) throw new Error(`/new is ${answer.status}`);
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  const script = page.querySelector('script[data-new]').getAttribute('src');
  document.querySelector('main').replaceWith(page.querySelector('main'));
  document.title = page.title;
  history.pushState({ dropped: true }, '', '/new');
  addEventListener('popstate', () => location.reload());
  const { takeDrop } = await import(script);
  await takeDrop(data);
};

document.addEventListener('dragover', (event) => {
  if (leading || !bringsFiles(event)) return;
  event.preventDefault();
  dropping.add('dropping');
});
document.addEventListener('dragleave', (event) => { if (!event.relatedTarget) dropping.remove('dropping'); });
document.addEventListener('drop', async (event) => {
  dropping.remove('dropping');
  if (leading || !bringsFiles(event)) return;
  event.preventDefault();
  leading = true;
  try {
    await lead(held(event.dataTransfer));
  } catch {
    location.assign('/new'); // the files are still where they came from
  }
});
