// Answers for the files of a preview, which lie in the cache of its origin. Nothing under this origin is asked of the network but
// the service's own folder, whose page ends the preview.
const FILES = 'files';
const own = '/.sandlot/';

self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

self.addEventListener('fetch', (event) => {
  const url = new URL(event.request.url);
  if (url.origin !== location.origin || url.pathname.startsWith(own)) return;
  event.respondWith(answer(event.request, url));
});

const answer = async (request, url) => {
  const files = await caches.open(FILES);
  if (request.method !== 'GET' && request.method !== 'HEAD') return nothing(405);
  const at = canonical(url.pathname);
  const found = await files.match(at);
  if (found) return ranged(request, found);
  if (at.endsWith('/')) {
    const index = await files.match(at + 'index.html');
    if (index) return index;
  } else if (await files.match(at + '/index.html')) {
    return Response.redirect(at + '/' + url.search, 308);
  }
  const own404 = await files.match('/404.html');
  return own404 ? new Response(own404.body, { status: 404, headers: own404.headers }) : nothing(404);
};

// canonical writes a path as the keys of the cache are written, whichever characters a page has escaped.
const canonical = (path) => {
  try {
    return path.split('/').map((segment) => encodeURIComponent(decodeURIComponent(segment))).join('/');
  } catch {
    return path;
  }
};

const nothing = (status) => new Response('', { status, headers: { 'Content-Security-Policy': "default-src 'none'", 'X-Content-Type-Options': 'nosniff' } });

// ranged gives a player of sound or film the piece that it asks for: some take nothing else.
const ranged = async (request, found) => {
  const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.get('Range') || '') || [];
  if (from === undefined) return found;
  const bytes = await found.blob();
  const end = to ? Math.min(Number(to) + 1, bytes.size) : bytes.size;
  const headers = new Headers(found.headers);
  if (Number(from) >= end) return nothing(416);
  headers.set('Content-Range', `bytes ${from}-${end - 1}/${bytes.size}`);
  return new Response(bytes.slice(Number(from), end), { status: 206, headers });
};
