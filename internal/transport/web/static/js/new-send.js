// Sends files and reports the progress, again after a lost connection: under the form token or ticket they count once.
const tries = 8;
const longest = 30_000; // ms between two tries

export class Lost extends Error {}
export class Stopped extends Error {}

const pageOf = ({ status, responseText }) => {
  const page = new DOMParser().parseFromString(responseText, 'text/html');
  return { page, again: status === 409 && page.querySelector('[data-code=request_in_progress]') };
};

const once = (action, body, { progress, signal, read = pageOf, open = (request) => request.open('POST', action) }) => new Promise((resolve, reject) => {
  const request = new XMLHttpRequest();
  request.upload.onprogress = (event) => { if (event.lengthComputable) progress(event.loaded / event.total); };
  request.onload = () => resolve({ status: request.status, ...read(request) });
  request.onerror = () => reject(new Lost());
  request.onabort = () => reject(new Stopped());
  signal.addEventListener('abort', () => request.abort());
  open(request);
  request.send(body);
});

// pause waits for a time, or until the connection is back.
const pause = (ms, signal) => new Promise((resolve, reject) => {
  const go = () => {
    clearTimeout(timer);
    removeEventListener('online', go);
    resolve();
  };
  const timer = setTimeout(go, ms);
  addEventListener('online', go);
  signal.addEventListener('abort', () => reject(new Stopped()));
});

const waits = ({ status, again }) => again || status === 502 || status === 504;

// send returns {status, page}, or the result of read. It calls hear with "lost" before each further try.
export const send = async (action, body, options) => {
  for (let n = 1; ; n++) {
    try {
      const answer = await once(action, body, options);
      if (!waits(answer) || n === tries) return answer;
    } catch (error) {
      if (!(error instanceof Lost) || n === tries) throw error;
      options.hear('lost');
    }
    await pause(Math.min(longest, 1000 * 2 ** (n - 1)), options.signal);
  }
};
