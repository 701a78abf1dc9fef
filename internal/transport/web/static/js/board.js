// Keeps the board of a project's page up to date, and connects the page with the player in the frame, if the game has
// the SDK. The frame alone knows the player's token: what needs it goes there as a message, and the page learns the
// player's public id. Without this module the board is as the page was sent, and the form sends a message as any does.
const stage = document.querySelector('.stage');
const model = stage.querySelector('template').content.firstElementChild;
const apart = model.sandbox.contains('allow-same-origin'); // else the frame's origin is opaque, and has no name
const origin = apart ? new URL(model.src).origin : 'null';
const board = document.querySelector('.board');
const player = document.querySelector('[data-player]'); // null where players can leave nothing new
const at = `/p/${stage.dataset.project}/board`;

const pollEvery = 30_000; // ms
const settled = 1_300; // ms; the service's lists are up to a second old
const patience = 8_000; // ms until the frame counts as silent

let you = ''; // the id of the player in the frame
let last = ''; // the part of the page as it came last

const frame = () => stage.querySelector('iframe');
const send = (message) => frame()?.contentWindow.postMessage(message, apart ? origin : '*');

// refocus puts the focus on the element that stands for one that was replaced.
const refocus = (before) => {
  if (before?.matches('select')) board.querySelector('select')?.focus();
  else if (before?.dataset.period) board.querySelector(`a[data-period="${before.dataset.period}"]`)?.focus();
};

const paint = (html) => {
  if (html === last) return;
  last = html;
  const part = document.createElement('template');
  part.innerHTML = html; // of the service: all text of strangers in it is escaped
  const before = board.contains(document.activeElement) ? document.activeElement : null;
  const shown = board.querySelector('.board-shown');
  if (shown) shown.replaceWith(part.content);
  else board.querySelector('h2').after(part.content);
  board.hidden = false;
  ready();
  refocus(before);
};

let turn = 0; // an answer that another one has overtaken is not shown

const load = async (wish = {}) => {
  if (!board) return;
  const shown = board.querySelector('.board-shown')?.dataset ?? {};
  const mine = ++turn;
  try {
    const answer = await fetch(`${at}?${new URLSearchParams({
      board: wish.board ?? shown.board ?? '', period: wish.period ?? shown.period ?? '', you, bare: '',
    })}`, { cache: 'no-store' });
    if (answer.status !== 200 || mine !== turn) return;
    paint(await answer.text());
  } catch { /* the next one may come through */ }
};

// ready gives the choices of the board their scripts.
const ready = () => {
  for (const tab of board.querySelectorAll('.tabs a')) {
    tab.addEventListener('click', (event) => {
      event.preventDefault();
      load({ period: tab.dataset.period });
    });
  }
  const names = board.querySelector('.board-names');
  if (!names) return;
  names.querySelector('button').hidden = true;
  names.elements.board.addEventListener('change', () => load({ board: names.elements.board.value }));
};

if (board) {
  ready();
  setInterval(() => { if (!document.hidden && !board.hidden) load(); }, pollEvery);
  document.addEventListener('visibilitychange', () => { if (!document.hidden && !board.hidden) load(); });
}

const here = player?.querySelector('.said-here');
let waiting = 0;

const say = (text) => {
  clearTimeout(waiting);
  if (here) here.textContent = text;
};

// ask sends the frame a message that it answers.
const ask = (message) => {
  say(player.dataset.wait);
  send(message);
  waiting = setTimeout(() => say(player.dataset.fault), patience);
};

// meet shows what the frame says about its player.
const meet = ({ id, name, local }) => {
  const fresh = typeof id === 'string' && /^[\w-]{0,40}$/.test(id) && id !== you;
  if (fresh) you = id;
  if (player) {
    player.hidden = local === true; // what stays in the frame's browser is on no board
    const field = player.querySelector('#player-name');
    if (here.textContent === player.dataset.wait) say(player.dataset.named);
    if (typeof name === 'string' && document.activeElement !== field) field.value = name.slice(0, 20);
  }
  load();
};

const scored = async (of) => {
  send({ sandlot: 'hello' }); // the first score makes the player
  await new Promise((go) => setTimeout(go, settled));
  await load(typeof of === 'string' ? { board: of } : {});
  const place = board?.querySelector('.board-yours');
  if (place) say(place.textContent);
};

const resumed = (ok) => {
  say(ok === true ? player.dataset.resumed : player.dataset.wrong);
  if (ok !== true) return;
  player.querySelector('[data-resume]').reset();
  frame().src = model.src; // the game reads the saves that it has now
};

addEventListener('message', ({ source, origin: from, data }) => {
  if (!source || source !== frame()?.contentWindow || from !== origin) return;
  switch (data?.sandlot) {
    case 'player': meet(data); break;
    case 'scored': scored(data.board); break;
    case 'resumed': if (player) resumed(data.ok); break;
    case 'code':
      if (!player || typeof data.code !== 'string') break;
      say('');
      player.querySelector('.words').textContent = data.code.slice(0, 80);
  }
});

// The frame is made at the first Play.
document.addEventListener('sandlot:play', () => {
  frame().addEventListener('load', () => send({ sandlot: 'hello' }));
}, { once: true });

if (player) {
  const forms = { rename: 'name', resume: 'code' };
  for (const [kind, field] of Object.entries(forms)) {
    player.querySelector(`[data-${kind}]`).addEventListener('submit', (event) => {
      event.preventDefault();
      ask({ sandlot: kind, [field]: event.target.elements[field].value.trim() });
    });
  }
  player.querySelector('[data-code]').addEventListener('click', () => ask({ sandlot: 'code' }));
}

const tell = document.querySelector('[data-tell]');

if (tell) {
  const { text } = tell.elements;
  const output = tell.querySelector('output');
  const { lang } = document.documentElement;
  const number = new Intl.NumberFormat(lang);
  const plural = new Intl.PluralRules(lang);
  const left = JSON.parse(output.dataset.left);
  text.addEventListener('input', () => {
    const n = text.maxLength - text.value.length;
    output.textContent = n < 100 ? (left[plural.select(n)] ?? left.other).replace('{n}', number.format(n)) : '';
  });
  let busy = false;
  tell.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (busy) return;
    busy = true;
    try {
      const answer = await fetch(tell.action, {
        method: 'POST', body: new URLSearchParams(new FormData(tell)), headers: { Accept: 'application/json' },
      });
      if (!answer.ok) throw new Error(answer.statusText);
      tell.reset();
      output.textContent = tell.dataset.done;
    } catch {
      tell.submit(); // the service's own page shows the error
    } finally {
      busy = false;
    }
  });
}
