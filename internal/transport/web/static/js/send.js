// The page on which a person sends the files of an agent's ticket. The ticket is in the fragment of the address, which no
// request carries: this script alone reads it.
import { fromDrop, fromInput, isArchive, TooMany } from './new-files.js';
import { Lost, send, Stopped } from './new-send.js';
import { size } from './size.js';
import { tar } from './tar.js';

const form = document.querySelector('#send');
const part = (name) => document.querySelector(`#main [data-part=${name}]`);
const limits = { files: Number(form.dataset.most), file: Number(form.dataset.file), all: Number(form.dataset.all) };
const [id, ticket] = location.hash.slice(1).split('.');
const address = '/v1/uploads/' + id;
const said = (name) => document.querySelector(`#send-says [data-say="${name}"]`);
const { lang } = document.documentElement;
const number = new Intl.NumberFormat(lang);

// words returns a text of the page as nodes, each argument isolated from the text around it.
const words = (name, given = {}) => said(name).textContent.split(/\{(\w+)\}/).map((piece, i) => (
  i % 2 ? Object.assign(document.createElement('bdi'), { textContent: given[piece] }) : piece));

const paragraph = (...nodes) => {
  const out = document.createElement('p');
  out.append(...nodes);
  return out;
};

const alertBox = document.querySelector('#send-wrong');
const wrong = (...list) => {
  alertBox.replaceChildren(...list);
  if (list.length) alertBox.scrollIntoView({ block: 'nearest' });
};
const say = (name, given) => wrong(paragraph(...words(name, given)));
const status = (...nodes) => part('status').replaceChildren(...nodes);

let about; // the act of the ticket
let chosen = null; // {body, type}
let sending = null; // aborts the request under way
let turn = 0; // counts selections: results of an earlier one are dropped

const over = (name) => {
  form.hidden = true;
  say(name);
};

// refused shows the refusal of the service in the language of the page, and its own message where that names a file.
const refused = ({ error, message = '', used }) => {
  const known = said('code ' + error);
  if (used || known?.dataset.over) {
    over(used ? 'used' : 'code ' + error);
    return;
  }
  const detail = Object.assign(paragraph(message), { className: 'quiet small', lang: 'en', dir: 'ltr' });
  wrong(paragraph(...words(known ? 'code ' + error : 'failed')), ...(!known || known.dataset.names ? [detail] : []));
};

const read = (request) => {
  let answer;
  try {
    answer = JSON.parse(request.responseText);
  } catch { // of something between here and the service
    answer = { message: String(request.status) };
  }
  return { answer, again: answer.error === 'request_in_progress' };
};

const describe = () => {
  const title = about.title || about.project_id;
  let name = title ? 'new-title' : 'new';
  if (about.operation === 'update') name = about.filename ? 'file' : about.replace ? 'replaces' : 'changes';
  part('what').append(...words(name, { title, file: about.filename }));
  if (about.dry_run) part('what').append(' ', ...words('dry'));
  part('until').append(...words('until', { time: new Intl.DateTimeFormat(lang, { timeStyle: 'short' }).format(new Date(about.expires_at)) }));
  if (!about.filename) return;
  for (const one of form.querySelectorAll('[data-one]')) one.textContent = one.dataset.one;
  part('folder').hidden = true;
  form.elements.upload.multiple = false;
};

const types = [[/\.zip$/i, 'zip'], [/\.tar$/i, 'x-tar'], [/\.(tgz|gz)$/i, 'gzip'], [/\.zst$/i, 'zstd']];

// bodyOf returns the bytes to send: the one file as it is, or an archive of all.
const bodyOf = ({ list, called }) => {
  const [{ name, bytes }] = list;
  const alone = list.length === 1 && !called;
  const archive = alone && isArchive(name);
  if (alone && (about.filename || archive || !about.archive_format)) {
    const type = archive ? types.find(([ends]) => ends.test(name))[1] : 'octet-stream';
    return { body: bytes, type: 'application/' + type };
  }
  const body = tar(list);
  return { body, type: body.type };
};

// problemOf returns the text for files that the service would refuse, with its arguments.
const problemOf = ({ list, called }) => {
  const bytes = list.reduce((sum, file) => sum + file.bytes.size, 0);
  const large = list.find((file) => file.bytes.size > limits.file && !isArchive(file.name));
  if (!list.length) return ['nothing'];
  if (about.filename && (list.length > 1 || called)) return ['one'];
  if (large) return ['large-file', { name: large.name, size: size(large.bytes.size), most: size(limits.file) }];
  if (bytes > limits.all) return ['large', { size: size(bytes), most: size(limits.all) }];
  return null;
};

const show = ({ list, left, called }) => {
  const bytes = size(list.reduce((sum, file) => sum + file.bytes.size, 0));
  part('name').textContent = called || list[0].name;
  part('size').replaceChildren(...(list.length > 1 ? words('count', { n: number.format(list.length), size: bytes }) : [bytes]));
  part('left').hidden = !left.size;
  part('left').replaceChildren(...words('left-out', { list: Array.from(left).sort().join(', ') }));
  form.classList.add('chosen');
  part('panel').hidden = false;
  part('name').focus();
};

// take makes the dropped or chosen files those to send. Files that cannot be sent leave the previous ones as they are.
const take = async (gather) => {
  const mine = ++turn;
  wrong();
  status(...words('reading'));
  let found;
  let problem;
  try {
    found = await gather();
    problem = problemOf(found);
  } catch (error) {
    problem = error instanceof TooMany ? ['too-many', { most: number.format(limits.files) }] : ['unreadable'];
  }
  if (mine !== turn || sending) return;
  status();
  if (problem) {
    say(...problem);
    return;
  }
  chosen = bodyOf(found);
  show(found);
};

const busy = (yes) => {
  part('go').setAttribute('aria-disabled', String(yes)); // disabled, it would lose the focus
  part('cancel').hidden = part('progress').hidden = !yes;
  form.setAttribute('aria-busy', String(yes));
};

const progress = (share) => {
  const bar = part('progress').querySelector('progress');
  if (share < 1) bar.value = share; else bar.removeAttribute('value'); // all bytes have arrived, and are being checked
};

// forAgent returns the answer as a text for the agent, which did not send the files itself.
const forAgent = (answer) => [
  ...['url', 'project_id', 'version', 'edit_token', 'project_api_key', 'api_key'].filter((name) => answer[name]).map((name) => `${name}: ${answer[name]}`),
  ...(answer.warnings || []).slice(0, 10).map(({ message }) => 'warning: ' + message),
].join('\n');

const done = (answer) => {
  form.hidden = true;
  alertBox.replaceChildren();
  part('done').hidden = false;
  const heading = part('heading');
  heading.replaceChildren(...(about.dry_run ? words('checked') : words('done', { title: answer.title || answer.project_id })));
  document.title = heading.textContent;
  for (const [name, href] of [['url', answer.url], ['page', answer.page_url], ['connect', answer.connect_url]]) {
    part(name).hidden = !href || about.dry_run;
    if (href) part(name).querySelector('a').href = href;
  }
  part('url').querySelector('a').textContent = answer.url;
  part('keys').hidden = !['edit_token', 'project_api_key', 'api_key'].some((name) => answer[name]);
  part('tell').textContent = forAgent(answer);
  import(form.dataset.copying);
  heading.focus();
  scrollTo(0, 0);
};

const go = async () => {
  wrong();
  busy(true);
  progress(0);
  status(...words('sending'));
  sending = new AbortController();
  try {
    const { status: code, answer } = await send(address, chosen.body, {
      open: (request) => {
        request.open('PUT', address);
        request.setRequestHeader('Authorization', 'Bearer ' + ticket);
        request.setRequestHeader('Content-Type', chosen.type);
      },
      read, progress, hear: () => status(...words('lost')), signal: sending.signal,
    });
    if (code === 200 || code === 201) done(answer); else refused(answer);
  } catch (error) {
    if (error instanceof Lost) say('gone');
    else if (!(error instanceof Stopped)) throw error;
  } finally {
    sending = null;
    busy(false);
    status();
  }
};

const bringsFiles = (event) => event.dataTransfer?.types.includes('Files');

const listen = () => {
  const { upload, folder } = form.elements;
  for (const input of [upload, folder]) {
    input.addEventListener('change', async () => {
      if (!input.files.length) return;
      await take(fromInput(input, limits.files));
      input.value = '';
    });
  }
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (chosen && !sending) go();
  });
  part('cancel').addEventListener('click', () => sending?.abort());
};

// A file that is dropped while the form is hidden is ignored: by default the browser would open it.
const listenForDrops = () => {
  const dropping = document.documentElement.classList;
  document.addEventListener('dragover', (event) => {
    if (!bringsFiles(event)) return;
    event.preventDefault();
    if (!form.hidden) dropping.add('dropping');
  });
  document.addEventListener('dragleave', (event) => { if (!event.relatedTarget) dropping.remove('dropping'); });
  document.addEventListener('drop', (event) => {
    dropping.remove('dropping');
    if (!bringsFiles(event)) return;
    event.preventDefault();
    if (!form.hidden && !sending) take(fromDrop(event.dataTransfer, limits.files));
  });
};

const begin = async () => {
  if (!ticket) {
    say('none');
    return;
  }
  try {
    const response = await fetch(address, { headers: { Authorization: 'Bearer ' + ticket }, credentials: 'omit', cache: 'no-store' });
    about = await response.json();
    if (!response.ok || about.used) {
      refused(about);
      return;
    }
  } catch {
    say('failed');
    return;
  }
  describe();
  listen();
  form.hidden = false;
};

addEventListener('hashchange', () => location.reload()); // another link was pasted over this one
listenForDrops();
begin();
