import assert from 'node:assert/strict';
import { test } from 'node:test';

const page = Object.assign(new EventTarget(), { hidden: false });
const sources = [];
globalThis.document = page;
globalThis.setInterval = () => 0;
globalThis.EventSource = class extends EventTarget {
  constructor() {
    super();
    this.isOpen = true;
    sources.push(this);
  }

  close() {
    this.isOpen = false;
  }
};
const answers = {
  '/api/me': { open: true, csrf: 'c', mayReadCluster: true },
  '/api/ask/WHO_AM_I': { groups: [], permissions: [], isAdministrator: true },
  '/api/history': { stepMs: 1000, endMs: 5000, series: { writtenRows: [1, 2] } },
};
let refusal = null;
globalThis.fetch = async (path) =>
  path === '/api/logout' && refusal !== null
    ? { ok: false, status: refusal.status, text: async () => JSON.stringify(refusal) }
    : { ok: true, status: 200, text: async () => JSON.stringify(answers[path] ?? {}) };

const { feed } = await import('../../../tunnel-server/src/main/resources/io/tunnel/server/console/web/feed.js');
const open = () => sources.filter((source) => source.isOpen).length;
const see = async (isSeen) => {
  page.hidden = !isSeen;
  page.dispatchEvent(new Event('visibilitychange'));
  await new Promise((resolve) => setTimeout(resolve, 20));
};

test('only a page that is seen takes one of the six connections of a browser for its feed', async () => {
  await feed.start();
  assert.equal(open(), 1);
  await see(false);
  assert.equal(open(), 0);
  assert.notEqual(feed.me, null, 'still logged in');
  feed.moments = [];
  await see(true);
  assert.equal(open(), 1);
  assert.deepEqual(feed.moments, [4, 5], 'the charts that it missed');
});

test('a page that is opened in the background listens when it is seen', async () => {
  await see(false);
  await feed.start();
  assert.equal(open(), 0);
  await see(true);
  assert.equal(open(), 1);
});

test('a log-out that failed leaves the session, and one of a session that has ended is done', async () => {
  await feed.start();
  refusal = { status: 503, code: 'BUSY', message: 'later' };
  assert.equal(await feed.logOut(), 'BUSY: later');
  assert.notEqual(feed.me, null);
  assert.equal(open(), 1, 'the page goes on');
  refusal = { status: 401, code: 'NOT_AUTHENTICATED', message: 'ended' };
  assert.equal(await feed.logOut(), '');
  assert.equal(feed.condition, 'loggedOut');
  assert.equal(feed.hadSession, true, 'the log-in says that the session has ended');
  await feed.start();
  refusal = null;
  assert.equal(await feed.logOut(), '');
  assert.equal(feed.me, null);
  assert.equal(feed.hadSession, false);
  assert.equal(open(), 0);
});
