// The page on which a project is published: takes files, shows them as they would run, and publishes them.
import { arrange, fromDrop, fromInput, isArchive, isZip, leftOut, titleOf, TooMany } from './new-files.js';
import { Preview } from './new-preview.js';
import { Lost, send, Stopped } from './new-send.js';
import { size } from './size.js';
import { entries, unpack, ZipError } from './zip.js';

const form = document.querySelector('#new-form');
const part = (name) => form.querySelector(`[data-part=${name}]`);
const { elements } = form;
const limits = { files: Number(form.dataset.most), file: Number(form.dataset.file), all: Number(form.dataset.all) };
const mostShown = 256 << 20; // bytes that a preview holds
const mostWait = 2000; // milliseconds, for the scripts of the page that shows the published project
const mostChecked = 24 << 20; // bytes of files that are sent twice, to check them first
const mostEarly = 8 << 20; // bytes of files that are checked during the preview, before the visitor presses the button

// say returns a text of the page with its arguments.
const say = (name, words = {}) => {
  const text = document.querySelector(`#new-says [data-say=${name}]`).textContent;
  return text.replace(/\{(\w+)\}/g, (all, key) => words[key] ?? all);
};

const number = new Intl.NumberFormat(document.documentElement.lang);

const alertBox = form.querySelector('#new-wrong');

const wrong = (...nodes) => {
  alertBox.replaceChildren(...nodes.map((node) => (typeof node === 'string' ? Object.assign(document.createElement('p'), { textContent: node }) : node)));
  if (!nodes.length) return;
  alertBox.scrollIntoView({ block: 'nearest' });
};

const status = (text) => { form.querySelector('#new-status').textContent = text; };

// chosen holds the files to publish: {files, archive, page, pages, called, bytes}.
let chosen = null;
let turn = 0; // counts selections: results of an earlier one are dropped
let sending = null; // aborts the request under way
let early = null; // aborts the check that runs beside the preview, and has a promise of its end
let suggested = '';
let token = elements.form_token.value;

const preview = new Preview(part('frame'), (what) => {
  part('wait').hidden = true;
  part('again').hidden = false; // it may only have been slow
  part('none').hidden = what === 'shown';
  if (what !== 'shown') part('none').textContent = say('no-preview');
}, ({ blank, errors }) => {
  const list = document.createElement('ul');
  list.append(...errors.map((text) => {
    const item = document.createElement('li');
    item.append(Object.assign(document.createElement('bdi'), { textContent: text }));
    return item;
  }));
  const { dataset } = part('console');
  part('console').replaceChildren(
    Object.assign(document.createElement('h2'), { textContent: blank ? dataset.blank : dataset.errors }),
    Object.assign(document.createElement('p'), { className: 'quiet small', textContent: dataset.hint }), list,
  );
});

const unsent = (event) => { if (chosen) event.preventDefault(); };

const noPreview = (text) => {
  preview.end();
  part('wait').hidden = part('again').hidden = true;
  part('none').hidden = false;
  part('none').textContent = text;
};

const showPreview = () => {
  const { files, page, bytes } = chosen;
  part('console').replaceChildren();
  if (!files || bytes > mostShown) {
    noPreview(say('no-preview-here'));
    return;
  }
  if (!page) {
    noPreview(say('pick-page'));
    return;
  }
  part('none').hidden = true;
  part('wait').hidden = false;
  preview.show(files, page);
};

// unzip reads a ZIP for the preview. A ZIP that is damaged for everybody fails; one that only this reader cannot read
// yields no files.
const unzip = async (file) => {
  let list = await entries(file, limits);
  const left = new Set();
  list = list.filter(({ name }) => {
    const what = leftOut(name);
    if (what) left.add(what);
    return !what;
  });
  const large = list.find((entry) => entry.size > limits.file);
  if (large) return { large: { name: large.name, bytes: { size: large.size } }, left };
  const arranged = arrange(list);
  if (list.reduce((sum, entry) => sum + entry.size, 0) > mostShown) return { ...arranged, files: null, left };
  const files = [];
  for (const entry of arranged.files) files.push({ name: entry.name, bytes: await unpack(file, entry) });
  return { ...arranged, files, left };
};

const readArchive = async (file) => {
  const about = { archive: file, called: file.name, bytes: file.size, files: null, pages: [], page: '', left: new Set(), unread: true };
  if (!isZip(file.name)) return about;
  try {
    return { ...about, ...await unzip(file), unread: false };
  } catch (error) {
    if (error instanceof ZipError && error.message === 'too many') return { ...about, problem: say('too-many', { most: number.format(limits.files) }) };
    if (error instanceof ZipError && ['no end', 'lies', 'broken'].includes(error.message)) return { ...about, problem: say('bad-zip') };
    return about;
  }
};

const readFiles = ({ list, left, called }) => {
  const bytes = list.reduce((sum, file) => sum + file.bytes.size, 0);
  const large = list.find((file) => file.bytes.size > limits.file);
  const arranged = list.length === 1 && /\.html?$/i.test(list[0].name) ? { files: [{ ...list[0], name: 'index.html' }], page: 'index.html', pages: [] } : arrange(list);
  return { ...arranged, left, called: called || list[0]?.name || '', bytes, large };
};

// problemOf returns the problem with the selection before it is sent.
const problemOf = (c) => {
  if (c.problem) return c.problem;
  if (c.large) return say('large-file', { name: c.large.name, size: size(c.large.bytes.size), most: size(limits.file) });
  if (c.bytes > limits.all) return say('large', { size: size(c.bytes), most: size(limits.all) });
  if (!c.archive && !c.files.length) return say('nothing');
  if (!c.page && !c.pages.length && !c.unread) return say('no-page');
  return '';
};

const describe = (c) => {
  const count = c.files && c.files.length > 1 ? say('count', { n: number.format(c.files.length), size: size(c.bytes) }) : size(c.bytes);
  part('name').textContent = c.called;
  part('size').textContent = count;
  part('left').hidden = !c.left.size;
  part('left').textContent = c.left.size ? say('left-out', { list: Array.from(c.left).sort().join(', ') }) : '';
};

const offerPages = (c) => {
  part('pages').hidden = Boolean(c.page) || !c.pages.length;
  elements.primary_file.disabled = part('pages').hidden;
  elements.primary_file.replaceChildren(new Option(say('choose-page'), ''), ...c.pages.map((name) => new Option(name, name)));
};

const suggest = async (c) => {
  const page = c.files?.find((file) => file.name === c.page);
  const title = await titleOf(page?.bytes, c.called);
  if (elements.title.value === suggested) elements.title.value = title;
  suggested = title;
};

// take makes the dropped or chosen files the project. Files that cannot be published leave the previous selection as it
// is.
const take = async (gather) => {
  const mine = ++turn;
  wrong();
  status(say('reading'));
  let c;
  try {
    const found = await gather();
    const alone = found.list.length === 1 && !found.called && isArchive(found.list[0].name);
    c = alone ? await readArchive(found.list[0].bytes) : readFiles(found);
  } catch (error) {
    c = { problem: error instanceof TooMany ? say('too-many', { most: number.format(limits.files) }) : say('unreadable') };
  }
  if (mine !== turn) return;
  status('');
  const problem = problemOf(c);
  if (problem) {
    wrong(problem);
    return;
  }
  sending?.abort();
  early?.abort();
  chosen = c;
  token = elements.form_token.value + '-' + mine;
  form.classList.add('chosen');
  elements.upload.required = false;
  for (const name of ['stage', 'panel']) part(name).hidden = false;
  describe(c);
  offerPages(c);
  await suggest(c);
  showPreview();
  checkEarly();
  addEventListener('beforeunload', unsent);
  part('name').focus();
};

export const takeDrop = (data) => take(fromDrop(data, limits.files));

const allWords = ['title', 'description', 'tags', 'email', 'lang', 'primary_file'];
const earlyWords = ['title', 'lang', 'primary_file']; // the others are still being typed

// body returns the form to send: the words first.
const body = (dry, words = allWords) => {
  const out = new FormData();
  if (dry) out.append('dry_run', 'true'); else out.append('form_token', token);
  for (const name of words) {
    const field = elements[name];
    if (field && !field.disabled && field.value.trim()) out.append(name, field.value);
  }
  if (chosen.archive) out.append('archive', chosen.archive, chosen.archive.name);
  else for (const { name, bytes } of chosen.files) out.append('file', bytes, name);
  return out;
};

const busy = (yes) => {
  elements.send.setAttribute('aria-disabled', String(yes)); // disabled, it would lose the focus; see sending
  part('cancel').hidden = !yes;
  part('progress').hidden = !yes;
  form.setAttribute('aria-busy', String(yes));
};

const progress = (share) => {
  const bar = part('progress').querySelector('progress');
  if (share < 1) bar.value = share; else bar.removeAttribute('value'); // all bytes have arrived, and are being checked
};

const deliver = (dry) => {
  sending = new AbortController();
  progress(0);
  status(say(dry ? 'checking' : 'sending'));
  return send(form.action, body(dry), { progress, hear: () => status(say('lost')), signal: sending.signal });
};

// checked notes that the files were checked, and returns whether there is something to fix.
const checked = () => {
  form.dataset.checked = 'yes';
  const notes = part('notes').childElementCount > 0;
  elements.send.textContent = elements.send.dataset[notes ? 'anyway' : 'first'];
  return notes;
};

// checkEarly shows beside the preview the warnings or the refusal that publishing would bring. Large files, or ones
// that count against the visitor's limits, are checked at the press.
const checkEarly = () => {
  early?.abort();
  early = null;
  part('notes').replaceChildren();
  elements.send.textContent = elements.send.dataset.first;
  delete form.dataset.checked;
  if (chosen.bytes > mostEarly || !chosen.page && !chosen.unread || navigator.connection?.saveData) return;
  const mine = new AbortController();
  early = mine;
  mine.over = send(form.action, body(true, earlyWords), { progress() {}, hear() {}, signal: mine.signal }).then(({ status: code, page }) => {
    const notes = page.querySelector('[data-part=notes]');
    if (mine !== early || !notes || code === 429) return;
    part('notes').replaceChildren(...(code === 200 ? notes : page.querySelector('#new-wrong')).childNodes);
    if (code === 200) checked();
  });
  mine.over.catch(() => {}); // the press tries again
};

// adopt shows the message of a page from the service: an error, or a suggestion.
const adopt = ({ status: code, page }) => {
  const said = page.querySelector('#new-wrong');
  const notes = page.querySelector('[data-part=notes]');
  if (notes) part('notes').replaceChildren(...notes.childNodes);
  if (said?.querySelector('[data-code=idempotency_mismatch]')) token = page.querySelector('[name=form_token]').value;
  const lead = page.querySelectorAll('main > .lead');
  if (said) wrong(...said.childNodes); else if (lead.length) wrong(...lead); else wrong(say('between', { code }));
  return said?.textContent.trim() || !notes;
};

const done = async (page) => {
  chosen = null;
  removeEventListener('beforeunload', unsent);
  preview.end();
  const main = page.querySelector('main');
  main.hidden = true; // until it has its buttons: later content would move the button about to be pressed
  document.querySelector('main').replaceWith(main);
  document.title = page.title;
  const again = '?' + Date.now(); // modules that the page before may have run
  const whole = Promise.all([import('./copy.js' + again), import('./new-done.js' + again)]);
  // The keys are shown now or never, with or without the buttons.
  await Promise.race([whole.catch(() => {}), new Promise((go) => setTimeout(go, mostWait))]);
  main.hidden = false;
  document.querySelector('#new-done').focus();
  scrollTo(0, 0);
};

// publish checks first and asks, if there is something to fix; then it publishes.
const publish = async () => {
  wrong();
  busy(true);
  try {
    if (!form.dataset.checked && chosen.bytes <= mostChecked) {
      status(say('checking'));
      sending = early;
      await early?.over.catch((error) => { if (error instanceof Stopped) throw error; });
      if (!form.dataset.checked && adopt(await deliver(true))) return;
      if (checked()) {
        part('notes').scrollIntoView({ block: 'nearest' });
        return;
      }
    }
    const answer = await deliver(false);
    if (answer.status === 201) await done(answer.page); else adopt(answer);
  } catch (error) {
    if (error instanceof Lost) wrong(say('gone'));
    else if (!(error instanceof Stopped)) throw error;
  } finally {
    sending = null;
    if (form.isConnected) {
      busy(false);
      status('');
    }
  }
};

const bringsFiles = (event) => event.dataTransfer?.types.includes('Files');

const begin = () => {
  form.classList.add('scripted');
  for (const element of form.querySelectorAll('[data-scripted]')) element.hidden = false;
  for (const name of ['stage', 'panel']) part(name).hidden = true;
  const { upload, folder } = elements;
  upload.multiple = true;
  upload.accept = '';
  const face = upload.previousElementSibling;
  face.textContent = face.dataset.many;
  folder.disabled = false;
  for (const input of [upload, folder]) {
    input.addEventListener('change', async () => {
      if (!input.files.length) return;
      await take(fromInput(input, limits.files));
      input.value = '';
    });
  }
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (chosen && !sending) publish();
  });
  part('cancel').addEventListener('click', () => {
    sending?.abort();
    early = null;
  });
  part('again').addEventListener('click', showPreview);
  elements.primary_file.addEventListener('change', () => {
    chosen.page = elements.primary_file.value;
    showPreview();
    checkEarly();
  });
  document.addEventListener('dragover', (event) => {
    if (!bringsFiles(event) || !form.isConnected) return;
    event.preventDefault();
    document.documentElement.classList.add('dropping');
  });
  document.addEventListener('dragleave', (event) => { if (!event.relatedTarget) document.documentElement.classList.remove('dropping'); });
  document.addEventListener('drop', (event) => {
    document.documentElement.classList.remove('dropping');
    if (!bringsFiles(event) || !form.isConnected) return;
    event.preventDefault();
    takeDrop(event.dataTransfer);
  });
  addEventListener('pagehide', () => preview.end());
  preview.emptyAll();
};

begin();
