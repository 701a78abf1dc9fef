// A project in quarantine has no service worker: its pages would lose their policy. This one removes itself, and pages of a worker before it load anew.
self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil((async () => {
  const pages = await self.clients.matchAll({ type: 'window' });
  await self.registration.unregister();
  await Promise.allSettled(pages.map((page) => page.navigate(page.url)));
})()));
