import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';

const WEB = '../../../tunnel-server/src/main/resources/io/tunnel/server/console/web';
const sources = [];
let tick;
let nowMs = 0;
globalThis.setInterval = (each) => (tick = each);
Date.now = () => nowMs;
globalThis.EventSource = class extends EventTarget {
  constructor(path) {
    super();
    this.path = path;
    this.isOpen = true;
    sources.push(this);
  }

  close() {
    this.isOpen = false;
  }
};
await import(`${WEB}/feed-worker.js`);

const open = () => sources.filter((source) => source.isOpen);

/** A window that has connected to the worker. */
function connect() {
  const window = { got: [], postMessage: (data) => window.got.push(data), say: (data) => window.onmessage({ data }) };
  globalThis.onconnect({ ports: [window] });
  return window;
}

beforeEach(() => {
  nowMs += 60_000;
  tick();
  assert.deepEqual(open(), []);
});

test('all windows that are seen share one connection, and each gets every snapshot', () => {
  const windows = Array.from({ length: 20 }, connect);
  assert.equal(open().length, 0, 'nobody has said that a window is seen');
  windows.forEach((window) => window.say('see'));
  windows[0].say('see');
  assert.equal(open().length, 1);
  assert.equal(open()[0].path, '/api/events');
  open()[0].dispatchEvent(Object.assign(new Event('snapshot'), { data: '{"a":1}' }));
  windows.forEach((window) => assert.deepEqual(window.got, ['{"a":1}']));
});

test('the connection ends with the last window that is seen', () => {
  const [first, second] = [connect(), connect()];
  first.say('see');
  second.say('see');
  first.say('leave');
  assert.equal(open().length, 1);
  second.say('leave');
  assert.equal(open().length, 0);
  first.say('see');
  assert.equal(open().length, 1);
});

test('a window that says nothing any more is taken for closed', () => {
  const [living, dead] = [connect(), connect()];
  living.say('see');
  dead.say('see');
  nowMs += 14_000;
  living.say('see');
  nowMs += 2_000;
  tick();
  open()[0].dispatchEvent(Object.assign(new Event('snapshot'), { data: 'x' }));
  assert.deepEqual([living.got, dead.got], [['x'], []]);
  nowMs += 16_000;
  tick();
  assert.equal(open().length, 0);
});

test('each window is told that the connection failed, and comes again', () => {
  const windows = [connect(), connect()];
  windows.forEach((window) => window.say('see'));
  open()[0].onerror();
  assert.equal(open().length, 0);
  windows.forEach((window) => assert.deepEqual(window.got, [null]));
  windows[1].say('see');
  assert.equal(open().length, 1);
});
