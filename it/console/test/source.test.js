import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';

let workers = [];
let sources = [];
let timers = 0;
globalThis.setInterval = () => ++timers;
globalThis.clearInterval = () => --timers;
globalThis.EventSource = class extends EventTarget {
  constructor() {
    super();
    sources.push(this);
  }

  close() {
    this.isClosed = true;
  }
};
class Shared {
  constructor(path, { name }) {
    Object.assign(this, { path, name, port: { said: [], postMessage: (data) => this.port.said.push(data), close: () => (this.port.isClosed = true) } });
    workers.push(this);
  }
}
const { subscribe } = await import('../../../tunnel-server/src/main/resources/io/tunnel/server/console/web/source.js');

beforeEach(() => {
  workers = [];
  sources = [];
  timers = 0;
  globalThis.SharedWorker = Shared;
});

test('a window asks the worker of all windows, and says when it leaves', () => {
  const got = [];
  const source = subscribe('1.2', (data) => got.push(data), () => got.push('failed'));
  const [{ path, name, port }] = workers;
  assert.deepEqual([path, name], ['/console/feed-worker.js', 'tunnel feed 1.2']);
  port.onmessage({ data: '{}' });
  port.onmessage({ data: null });
  assert.deepEqual(got, ['{}', 'failed']);
  source.close();
  assert.deepEqual(port.said, ['see', 'leave']);
  assert.equal(port.isClosed, true);
  assert.equal(timers, 0);
  assert.deepEqual(sources, []);
});

test('a browser whose worker does not start, or that has none, has a connection for each window', () => {
  const got = [];
  const source = subscribe('1.2', (data) => got.push(data), () => got.push('failed'));
  workers[0].onerror();
  workers[0].onerror?.();
  assert.equal(sources.length, 1);
  delete globalThis.SharedWorker;
  subscribe('1.2', (data) => got.push(data), () => got.push('failed'));
  assert.equal(sources.length, 2);
  sources.forEach((each) => each.dispatchEvent(Object.assign(new Event('snapshot'), { data: 's' })));
  sources[1].onerror();
  assert.deepEqual(got, ['s', 's', 'failed']);
  source.close();
  assert.equal(sources[0].isClosed, true);
});
