import levels from '../levels.json' with { type: 'json' };
const sheet = await import('../sand.css', { with: { type: 'css' } });
const here = new URL('./', import.meta.url), above = new URL('..', import.meta.url);
const sand = new URL('../img/sand.png', import.meta.url);
document.body.append(here.href, above.href, sand.href, levels.length, sheet);
