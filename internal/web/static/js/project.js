// Puts a project into its frame when somebody asks for it, and not before.
const stage = document.querySelector('.stage');
const exit = stage.querySelector('.exit');
const full = document.querySelector('.full'); // there is none where the frame is the whole page
const phone = matchMedia('(max-width: 40rem), (max-height: 30rem) and (pointer: coarse)');

for (const element of document.querySelectorAll('[data-scripted]')) element.hidden = false;
for (const element of document.querySelectorAll('[data-plain]')) element.hidden = true;

const fill = (filled) => {
  stage.classList.toggle('filled', filled);
  for (const element of document.querySelectorAll('header.site, .about, footer.site')) element.inert = filled;
};

const play = () => {
  const poster = stage.querySelector('.poster');
  if (!poster) return;
  const frame = stage.querySelector('template').content.firstElementChild.cloneNode(true);
  poster.replaceWith(frame);
  document.body.classList.add('playing');
  if (full && phone.matches) fill(true);
  frame.focus();
  document.dispatchEvent(new CustomEvent('sandlot:play'));
};

const leave = () => {
  if (document.fullscreenElement) document.exitFullscreen().catch(() => {});
  fill(false);
  full.focus();
};

stage.querySelector('button.start').addEventListener('click', play);

if (full) {
  full.addEventListener('click', async () => {
    play();
    fill(true);
    try {
      await stage.requestFullscreen?.({ navigationUI: 'hide' });
    } catch { /* then it fills the window */ }
    stage.querySelector('iframe').focus();
  });
  exit.addEventListener('click', leave);
  addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && stage.classList.contains('filled')) leave();
  });
  document.addEventListener('fullscreenchange', () => { if (!document.fullscreenElement) fill(false); });
}

const copy = async (field) => {
  try {
    await navigator.clipboard.writeText(field.value);
  } catch { // an older browser, or a page without TLS
    field.select();
    document.execCommand('copy');
  }
};

for (const button of document.querySelectorAll('[data-copy]')) {
  button.addEventListener('click', async () => {
    await copy(document.getElementById(button.dataset.copy));
    const output = button.parentElement.querySelector('output');
    output.textContent = output.dataset.copied;
    setTimeout(() => { output.textContent = ''; }, 3000);
  });
}

const share = document.querySelector('[data-share]');
if (share && navigator.share) {
  share.hidden = false;
  share.addEventListener('click', () => {
    navigator.share({ title: document.title, url: share.dataset.share }).catch(() => {}); // whoever thought better of it
  });
}
