/** The model file: fetched once with its progress shown, and kept in the browser's cache for the next visit. */

const CACHE = 'unilid-model';

/**
 * @param {URL} url
 * @param {(loaded: number, total: number) => void} report
 * @returns {Promise<Uint8Array>}
 */
export async function fetchModel(url, report) {
  const cache = await openCache();
  const kept = await cache?.match(url);
  if (kept && (await isCurrent(url, kept))) return new Uint8Array(await kept.arrayBuffer());
  let response;
  try {
    response = await fetch(url);
  } catch {
    throw new Error('The model could not be fetched: there is no connection. Reload when there is one.');
  }
  if (!response.ok) {
    throw new Error(`The model could not be fetched: the server answered ${response.status} for ${url.pathname}.`);
  }
  const bytes = await readAll(response, report);
  const headers = new Headers();
  for (const name of ['etag', 'last-modified'])
    if (response.headers.has(name)) headers.set(name, response.headers.get(name));
  headers.set('content-length', String(bytes.length));
  // A full disk is no reason to fail: the model is here.
  await cache?.put(url, new Response(bytes, { headers })).catch(() => {});
  return bytes;
}

/** The cache; null where there is none, as on pages that are not served over HTTPS or from this machine. */
async function openCache() {
  try {
    return await caches.open(CACHE);
  } catch {
    return null;
  }
}

/** Whether the server still has the file that is kept; without a connection, it is as good as any. */
async function isCurrent(url, kept) {
  try {
    const { ok, headers } = await fetch(url, { method: 'HEAD', cache: 'no-cache' });
    const same = (name) => !headers.has(name) || headers.get(name) === kept.headers.get(name);
    // A length is that of the file only where it is sent as it is.
    return ok && same('etag') && same('last-modified') && (headers.has('content-encoding') || same('content-length'));
  } catch {
    return true;
  }
}

/** @param {Response} response @param {(loaded: number, total: number) => void} report */
async function readAll(response, report) {
  const total = response.headers.has('content-encoding') ? 0 : Number(response.headers.get('content-length') ?? 0);
  const chunks = [];
  let loaded = 0;
  for (const reader = response.body.getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    loaded += value.length;
    report(loaded, total);
  }
  const bytes = new Uint8Array(loaded);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
