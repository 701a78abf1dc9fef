// Shows the files that were chosen for the upload form or dropped on it, and sends them at a press of its button, with
// a progress bar; takes whole folders, too. A file dropped beside it changes nothing. Without this module the form
// works as any form does.
import { size } from './size.js';

let form = document.querySelector('[data-upload]');
let staged = null; // the files that the button sends: {files, as}

const wrong = (nodes) => {
  const alert = document.querySelector('[role=alert]');
  alert.replaceChildren(...nodes);
  alert.scrollIntoView({ block: 'center' });
};

const broken = () => {
  const p = document.createElement('p');
  p.textContent = form.dataset.broken;
  wrong([p]);
};

const bar = (part) => {
  const box = form.querySelector('[data-progress]');
  box.hidden = part === null;
  box.firstElementChild.value = part ?? 0;
};

const idle = (yes) => {
  for (const button of form.querySelectorAll('button')) button.disabled = !yes;
  if (yes) bar(null);
};

// typed lists the unsent input in the other forms, with its place on any page of the project.
const typed = () => Array.from(document.querySelectorAll('#files input:not([type=file], [type=hidden])'))
  .filter((field) => field.value !== field.defaultValue)
  .map((field) => ({ of: field.form.elements.file?.value, name: field.name, value: field.value }));

const retype = (fields) => {
  for (const { of, name, value } of fields) {
    const field = Array.from(document.querySelectorAll(`#files input[name="${name}"]`)).find((one) => one.form.elements.file?.value === of);
    if (!field) continue;
    field.value = value;
    field.closest('details')?.setAttribute('open', '');
  }
};

// renew replaces the parts of the page that an upload changes, from a later page of the project: the files and the
// messages about them. All else stays as it is, with the input typed there.
const renew = (page) => {
  const kept = typed();
  for (const part of ['#files', '.own-head', '[role=alert]']) document.querySelector(part).replaceWith(page.querySelector(part));
  retype(kept);
  form = document.querySelector('[data-upload]');
  staged = null;
  begin();
  document.querySelector('#said')?.remove();
  const said = page.querySelector('#said');
  if (!said) return;
  document.querySelector('main').prepend(said);
  said.focus();
};

// answered shows the page that the form leads to, or its error message.
const answered = (request) => {
  const page = new DOMParser().parseFromString(request.responseText, 'text/html');
  if (request.status < 300 && new URL(request.responseURL).pathname !== new URL(form.action).pathname) {
    if (page.querySelector('#files')) renew(page);
    else location.assign(request.responseURL); // to a login
    return;
  }
  idle(true);
  const seen = request.status === 412 && page.querySelector('[data-upload]')?.elements.seen.value;
  if (seen) form.elements.seen.value = seen; // a changed selection goes up at another press
  const said = page.querySelectorAll('[role=alert] p, main > .lead');
  if (said.length) wrong(said); else broken();
};

const send = ({ files, as }) => {
  const body = new FormData();
  for (const name of ['form_token', 'seen']) body.append(name, form.elements[name].value);
  if (as) body.append('as', as);
  else body.append('folder', form.elements.folder.value);
  if (!as && files.length === 1 && form.elements.unpack.checked) body.append('unpack', '1');
  for (const { file, name } of files) body.append('files', file, name);
  const request = new XMLHttpRequest();
  request.upload.onprogress = (event) => { if (event.lengthComputable) bar(event.loaded / event.total); };
  request.onload = () => answered(request);
  request.onerror = request.onabort = () => { idle(true); broken(); };
  request.open('POST', form.action);
  idle(false);
  bar(0);
  request.send(body);
};

// within drops the name of the outermost folder: its content goes up.
const within = (path) => path.replace(/^[^/]*\//, '');

const chosen = (input) => Array.from(input.files, (file) => ({ file, name: within(file.webkitRelativePath) || file.name }));

// describe describes the staged files, one by its name, several by their number, and their folder unless it is the
// project's root.
const describe = () => {
  const [name, much] = form.querySelector('[data-staged]').children;
  const bytes = size(staged.files.reduce((sum, { file }) => sum + file.size, 0));
  const words = { n: new Intl.NumberFormat(document.documentElement.lang).format(staged.files.length), size: bytes };
  const one = staged.files.length === 1;
  const called = one ? staged.files[0].name : '';
  const what = called || form.dataset.count.replace(/\{(\w+)\}/g, (all, key) => words[key] ?? all);
  const unpacks = /\.zip$/i.test(called) && form.elements.unpack.checked;
  const folder = form.elements.folder.value.replace(/^[/ ]+|[/ ]+$/g, '');
  const to = staged.as || folder && folder + '/' + (unpacks ? '' : called);
  name.textContent = to ? what + ' → ' + to : what;
  much.textContent = one ? bytes : '';
};

// stage sets the files that the button sends; without any, none.
const stage = (files, as = '') => {
  staged = files.length ? { files, as } : null;
  form.classList.toggle('chosen', Boolean(staged));
  for (const part of ['[data-staged]', '[data-cancel]', 'button:not([data-cancel])']) form.querySelector(part).hidden = !staged;
  if (!staged) return;
  form.querySelector('output').textContent = '';
  describe();
  form.scrollIntoView({ block: 'nearest' });
  form.querySelector('button').focus();
};

const cancel = () => {
  stage([]);
  for (const input of document.querySelectorAll('#files input[type=file]')) input.value = '';
  form.elements.files.focus();
};

// inside lists the dropped files, including all files in folders.
const inside = async (entry) => {
  if (entry.isFile) {
    const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
    return [{ file, name: within(entry.fullPath.slice(1)) }];
  }
  const reader = entry.createReader();
  const found = [];
  for (;;) { // a reader yields some at a time, and nothing at the end
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (!some.length) return found;
    for (const child of some) found.push(...await inside(child));
  }
};

const dropped = async (event) => {
  event.preventDefault();
  form.classList.remove('over', 'wanted');
  form.querySelector('output').textContent = '';
  const entries = Array.from(event.dataTransfer.items, (item) => item.webkitGetAsEntry()).filter(Boolean);
  try {
    const files = (await Promise.all(entries.map(inside))).flat();
    if (files.length) stage(files);
  } catch {
    broken();
  }
};

const replacing = (other) => {
  other.classList.add('scripted');
  other.querySelector('button').hidden = true;
  other.addEventListener('change', (event) => {
    other.closest('details').open = false;
    stage(chosen(event.target), other.elements.as.value);
  });
};

const begin = () => {
  document.querySelectorAll('[data-replace]').forEach(replacing);
  form.classList.add('scripted');
  const { files } = form.elements;
  files.required = false; // a folder will do
  const folder = form.querySelector('[data-folder]');
  folder.hidden = false;
  for (const input of [files, folder.querySelector('input')]) input.addEventListener('change', () => stage(chosen(input)));
  form.querySelector('[data-cancel]').addEventListener('click', cancel);
  form.querySelector('details').addEventListener('input', () => { if (staged) describe(); });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (!staged) stage(chosen(files));
    if (staged) send(staged);
  });
  form.addEventListener('dragover', (event) => { event.preventDefault(); form.classList.add('over'); });
  form.addEventListener('dragleave', () => form.classList.remove('over'));
  form.addEventListener('drop', dropped);
  stage(chosen(files)); // the selection that the browser restores when the visitor comes back
};

const bringsFiles = (event) => event.dataTransfer.types.includes('Files');

// A browser would open a file that is dropped beside the box, in place of the page and the input typed into it.
const guard = () => {
  document.addEventListener('dragover', (event) => {
    if (!bringsFiles(event)) return;
    form.classList.add('wanted');
    if (form.contains(event.target)) return;
    event.preventDefault();
  });
  document.addEventListener('dragleave', (event) => { if (!event.relatedTarget) form.classList.remove('wanted'); });
  document.addEventListener('drop', (event) => {
    form.classList.remove('wanted');
    if (!bringsFiles(event) || form.contains(event.target)) return;
    event.preventDefault();
    form.querySelector('output').textContent = form.dataset.beside;
    form.scrollIntoView({ block: 'center' });
  });
};

// Escape, or a press beside it, closes a menu.
const menus = () => {
  const open = () => document.querySelector('.file-menu[open]');
  document.addEventListener('keydown', (event) => {
    const menu = event.key === 'Escape' && open();
    if (!menu) return;
    menu.open = false;
    menu.querySelector('summary').focus();
  });
  document.addEventListener('click', (event) => {
    const menu = open();
    if (menu && !menu.contains(event.target)) menu.open = false;
  });
};

menus();
if (form) {
  begin();
  guard();
}
