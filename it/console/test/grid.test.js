import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as grid from '../../../tunnel-server/src/main/resources/io/tunnel/server/console/web/grid.js';

/** A channel that a worker holds and that is up to date, with changes. */
const channel = (changes = {}) => ({
  channelId: 'c', partition: 1, status: 'OPEN', owner: 's', epoch: 1, checkpointed: 5, delivered: 5, committed: 5, lagRows: 0,
  lagBytes: 0, lagMs: 0, ...changes,
});
const free = { owner: undefined, status: 'WAIT' };

test('the state of a channel is what an operator must know first', () => {
  assert.equal(grid.state(channel()), 'held');
  assert.equal(grid.state(channel(free)), 'free');
  assert.equal(grid.state(channel({ ...free, waitsFor: ['b'] })), 'waiting');
  assert.equal(grid.state(channel({ ...free, status: 'TERMINATED' })), 'done');
  assert.equal(grid.state(channel({ isPaused: true, retry: {} })), 'paused');
  assert.equal(grid.state(channel({ retry: {} })), 'retrying');
  assert.equal(grid.state(channel({ ...free, error: 'x', isPaused: true })), 'stopped');
  assert.equal(grid.state(channel({ ...free, error: 'HISTORY_LOST: x' })), 'lost');
  assert.equal(grid.state(channel({ historyLeftMs: -1 })), 'lost');
});

test('every state has a letter of its own', () => {
  const letters = grid.STATES.map(([name]) => grid.letter(name));
  assert.equal(new Set(letters).size, letters.length);
});

test('the colour of a lag grows in six steps, and an unknown lag has none', () => {
  assert.deepEqual([0, 1000, 1001, 10_001, 60_001, 600_001, 3_600_001].map(grid.lagStep), [0, 0, 1, 2, 3, 4, 5]);
  assert.equal(grid.lagStep(-1), -1);
});

test('worst first means trouble, then lag; the order of partitions is left alone', () => {
  const slow = channel({ channelId: 'slow', lagMs: 9 });
  const stopped = channel({ channelId: 'stopped', error: 'x' });
  const quick = channel({ channelId: 'quick' });
  const all = [quick, slow, stopped];
  assert.deepEqual(grid.sorted(all, 'lag').map((each) => each.channelId), ['stopped', 'slow', 'quick']);
  assert.deepEqual(grid.sorted(all, 'partition'), all);
});

test('arrows go from cell to cell, and stay at the edges', () => {
  assert.equal(grid.moved('ArrowRight', 0, 10, 4), 1);
  assert.equal(grid.moved('ArrowDown', 1, 10, 4), 5);
  assert.equal(grid.moved('ArrowUp', 1, 10, 4), 1);
  assert.equal(grid.moved('ArrowDown', 8, 10, 4), 8);
  assert.equal(grid.moved('ArrowLeft', 0, 10, 4), 0);
  assert.equal(grid.moved('End', 3, 10, 4), 9);
  assert.equal(grid.moved('x', 3, 10, 4), 3);
});

test('a thousand channels are tallied', () => {
  const many = Array.from({ length: 1000 }, (_, index) => channel({ channelId: String(index), error: index < 7 ? 'x' : undefined }));
  assert.deepEqual(grid.tally(many), [['stopped', 7], ['held', 993]]);
});

test('totals are unknown when one channel is', () => {
  assert.deepEqual(grid.totals([channel({ lagRows: 3, lagBytes: 5, lagMs: 7 }), channel({ lagRows: 1, lagMs: 9 })]), {
    changes: 4, rows: 4, bytes: 5, ms: 9, held: 2, owners: 1,
  });
  assert.equal(grid.totals([channel({ lagMs: -1 }), channel()]).ms, -1);
});

test('rows of base channels that no node knows leave the changes known', () => {
  const base = channel({ type: 'BaseData', lagRows: -1 });
  const { changes, rows } = grid.totals([channel({ lagRows: 3 }), base]);
  assert.deepEqual({ changes, rows }, { changes: 3, rows: -1 });
  assert.equal(grid.totals([channel({ lagRows: 3 }), { ...base, lagRows: 5 }]).changes, 3);
});

test('the progress of base data counts base channels alone', () => {
  assert.equal(grid.baseProgress([channel()]), null);
  const base = channel({ type: 'BaseData', checkpointed: 50, committed: 100 });
  assert.deepEqual(grid.baseProgress([base, channel()]), { rows: 50, of: 100, isExact: false, isDone: false });
  assert.equal(grid.baseProgress([{ ...base, end: 100 }])?.isExact, true);
});

test('the effects of a seek are what is delivered again and what is skipped', () => {
  const move = (type, from, to) => ({ channelId: 'c', partition: 1, type, from, to });
  assert.deepEqual(grid.effects([move('Stream', 9, 4), move('Stream', 4, 9), move('BaseData', 3, 0), move('Stream', 1, 1)]), {
    moving: 3, channels: 4, changesAgain: 5, rowsAgain: 3, changesSkipped: 5, rowsSkipped: 0,
  });
});

test('the spread of rows is counted as the command line counts it', () => {
  assert.deepEqual(grid.spread([1, 3]), { total: 4, min: 1, mean: 2, max: 3, skew: 1.5 });
  assert.equal(grid.spread([0, 0]).skew, 0);
});

test('a sparkline stays in its box', () => {
  assert.equal(grid.sparkline([0, 5, 10], 100, 20), '0.0,20.0 50.0,10.0 100.0,0.0');
  assert.equal(grid.sparkline([], 100, 20), '');
});
