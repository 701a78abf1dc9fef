// Runs files in a frame before they are published. The frame has an origin with a random name drawn here; the page
// there gets the files from this page alone, not over the network. When the preview ends, that origin deletes
// everything.
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const kept = 'previews'; // origins that may not have been emptied, for instance because a browser was closed
const mostKept = 8;
const patience = 10_000; // ms, for an answer from the frame's page
const mostErrors = 3;
const longestError = 300; // characters
const longest = 60_000; // ms, until it shows the files: it first stores up to 256 MB of them

const draw = () => Array.from(crypto.getRandomValues(new Uint8Array(20)), (n) => alphabet[n % 32]).join('');

const remembered = () => {
  try {
    const list = JSON.parse(localStorage.getItem(kept) || '[]');
    return Array.isArray(list) ? list.filter((label) => /^[0-9a-z]{20}$/.test(label)).slice(-mostKept) : [];
  } catch {
    return [];
  }
};

const remember = (list) => {
  try {
    if (list.length) localStorage.setItem(kept, JSON.stringify(list)); else localStorage.removeItem(kept);
  } catch { /* then nothing is kept there either */ }
};

export class Preview {
  // box gets the frame, and has the attributes of frames in its data; hear is called with "shown" or "unavailable".
  // fails is called once for a preview that is shown, with {blank, errors}: a few short texts, which anybody may have
  // written.
  constructor(box, hear, fails) {
    this.box = box;
    this.hear = hear;
    this.fails = fails;
    this.frame = null;
    this.label = '';
    this.waits = (event) => this.message(event);
  }

  address(label, page) {
    return this.box.dataset.origins.replace('*', 'preview--' + label) + '.sandlot/' + page;
  }

  get opaque() { return !this.box.dataset.sandbox.includes('allow-same-origin'); }

  show(files, page) {
    this.end();
    this.label = draw();
    this.shown = false;
    this.files = { preview: 'files', files, page };
    remember([...remembered(), this.label].slice(-mostKept));
    addEventListener('message', this.waits);
    this.timer = setTimeout(() => this.settle('unavailable'), patience);
    this.frame = document.createElement('iframe');
    this.frame.title = this.box.dataset.title;
    this.frame.sandbox = this.box.dataset.sandbox;
    this.frame.allow = this.box.dataset.allow;
    this.frame.src = this.address(this.label, 'preview') + ('unverified' in this.box.dataset ? '?unverified' : '');
    this.box.append(this.frame);
  }

  // message listens to the frame's page until it has the files and has answered. Afterwards somebody's code runs there:
  // it is heard once more, for its errors.
  message({ source, origin, data }) {
    const theirs = this.opaque ? 'null' : new URL(this.frame.src).origin;
    if (source !== this.frame.contentWindow || origin !== theirs) return;
    if (this.shown) {
      if (data?.preview === 'errors' && Array.isArray(data.errors)) this.failed(data);
    } else if (data?.preview === 'ready' && this.files) {
      source.postMessage(this.files, this.opaque ? '*' : theirs);
      this.files = null;
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.settle('unavailable'), longest);
    } else if (!this.files && (data?.preview === 'shown' || data?.preview === 'unavailable')) {
      this.settle(data.preview);
    }
  }

  failed({ blank, errors }) {
    removeEventListener('message', this.waits);
    const texts = errors.slice(0, mostErrors).filter((text) => typeof text === 'string').map((text) => text.slice(0, longestError));
    if (texts.length) this.fails({ blank: blank === true, errors: texts });
  }

  settle(what) {
    clearTimeout(this.timer);
    this.shown = what === 'shown';
    if (what === 'unavailable') this.end();
    this.hear(what);
  }

  // end removes the frame, and makes its origin delete its files.
  end() {
    clearTimeout(this.timer);
    removeEventListener('message', this.waits);
    this.files = null;
    this.frame?.remove();
    this.frame = null;
    if (this.label) this.empty(this.label);
    this.label = '';
  }

  empty(label) {
    if (this.opaque) {
      remember([]);
      return;
    }
    const frame = document.createElement('iframe');
    const address = this.address(label, 'preview-end');
    const done = ({ source, origin, data }) => {
      if (source !== frame.contentWindow || origin !== new URL(address).origin || data?.preview !== 'ended') return;
      remember(remembered().filter((one) => one !== label));
      over();
    };
    const over = () => {
      removeEventListener('message', done);
      frame.remove();
    };
    addEventListener('message', done);
    setTimeout(over, patience);
    frame.hidden = true;
    frame.sandbox = 'allow-scripts allow-same-origin';
    frame.src = address;
    document.body.append(frame);
  }

  // emptyAll empties the origins that earlier pages could not.
  emptyAll() {
    for (const label of remembered()) if (label !== this.label) this.empty(label);
  }
}
