// Unpacks a ZIP in the browser, for a preview. All that it reads is bounded before it takes memory: the number of
// entries, the sizes that they declare, and that they do not exceed these. It does not guess at entries that it cannot
// read safely: the service decides then.
const END = 22; // bytes of the record at the end, before its comment
const mostComment = 0xffff;
const mostFolder = 16 << 20; // bytes of the list of entries: 10,000 with names of 512 take 6 MB

export class ZipError extends Error {}

const bytesOf = async (file, from, to) => new DataView(await file.slice(from, to).arrayBuffer());

const findEnd = (tail) => {
  for (let i = tail.byteLength - END; i >= 0; i--) {
    if (tail.getUint32(i, true) === 0x06054b50 && i + END + tail.getUint16(i + 20, true) === tail.byteLength) return i;
  }
  throw new ZipError('no end');
};

const nameOf = (bytes) => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('latin1').decode(bytes);
  }
};

// entries lists the files in the ZIP. Limits are {files, file, all}; exceeding one is an error with its kind.
export const entries = async (file, limits) => {
  const start = Math.max(0, file.size - END - mostComment);
  const tail = await bytesOf(file, start, file.size);
  const end = findEnd(tail);
  const count = tail.getUint16(end + 10, true);
  const size = tail.getUint32(end + 12, true);
  const at = tail.getUint32(end + 16, true);
  if (count === 0xffff || at === 0xffffffff || size > mostFolder || at + size > start + end) throw new ZipError('unknown form');
  if (count > limits.files) throw new ZipError('too many');
  const folder = await bytesOf(file, at, at + size);
  const list = [];
  for (let i = 0, all = 0; i + 46 <= folder.byteLength && folder.getUint32(i, true) === 0x02014b50;) {
    const length = folder.getUint16(i + 28, true);
    const entry = {
      name: nameOf(new Uint8Array(folder.buffer, folder.byteOffset + i + 46, length)).replaceAll('\\', '/'),
      encrypted: (folder.getUint16(i + 8, true) & 1) === 1,
      method: folder.getUint16(i + 10, true),
      packed: folder.getUint32(i + 20, true),
      size: folder.getUint32(i + 24, true),
      at: folder.getUint32(i + 42, true),
    };
    i += 46 + length + folder.getUint16(i + 30, true) + folder.getUint16(i + 32, true);
    if (entry.name.endsWith('/')) continue;
    all += entry.size;
    list.push(entry);
    if (all > limits.all || list.length > limits.files) throw new ZipError('too much');
  }
  return list;
};

// exactly passes the number of bytes that an entry declares, and fails with the first one more.
const exactly = (size) => {
  let left = size;
  return new TransformStream({
    transform(chunk, out) {
      left -= chunk.byteLength;
      if (left < 0) throw new ZipError('lies');
      out.enqueue(chunk);
    },
    flush() { if (left !== 0) throw new ZipError('lies'); },
  });
};

// unpack returns the bytes of an entry.
export const unpack = async (file, entry) => {
  if (entry.encrypted || entry.method !== 0 && entry.method !== 8) throw new ZipError('unknown form');
  const head = await bytesOf(file, entry.at, entry.at + 30);
  if (head.byteLength < 30 || head.getUint32(0, true) !== 0x04034b50) throw new ZipError('broken');
  const from = entry.at + 30 + head.getUint16(26, true) + head.getUint16(28, true);
  const packed = file.slice(from, from + entry.packed);
  if (entry.method === 0) return packed;
  const plain = packed.stream().pipeThrough(new DecompressionStream('deflate-raw')).pipeThrough(exactly(entry.size));
  return new Response(plain).blob();
};
