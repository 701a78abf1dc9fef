// Reports errors of the page and of its own files to the service, ten at most, unless sdk.js does. The service removes
// secrets and personal data.
(() => {
  'use strict';
  const mark = Symbol.for('sandlot.errors');
  const script = document.currentScript;
  if (!script || window[mark]) return;

  try {
    const home = new URL('..', script.src).href;
    const own = home + '.sandlot/';
    // Kept here, because games sometimes replace them.
    const post = window.fetch.bind(window);
    const later = window.setTimeout.bind(window);
    const { stringify } = JSON;
    const most = 10;
    const seen = new Set();
    let waiting = [];
    let gone = false; // the page is being left: failures of that moment do not matter

    const body = () => stringify({ age: Math.round(performance.now()), errors: waiting.splice(0) });
    const send = () => {
      if (!waiting.length) return;
      const options = { method: 'POST', body: body(), keepalive: true, credentials: 'omit', cache: 'no-store' };
      post(own + 'errors', options).catch(() => {});
    };
    const add = (kind, message, source = '', line = 0, column = 0, stack = '') => {
      message = String(message).slice(0, 300);
      const key = stringify([kind, kind === 'resource' || message, source, line, column]);
      if (gone || seen.size >= most || seen.has(key)) return;
      seen.add(key);
      if (waiting.push({ kind, message, source: String(source), line, column, stack: String(stack).slice(0, 1500) }) === 1) later(send, 1000);
    };
    Object.defineProperty(window, mark, { value: add }); // for sdk.js
    const lost = (address, what) => {
      if (typeof address === 'string' && address.startsWith(home) && !address.startsWith(own)) add('resource', 'Not loaded: ' + what, address);
    };
    const on = (name, take) => addEventListener(name, (event) => {
      try { take(event); } catch { /* the page matters more */ }
    }, true); // many do not bubble

    on('error', ({ target, message, filename, lineno, colno, error }) => {
      if (target !== window) lost(target.src || target.href, target.localName);
      else add('error', message, filename, lineno, colno, error?.stack ?? '');
    });
    on('unhandledrejection', ({ reason }) => {
      if (reason?.name !== 'AbortError') add('rejection', reason?.message ?? reason, '', 0, 0, reason?.stack ?? '');
    });
    on('webglcontextlost', () => add('webgl', 'The WebGL context was lost.'));
    on('pagehide', () => {
      gone = true;
      if (waiting.length) navigator.sendBeacon(own + 'errors', body());
    });
    on('pageshow', () => { gone = false; });
    // Reports files that failed before this script ran, and those of fetch.
    new PerformanceObserver((list) => {
      for (const { name, initiatorType, responseStatus } of list.getEntries()) {
        if (responseStatus >= 400) lost(name, initiatorType);
      }
    }).observe({ type: 'resource', buffered: true });
  } catch { /* likewise */ }
})();
