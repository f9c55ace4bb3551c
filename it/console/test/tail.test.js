import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CHANGES_KEPT, CHARS_KEPT, TailCore, beginning } from '../../../tunnel-server/src/main/resources/io/tunnel/server/console/web/tail.js';

const at = (position, incarnation = '1') => ({ position, incarnation });
const change = (position, more = {}) => ({ position, atMs: 0, kind: 'PUT', key: {}, columns: {}, removed: [], omitted: 0, ...more });
const changes = (from, to) => Array.from({ length: to - from + 1 }, (_, index) => change(from + index));
const following = (position) => {
  const tail = new TailCore();
  tail.begin(at(position));
  return tail;
};
const shown = (tail) => tail.entries.map((entry) => entry.position ?? `${entry.gap} ${entry.from} to ${entry.to}`);

test('changes follow each other, the newest first', () => {
  const tail = following(10);
  tail.took(tail.place, { changes: changes(11, 12), next: at(12) });
  tail.took(tail.place, { changes: changes(13, 13), next: at(15) });
  assert.deepEqual(shown(tail), [13, 12, 11]);
  assert.deepEqual(tail.place, at(15));
});

test('an answer that comes during a pause or behind a new beginning moves nothing', () => {
  const tail = following(10);
  const asked = tail.place;
  tail.pause();
  tail.took(asked, { changes: changes(11, 12), next: at(12) });
  assert.deepEqual(shown(tail), []);
  assert.equal(tail.isFollowing, false);
  tail.resume();
  assert.deepEqual(tail.place, at(10), 'read again from where the pause began');
  tail.begin(at(90));
  tail.took(asked, { changes: changes(11, 12), next: at(12) });
  assert.deepEqual(tail.place, at(90));
  assert.deepEqual(shown(tail), []);
});

test('history that was lost during a pause is said, and the page goes on with what is kept', () => {
  const tail = following(10);
  tail.pause();
  tail.resume();
  const asked = tail.place;
  assert.equal(tail.lost(asked, at(40)), true);
  tail.took(tail.place, { changes: changes(41, 41), next: at(41) });
  assert.deepEqual(shown(tail), [41, 'lost 11 to 40']);
});

test('history that is said to be lost but is kept is an error, not a gap', () => {
  const tail = following(10);
  assert.equal(tail.lost(tail.place, at(10)), false);
  assert.deepEqual(shown(tail), []);
});

test('what the viewer leaves out is said; nobody is moved back', () => {
  const tail = following(10);
  tail.told(50);
  assert.equal(tail.behind, 40);
  tail.goTo(at(50));
  tail.goTo(at(20));
  assert.deepEqual(shown(tail), ['left 11 to 50']);
  assert.deepEqual(tail.place, at(50));
  assert.equal(tail.behind, 0);
});

test('positions that were given again end the page until it begins again', () => {
  const tail = following(10);
  tail.replaced();
  tail.resume();
  tail.pause();
  assert.equal(tail.isFollowing, false);
  tail.begin(at(3));
  assert.equal(tail.isFollowing, true);
});

test('a page keeps the last 500 changes', () => {
  const tail = following(0);
  for (let from = 1; from <= 2000; from += 200) {
    tail.took(tail.place, { changes: changes(from, from + 199), next: at(from + 199) });
  }
  assert.equal(tail.entries.length, CHANGES_KEPT);
  assert.equal(tail.seen, 2000);
  assert.equal(shown(tail)[0], 2000);
});

test('a page keeps a bounded number of characters, and the newest change whatever its size', () => {
  const tail = following(0);
  const large = (position) => change(position, { columns: { a: { type: 'STRING', value: 'x'.repeat(CHARS_KEPT / 3) } } });
  for (let position = 1; position <= 5; position++) {
    tail.took(tail.place, { changes: [large(position)], next: at(position) });
  }
  assert.deepEqual(shown(tail), [5, 4]);
  tail.took(tail.place, { changes: [change(6, { columns: { a: { type: 'STRING', value: 'x'.repeat(CHARS_KEPT) } } })], next: at(6) });
  assert.deepEqual(shown(tail), [6]);
  tail.took(tail.place, { changes: changes(7, 7), next: at(7) });
  assert.deepEqual(shown(tail), [7]);
});

test('a page begins where its form says', () => {
  const form = (fields) => ({ get: (name) => fields[name] ?? null });
  assert.equal(beginning(form({ from: 'latest' })), 'latest');
  assert.equal(beginning(form({ from: 'earliest' })), 'earliest');
  assert.deepEqual(beginning(form({ from: 'time', time: '1970-01-01T00:00:01Z' })), { timeMs: 1000 });
  assert.deepEqual(beginning(form({ from: 'position', position: '7' })), { position: 6, incarnation: null });
  assert.deepEqual(beginning(form({ from: 'position', position: '0' })), { position: 0, incarnation: null });
  assert.throws(() => beginning(form({ from: 'position', position: '-1' })));
  assert.throws(() => beginning(form({ from: 'time', time: '' })));
});
