// Waits for the files of a preview, from the website and from nobody else, and shows them: through a service worker on this origin or,
// where there is none to be had, by one page that takes the place of this one. At the end it takes all back.
(() => {
  const told = JSON.parse(document.getElementById('told').textContent);
  const ends = location.pathname.endsWith('preview-end');
  const opaque = self.origin === 'null';
  if (parent === self) return; // somebody opened the address: there is nothing to see

  const say = (what) => parent.postMessage({ preview: what }, told.site);

  const text = (type) => type.startsWith('text/');

  // kind is the type of a file as it is served once it is published.
  const kind = async (name, bytes) => {
    const parts = name.slice(name.lastIndexOf('/') + 1).toLowerCase().split('.');
    const extension = parts.length > 1 ? parts.at(-1) : '';
    const packed = told.types[parts.slice(-2).join('.')];
    if (extension === 'gz' && packed && parts.length > 2) {
      return { type: packed, bytes: await new Response(bytes.stream().pipeThrough(new DecompressionStream('gzip'))).blob() };
    }
    const type = told.types[extension] || 'application/octet-stream';
    if (!text(type) || extension === '') return { type, bytes };
    try {
      new TextDecoder('utf-8', { fatal: true }).decode(await bytes.arrayBuffer());
      return { type: type + '; charset=utf-8', bytes };
    } catch {
      return { type, bytes };
    }
  };

  // watch runs in the page, before its own scripts. Some seconds after the first error it tells the website what there was, and whether
  // anything is to be seen. It is put into one line, so that those of the page keep their numbers.
  const watch = (site, page) => {
    document.currentScript.remove();
    const errors = [];
    const tell = () => {
      const blank = !document.body?.innerText.trim() && !document.querySelector('canvas, img, svg, video, iframe, button, input');
      parent.postMessage({ preview: 'errors', blank, errors }, site);
    };
    const add = (...all) => {
      try {
        if (errors.length < 3 && errors.push(all.join(' ').slice(0, 300)) === 1) setTimeout(tell, 3000);
      } catch { /* what was thrown has no text */ }
    };
    const file = (at) => (at === location.href ? page : String(at || '').split(/[?#]/)[0].split('/').pop());
    addEventListener('error', ({ message, filename, lineno, target }) => {
      add(message ? message + (filename ? ` (${file(filename)}:${lineno})` : '') : `${target.localName}: ${file(target.src || target.href)}`);
    }, true);
    addEventListener('unhandledrejection', ({ reason }) => add(reason));
    const { error } = console;
    console.error = (...all) => {
      error.apply(console, all);
      add(...all);
    };
  };

  // watched is a page with that script before all but its doctype, if it is in UTF-8. What stands before it is read byte for byte.
  const watched = async ({ type, bytes }, page) => {
    if (type !== 'text/html; charset=utf-8') return bytes;
    const head = new TextDecoder('latin1').decode(await bytes.slice(0, 2048).arrayBuffer());
    const at = /^(?:ï»¿)?(?:\s*(?:<!--[^]*?-->\s*)*<!doctype[^>]*>)?/i.exec(head)[0].length;
    return new Blob([bytes.slice(0, at), `<script>(${String(watch).replace(/\n\s*/g, ' ')})(${JSON.stringify([told.site, page]).slice(1, -1).replaceAll('<', '\\u003c')})</script>`, bytes.slice(at)]);
  };

  const address = (name) => '/' + name.split('/').map(encodeURIComponent).join('/');

  const keep = async (files, { name, bytes }, page) => {
    const one = await kind(name, bytes);
    if (name === page) one.bytes = await watched(one, page);
    const headers = { ...told.headers, 'Content-Security-Policy': told.policies[location.search] || told.policies[''], 'Content-Type': one.type, 'Cache-Control': 'no-cache' };
    // Each response has bytes of its own: those of a file on the disk may be gone by the time it is asked for.
    await files.put(address(name), new Response(one.bytes, { headers }));
  };

  const some = 40; // files that are kept at once

  // serve has the worker answer for the files; it fails where the browser keeps it, or storage, from us.
  const serve = async (list, page) => {
    const worker = await navigator.serviceWorker.register('./preview-worker.js', { scope: '/', updateViaCache: 'none' });
    await caches.delete('files');
    const files = await caches.open('files');
    for (let i = 0; i < list.length; i += some) await Promise.all(list.slice(i, i + some).map((one) => keep(files, one, page)));
    if (!page.includes('/')) await files.put('/', (await files.match(address(page))).clone());
    else await files.put('/', Response.redirect(address(page), 307));
    await active(worker);
    return page.includes('/') ? address(page) : '/';
  };

  const active = async (registration) => {
    const worker = registration.active || registration.waiting || registration.installing;
    if (worker.state === 'activated') return;
    await new Promise((resolve, reject) => {
      worker.addEventListener('statechange', () => {
        if (worker.state === 'activated') resolve();
        if (worker.state === 'redundant') reject(new Error('no worker'));
      });
    });
  };

  const show = async ({ files, page }) => {
    try {
      if (opaque || !navigator.serviceWorker) throw new Error('no worker');
      const at = await serve(files, page);
      say('shown');
      location.replace(at);
    } catch {
      const alone = files.length === 1 && files[0];
      if (!alone) {
        say('unavailable');
        return;
      }
      const html = await (await watched(await kind(alone.name, alone.bytes), page)).text();
      say('shown');
      document.open();
      document.write(html);
      document.close();
    }
  };

  const end = async () => {
    try {
      for (const registration of await navigator.serviceWorker.getRegistrations()) await registration.unregister();
      for (const name of await caches.keys()) await caches.delete(name);
    } catch { /* there was nothing to take back */ }
    say('ended');
  };

  if (ends) {
    end();
    return;
  }
  let begun = false;
  addEventListener('message', ({ source, origin, data }) => {
    if (begun || source !== parent || origin !== told.site || data?.preview !== 'files') return;
    begun = true;
    show(data);
  });
  say('ready');
})();
