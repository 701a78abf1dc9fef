// Updates the board of a project's page, and connects the page with the player in the frame, if the game has the SDK. Only
// the frame has the player's token: the page sends the frame a message for each call that needs the token, and receives the
// player's public id. Without this module the board stays as it was loaded, and the form is sent as any other form.
const stage = document.querySelector('.stage');
const model = stage.querySelector('template').content.firstElementChild;
const apart = model.sandbox.contains('allow-same-origin'); // else the frame's origin is opaque, and has no name
const origin = apart ? new URL(model.src).origin : 'null';
const board = document.querySelector('.board');
const player = document.querySelector('[data-player]'); // null if players may send nothing
const at = `/p/${stage.dataset.project}/board`;

const pollEvery = 30_000; // ms
const settled = 1_300; // ms; the service's lists are up to a second old
const patience = 8_000; // ms until the frame counts as silent

let you = ''; // the id of the player in the frame
let last = ''; // the part of the page as it came last

const frame = () => stage.querySelector('iframe');
const answers = new Map(); // by kind of message: the functions that wait for an answer of the frame

const send = (message) => frame()?.contentWindow.postMessage(message, apart ? origin : '*');

// refocus moves the focus from a replaced element to its replacement.
const refocus = (before) => {
  if (before?.matches('select')) board.querySelector('select')?.focus();
  else if (before?.dataset.period) board.querySelector(`a[data-period="${before.dataset.period}"]`)?.focus();
};

const paint = (html) => {
  if (html === last) return;
  last = html;
  const part = document.createElement('template');
  part.innerHTML = html; // from the service, which escapes all text of strangers
  const before = board.contains(document.activeElement) ? document.activeElement : null;
  const shown = board.querySelector('.board-shown');
  if (shown) shown.replaceWith(part.content);
  else board.querySelector('h2').after(part.content);
  board.hidden = false;
  ready();
  refocus(before);
};

let turn = 0; // only the answer to the last request is shown
const chosen = {}; // the board and the period of the last request

const load = async (wish) => {
  if (!board) return;
  Object.assign(chosen, wish);
  const mine = ++turn;
  try {
    const answer = await fetch(`${at}?${new URLSearchParams({ board: '', ...chosen, you, bare: '' })}`, { cache: 'no-store' });
    if (answer.status === 200 && mine === turn) paint(await answer.text());
  } catch { /* the next request may succeed */ }
};

// ready adds the listeners of the controls of the board.
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
let known = ''; // the player's name, as the frame has it
let met = false; // whether the game has the SDK and reaches the service

const say = (text) => { if (here) here.textContent = text; };

// ask sends a message to the frame, and returns its answer of that kind; null if none comes.
const ask = (message, kind) => new Promise((resolve) => {
  const waiting = setTimeout(resolve, patience, null);
  answers.set(kind, (answer) => {
    clearTimeout(waiting);
    resolve(answer);
  });
  send(message);
});

// meet shows the player of the frame.
const meet = ({ id, name, local }) => {
  const fresh = typeof id === 'string' && /^[\w-]{0,40}$/.test(id) && id !== you;
  if (fresh) you = id;
  if (typeof name === 'string') known = name;
  met = local === false; // else the player's data stays in the browser, and is on no board
  if (player) {
    player.hidden = !met;
    const field = player.querySelector('#player-name');
    if (typeof name === 'string' && document.activeElement !== field) field.value = name.slice(0, 20);
  }
  load();
};

const scored = async (of) => {
  send({ sandlot: 'hello' }); // the first score makes the player
  await new Promise((go) => setTimeout(go, settled));
  await load(typeof of === 'string' ? { board: of } : undefined);
  const place = board?.querySelector('.board-yours');
  if (place) say(place.textContent);
};

addEventListener('message', ({ source, origin: from, data }) => {
  if (!source || source !== frame()?.contentWindow || from !== origin) return;
  if (data?.sandlot === 'player') meet(data);
  if (data?.sandlot === 'scored') scored(data.board);
  answers.get(data?.sandlot)?.(data);
  answers.delete(data?.sandlot);
});

// The frame is made at the first Play.
document.addEventListener('sandlot:play', () => {
  frame().addEventListener('load', () => send({ sandlot: 'hello' }));
}, { once: true });

if (player) {
  const { wait, named, wrong, fault, resumed } = player.dataset;
  const [rename, resume] = ['rename', 'resume'].map((kind) => player.querySelector(`[data-${kind}]`));
  rename.addEventListener('submit', async (event) => {
    event.preventDefault();
    const wanted = rename.elements.name.value.trim();
    const before = known;
    say(wait);
    const answer = await ask({ sandlot: 'rename', name: wanted }, 'player');
    say(answer && (answer.name !== before || answer.name === wanted) ? named : fault);
  });
  resume.addEventListener('submit', async (event) => {
    event.preventDefault();
    say(wait);
    const answer = await ask({ sandlot: 'resume', code: resume.elements.code.value.trim() }, 'resumed');
    say(!answer ? fault : answer.ok === true ? resumed : wrong);
    if (answer?.ok !== true) return;
    resume.reset();
    frame().src = model.src; // the game loads the saves of the resumed player
  });
  player.querySelector('[data-code]').addEventListener('click', async () => {
    say(wait);
    const answer = await ask({ sandlot: 'code' }, 'code');
    const words = typeof answer?.code === 'string' ? answer.code.slice(0, 80) : '';
    player.querySelector('.words').textContent = words;
    say(words ? '' : fault);
  });
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
  const done = () => {
    tell.reset();
    output.textContent = tell.dataset.done;
  };
  let busy = false;
  tell.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (busy) return;
    busy = true;
    try {
      // The frame sends the message as the player, with the name.
      if (met && (await ask({ sandlot: 'tell', text: text.value }, 'told'))?.ok === true) {
        done();
        return;
      }
      const answer = await fetch(tell.action, {
        method: 'POST', body: new URLSearchParams(new FormData(tell)), headers: { Accept: 'application/json' },
      });
      if (!answer.ok) throw new Error(answer.statusText);
      done();
    } catch {
      tell.submit(); // the service's own page shows the error
    } finally {
      busy = false;
    }
  });
}
