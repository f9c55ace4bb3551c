import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { Refused, ask, login, me } from '../../../tunnel-server/src/main/resources/io/tunnel/server/console/web/api.js';

/** A server without authentication, with the CSRF token of its process. */
let token = 'first';
let asked = [];

globalThis.fetch = async (path, { method, headers }) => {
  asked.push(path);
  const answer = (status, body) => ({ ok: status === 200, status, text: async () => JSON.stringify(body) });
  if (path === '/api/me') {
    return answer(200, { csrf: token });
  }
  if (path === '/api/login') {
    return answer(401, { code: 'NOT_AUTHENTICATED', message: 'no' });
  }
  return method === 'POST' && headers['X-Tunnel-Csrf'] !== token ? answer(403, { code: 'CSRF', message: 'wrong' }) : answer(200, { done: true });
};

beforeEach(() => {
  asked = [];
});

test('a page whose server was restarted asks for the new token and sends the request once more', async () => {
  await me();
  token = 'second';
  assert.deepEqual(await ask('PAUSE', {}), { done: true });
  assert.deepEqual(asked, ['/api/me', '/api/ask/PAUSE', '/api/me', '/api/ask/PAUSE']);
  await ask('PAUSE', {});
  assert.equal(asked.length, 5, 'with the new token at once');
});

test('a token that is refused twice is an error', async () => {
  const fetchBefore = globalThis.fetch;
  globalThis.fetch = async (path, options) => fetchBefore(path, { ...options, headers: {} });
  await assert.rejects(ask('PAUSE', {}), (e) => e instanceof Refused && e.code === 'CSRF');
  assert.deepEqual(asked, ['/api/ask/PAUSE', '/api/me', '/api/ask/PAUSE']);
  globalThis.fetch = fetchBefore;
});

test('no other refusal is followed by a second request', async () => {
  await assert.rejects(login('x'), (e) => e instanceof Refused && e.status === 401);
  assert.deepEqual(asked, ['/api/login']);
});
