const FILES = ["/", "/index.html", "/old.css"];
self.addEventListener("install", e => e.waitUntil(caches.open("v1").then(c => c.addAll(FILES))));
self.addEventListener("fetch", e => e.respondWith(caches.match(e.request).then(r => r || fetch(e.request))));
