// All requests of the console. Each request to the service is one request of the native protocol; docs/reference/protocol.md has the payloads.

/**
 * @typedef {{ open: boolean, principal: string | null, csrf: string, node: string | null, cluster: boolean, version: string,
 *   mayReadCluster: boolean, administrator: boolean }} Me
 * @typedef {{ type: string, value?: string, bytes?: string, truncated?: number, delta?: string }} Value bytes: Base64; truncated: bytes of the whole value; delta: what was added
 * @typedef {Record<string, string> | string | null} Bound first columns of a key, the next of a page, or no bound
 * @typedef {{ columns: { name: string, types: string[] }[], rows: { key: Record<string, Value>,
 *   columns: Record<string, Value> }[], next: string | null }} RowPage
 */

/** The largest body that the server reads, in bytes. */
export const BODY_BYTES_MAX = 65_536;

const REQUEST_MS_MAX = 30_000;

/** A refusal, with the code of docs/reference/protocol.md; UNREACHABLE when no server answers. */
export class Refused extends Error {
  /**
   * @param {string} code
   * @param {string} message
   * @param {number} status of HTTP, 0 without an answer
   */
  constructor(code, message, status) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

let csrf = '';

/**
 * Sends a request. A server without authentication that was restarted does not know the CSRF token any more: the page asks for the new
 * one and sends the request once more. That is safe, because the server did nothing for a request with a wrong token.
 *
 * @param {string} path
 * @param {string} method
 * @param {string} [body]
 */
async function fetchText(path, method, body) {
  try {
    return await fetchOnce(path, method, body);
  } catch (e) {
    if (!(e instanceof Refused) || e.code !== 'CSRF') {
      throw e;
    }
    await me();
    return fetchOnce(path, method, body);
  }
}

/**
 * @param {string} path
 * @param {string} method
 * @param {string} [body]
 */
async function fetchOnce(path, method, body) {
  /** @type {Record<string, string>} */
  const headers = method === 'GET' ? {} : { 'Content-Type': 'application/json', 'X-Tunnel-Csrf': csrf };
  let response;
  let text;
  try {
    response = await fetch(path, { method, headers, body, cache: 'no-store', signal: AbortSignal.timeout(REQUEST_MS_MAX) });
    text = await response.text();
  } catch (e) {
    throw new Refused('UNREACHABLE', String(e), 0);
  }
  if (!response.ok) {
    throw refusal(response.status, text);
  }
  return text;
}

/**
 * @param {number} status
 * @param {string} text
 */
function refusal(status, text) {
  try {
    const error = JSON.parse(text);
    return new Refused(String(error.code), String(error.message), status);
  } catch {
    return new Refused(status === 503 ? 'BUSY' : 'INTERNAL', text.slice(0, 500) || `HTTP ${status}`, status);
  }
}

/** @param {Me} me */
function keep(me) {
  csrf = me.csrf;
  return me;
}

/** @returns {Promise<Me>} who looks; refused with 401 without a session on a closed server */
export async function me() {
  return keep(JSON.parse(await fetchText('/api/me', 'GET')));
}

/**
 * @param {string} token
 * @returns {Promise<Me>}
 */
export async function login(token) {
  return keep(JSON.parse(await fetchText('/api/login', 'POST', JSON.stringify({ token }))));
}

export async function logout() {
  await fetchText('/api/logout', 'POST', '{}');
}

/**
 * Asks for one operation and returns the text of the answer, in which no number is rounded.
 *
 * @param {string} operation
 * @param {string} payload JSON
 * @param {string} [node] a node of the cluster; without it, the node that can answer
 */
export function askText(operation, payload, node) {
  return fetchText(`/api/ask/${operation}${node === undefined ? '' : `?node=${encodeURIComponent(node)}`}`, 'POST', payload);
}

/**
 * Asks for one operation.
 *
 * @param {string} operation
 * @param {object} [payload] none for an operation about everything, such as all tunnels
 * @param {string} [node]
 * @returns {Promise<any>}
 */
export async function ask(operation, payload = undefined, node = undefined) {
  const text = await askText(operation, payload === undefined ? '' : JSON.stringify(payload), node);
  return text === '' ? {} : JSON.parse(text);
}

/**
 * @param {{ table: string, from: Bound, to: Bound, limit: number }} request
 * @returns {Promise<RowPage>}
 */
export async function rows(request) {
  return JSON.parse(await fetchText('/api/rows', 'POST', JSON.stringify(request)));
}

/**
 * The changes of a partition behind a place, or where they begin.
 *
 * @param {{ table: string, partition: number, after: import('./tail.js').Place | 'earliest' | 'latest' | { timeMs: number },
 *   key: Bound }} request key: the first columns of the keys to show
 * @returns {Promise<{ changes: import('./tail.js').Change[], next: import('./tail.js').Place }>}
 */
export async function changes(request) {
  return JSON.parse(await fetchText('/api/changes', 'POST', JSON.stringify(request)));
}

/** @returns {Promise<{ stepMs: number, endMs: number, series: Record<string, (number | null)[]> }>} */
export async function history() {
  return JSON.parse(await fetchText('/api/history', 'GET'));
}

/**
 * Asks for many things, a few at a time, and says each answer.
 *
 * @template T
 * @template R
 * @param {T[]} items
 * @param {(item: T) => Promise<R>} each
 * @param {(item: T, answer: R | Refused) => void} done
 */
export async function fewAtATime(items, each, done) {
  const waiting = [...items];
  const run = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      const asked = item;
      done(asked, await each(asked).catch((e) => e));
    }
  };
  await Promise.all([run(), run(), run(), run()]);
}
