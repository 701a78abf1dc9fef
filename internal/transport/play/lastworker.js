// This project was taken down. Its worker removes itself and what it has kept, and lets its pages load anew.
self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil((async () => {
  await self.clients.claim();
  const pages = await self.clients.matchAll({ type: 'window' });
  for (const name of await caches.keys()) await caches.delete(name);
  await self.registration.unregister();
  await Promise.allSettled(pages.map((page) => page.navigate(page.url)));
})()));
