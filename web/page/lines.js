/** The lines of a file: decoded, and bounded in size. */

import { megabytes } from './numbers.js';

/** Bytes of a file, unpacked: as much as a tab holds without effort. */
const MOST_BYTES = 50_000_000;
const MOST_LINES = 500_000;

/**
 * @param {Blob & {name?: string}} file
 * @returns {Promise<{lines: {number: number, text: string}[], note: string}>} lines with something in them
 */
export async function readLines(file) {
  if (file.size > MOST_BYTES)
    throw new Error(
      `The file has ${megabytes(file.size)} MB; this page reads up to ${megabytes(MOST_BYTES)}. For more there is the command: unilid identify.`,
    );
  const { text, note } = decode(await unpacked(file));
  const all = text.split(/\r\n|\n|\r/u);
  const lines = [];
  for (let place = 0; place < all.length && lines.length < MOST_LINES; place += 1) {
    if (all[place].trim()) lines.push({ number: place + 1, text: all[place] });
  }
  if (!lines.length) throw new Error('The file has no lines with text.');
  const cut = lines.length === MOST_LINES ? `Only the first ${MOST_LINES.toLocaleString('en')} lines are read. ` : '';
  return { lines, note: cut + note };
}

/** The bytes of a file, of one packed by gzip too. @param {Blob} file */
async function unpacked(file) {
  const start = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  if (start[0] !== 0x1f || start[1] !== 0x8b) return new Uint8Array(await file.arrayBuffer());
  const chunks = [];
  let size = 0;
  const reader = file.stream().pipeThrough(new DecompressionStream('gzip')).getReader();
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      size += part.value.length;
      if (size > MOST_BYTES) break;
      chunks.push(part.value);
    }
  } catch {
    throw new Error('The file says that it is packed by gzip, but it is damaged.');
  }
  if (size > MOST_BYTES) {
    await reader.cancel();
    throw new Error(`The file unpacks to more than the ${megabytes(MOST_BYTES)} MB that this page reads.`);
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

/** @param {Uint8Array} bytes */
function decode(bytes) {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return { text: new TextDecoder('utf-16le').decode(bytes), note: '' };
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return { text: new TextDecoder('utf-16be').decode(bytes), note: '' };
  if (bytes.subarray(0, 4096).includes(0))
    throw new Error('This is not a text file. Save its content as plain text and try again.');
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), note: '' };
  } catch {
    const text = new TextDecoder('windows-1252').decode(bytes);
    return { text, note: 'The file is not UTF-8, so it was read as Windows-1252: letters with accents may be wrong.' };
  }
}
