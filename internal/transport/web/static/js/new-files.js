// Turns dropped or chosen items into a list of files with their names; and applies the service's rules for names, so
// that the preview shows the files that will be published.
const folders = { __macosx: '__MACOSX/', '.git': '.git/', node_modules: 'node_modules/', '.sandlot': '.sandlot/' };
const files = { '.ds_store': '.DS_Store', 'thumbs.db': 'Thumbs.db', 'desktop.ini': 'desktop.ini', '.git': '.git' };

// leftOut returns the reason for which a file is left out, or undefined for a file that is taken.
export const leftOut = (name) => {
  const parts = name.toLowerCase().split('/');
  const last = parts.pop();
  for (const part of parts) if (Object.hasOwn(folders, part)) return folders[part];
  if (last.startsWith('._')) return '._*';
  return Object.hasOwn(files, last) ? files[last] : undefined;
};

export const isArchive = (name) => /\.(zip|tar|tgz|tar\.gz|tar\.zst)$/i.test(name);
export const isZip = (name) => /\.zip$/i.test(name);
const isPage = (name) => /\.html?$/i.test(name);

// pageOf returns the name of the start page: index.html, or else the only page at the root.
const pageOf = (names) => {
  if (names.includes('index.html')) return 'index.html';
  const found = names.filter((name) => !name.includes('/') && /\.html$/i.test(name));
  return found.length === 1 ? found[0] : '';
};

// arrange removes the folder that wraps all files, if it holds the page, and finds the page, or else the candidates for
// it.
export const arrange = (list) => {
  const names = list.map((file) => file.name);
  const folder = names[0]?.includes('/') ? names[0].slice(0, names[0].indexOf('/') + 1) : '';
  const wrapped = folder && names.every((name) => name.startsWith(folder)) && pageOf(names.map((name) => name.slice(folder.length)));
  const arranged = wrapped ? list.map((file) => ({ ...file, name: file.name.slice(folder.length) })) : list;
  const page = pageOf(arranged.map((file) => file.name));
  const depth = (name) => name.split('/').length;
  const pages = arranged.map((file) => file.name).filter(isPage).sort((a, b) => depth(a) - depth(b) || (a < b ? -1 : 1));
  return { files: arranged, page, pages: pages.slice(0, 50) };
};

export class TooMany extends Error {}

// A Gathering collects files up to its limits.
class Gathering {
  constructor(most) {
    this.most = most;
    this.list = [];
    this.left = new Set();
  }

  add(bytes, name) {
    const what = leftOut(name);
    if (what) this.left.add(what);
    else if (this.list.push({ name, bytes }) > this.most) throw new TooMany();
  }

  // walk adds a folder with all its files, and enters none that is left out.
  async walk(entry, name) {
    if (entry.isFile) {
      this.add(await new Promise((resolve, reject) => { entry.file(resolve, reject); }), name);
      return;
    }
    const what = leftOut(name + '/x');
    if (what) {
      this.left.add(what);
      return;
    }
    const reader = entry.createReader();
    for (;;) { // a reader yields some at a time, and nothing at the end
      const some = await new Promise((resolve, reject) => { reader.readEntries(resolve, reject); });
      if (!some.length) return;
      for (const child of some) await this.walk(child, name ? name + '/' + child.name : child.name);
    }
  }
}

// fromDrop returns the dropped files. A folder alone is the project; beside others it is a folder in it.
export const fromDrop = (data, most) => {
  const entries = Array.from(data.items, (item) => item.kind === 'file' && item.webkitGetAsEntry?.()).filter(Boolean);
  const plain = Array.from(data.files);
  return async () => {
    const g = new Gathering(most);
    const alone = entries.length === 1 && entries[0].isDirectory;
    for (const entry of entries) await g.walk(entry, alone ? '' : entry.name);
    if (!entries.length) for (const file of plain) g.add(file, file.name);
    return { list: g.list, left: g.left, called: alone ? entries[0].name : '' };
  };
};

// fromInput returns the files chosen in a field, without a chosen folder's own name.
export const fromInput = (input, most) => async () => {
  const g = new Gathering(most);
  let called = '';
  for (const file of input.files) {
    const path = file.webkitRelativePath;
    if (path) called = path.slice(0, path.indexOf('/'));
    g.add(file, path ? path.slice(path.indexOf('/') + 1) : file.name);
  }
  return { list: g.list, left: g.left, called };
};

// titleOf suggests a title: the page's, or else the name of the folder or file.
export const titleOf = async (page, called) => {
  const text = page ? await page.slice(0, 64 << 10).text() : '';
  const [, inside = ''] = /<title(?:\s[^>]*)?>([\s\S]*?)(?:<\/title|$)/i.exec(text) || []; // the page as a whole would have its styles applied, which the policy refuses
  const title = new DOMParser().parseFromString('<title>' + inside, 'text/html').title.trim();
  return (title || called.replace(/\.[^.]*$/, '').replace(/^index$/i, '')).slice(0, 200);
};
