// Packs files as a tar, with a record of pax for a name that the header cannot hold. The files are read when the archive
// is sent.
const block = 512;
const encoder = new TextEncoder();

const header = (name, size, type) => {
  const out = new Uint8Array(block);
  const put = (at, text) => out.set(encoder.encode(text), at);
  out.set(encoder.encode(name).subarray(0, 100));
  put(100, '0000644\0');
  put(108, '0000000\0');
  put(116, '0000000\0');
  put(124, size.toString(8).padStart(11, '0') + '\0');
  put(136, '00000000000\0');
  put(148, '        '); // the checksum counts itself as blanks
  put(156, type);
  put(257, 'ustar\0' + '00');
  put(148, out.reduce((sum, byte) => sum + byte, 0).toString(8).padStart(6, '0') + '\0 ');
  return out;
};

// padding returns the zeros up to the next block.
const padding = (size) => new Uint8Array((block - size % block) % block);

// record returns a line of pax, which begins with its own length in bytes.
const record = (name, value) => {
  const rest = encoder.encode(` ${name}=${value}\n`).length;
  let length = rest;
  while (length !== rest + String(length).length) length = rest + String(length).length;
  return encoder.encode(`${length} ${name}=${value}\n`);
};

// tar returns the archive of a list of {name, bytes}, whose bytes are Blobs.
export const tar = (list) => {
  const parts = [];
  for (const { name, bytes } of list) {
    if (!/^[ -~]{1,100}$/.test(name)) {
      const path = record('path', name);
      parts.push(header('pax', path.length, 'x'), path, padding(path.length));
    }
    parts.push(header(name, bytes.size, '0'), bytes, padding(bytes.size));
  }
  return new Blob([...parts, new Uint8Array(2 * block)], { type: 'application/x-tar' });
};
