// Sends a form with files and reports its progress. After a lost connection it sends the form again, with the same form
// token, under which the service publishes once however often the form comes.
const tries = 8;
const longest = 30_000; // ms between two tries

export class Lost extends Error {}
export class Stopped extends Error {}

const once = (action, body, progress, signal) => new Promise((resolve, reject) => {
  const request = new XMLHttpRequest();
  request.upload.onprogress = (event) => { if (event.lengthComputable) progress(event.loaded / event.total); };
  request.onload = () => resolve({
    status: request.status, page: new DOMParser().parseFromString(request.responseText, 'text/html'), after: Number(request.getResponseHeader('Retry-After')) || 0,
  });
  request.onerror = () => reject(new Lost());
  request.onabort = () => reject(new Stopped());
  signal.addEventListener('abort', () => request.abort());
  request.open('POST', action);
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

const waits = ({ status, page }) => status === 409 && page.querySelector('[data-code=request_in_progress]') || status === 502 || status === 504;

// send returns {status, page, after}. It calls hear with "lost" before each further try.
export const send = async (action, body, { progress, hear, signal }) => {
  for (let n = 1; ; n++) {
    try {
      const answer = await once(action, body, progress, signal);
      if (!waits(answer) || n === tries) return answer;
    } catch (error) {
      if (!(error instanceof Lost) || n === tries) throw error;
      hear('lost');
    }
    await pause(Math.min(longest, 1000 * 2 ** (n - 1)), signal);
  }
};
