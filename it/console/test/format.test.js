import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as format from '../../../tunnel-server/src/main/resources/io/tunnel/server/console/web/format.js';

test('figures read as the command line prints them', () => {
  assert.equal(format.count(1234567), '1,234,567');
  assert.equal(format.count(-1234), '-1,234');
  assert.equal(format.count(9007199254740993n), '9,007,199,254,740,993');
  assert.equal(format.counted(1, 'channel'), '1 channel');
  assert.equal(format.counted(1200, 'channel'), '1,200 channels');
  assert.equal(format.shortCount(999), '999');
  assert.equal(format.shortCount(1234), '1.23 k');
  assert.equal(format.shortCount(45600000), '45.6 M');
  assert.equal(format.shortCount(999999), '1.00 M');
  assert.equal(format.bytes(17), '17 B');
  assert.equal(format.bytes(1.5 * 1024 * 1024), '1.50 MiB');
  assert.equal(format.bytes(1023 * 1024), '1.00 MiB');
});

test('durations show the largest unit and the one below', () => {
  assert.equal(format.duration(350), '350 ms');
  assert.equal(format.duration(1234), '1.2 s');
  assert.equal(format.duration(59949), '59.9 s');
  assert.equal(format.duration(59950), '1 min 00 s');
  assert.equal(format.duration(185000), '3 min 05 s');
  assert.equal(format.duration(7 * 86400000), '7 d 00 h');
  assert.equal(format.duration(-1500), '-1.5 s');
});

test('an unknown figure is not shown as a number', () => {
  assert.equal(format.known(-1, format.count), '?');
  assert.equal(format.known(null, format.count), '?');
  assert.equal(format.known(undefined, format.count), '?');
  assert.equal(format.known(0, format.count), '0');
});

test('history is lost, ends at any moment, or has a time left', () => {
  assert.equal(format.historyLeft(-1), 'LOST');
  assert.equal(format.historyLeft(0), 'any moment');
  assert.equal(format.historyLeft(3600000), '1 h 00 min');
  assert.equal(format.historyLeft(undefined), '-');
});

test('text of others cannot turn the line or hide', () => {
  assert.equal(format.printable('a\nb\u202ec\u0000'), 'a\\nb\\u202ec\\u0000');
  assert.equal(format.printable('é😀 <b>'), 'é😀 <b>');
  assert.equal(format.printable('\ud800'), '\\ud800');
});

test('encoded bounds of partitions read as people type keys', () => {
  assert.equal(format.bound('', '(lowest)'), '(lowest)');
  assert.equal(format.bound('037fffffffffffffd6', ''), '-42');
  assert.equal(format.bound('038000000000000001', ''), '1');
  assert.equal(format.bound('037000000000000000', ''), '-1152921504606846976');
  assert.equal(format.bound('056100ffc3a9f09f988000', ''), 'a\\u0000é😀');
  assert.equal(format.bound('0700ffff00ff0700', ''), '00ff0007');
});

test('keys of failed changes name their columns', () => {
  const key = { columns: [{ name: 'id', value: { integer: '9007199254740993' } }, { name: 'b', value: { binary: 'AP8=' } }] };
  assert.equal(format.keyText(key), '(id=9007199254740993, b=00ff)');
});

test('what is shown for editing is read back alike', () => {
  for (const ms of [0, 1, 1000, 90000, 43200000, 604800000]) {
    assert.equal(format.parseDuration(format.durationInput(ms)), ms);
  }
  for (const size of [0, 1, 1000, 1024, 10 * 1024 ** 3, 5 * 1024 ** 4]) {
    assert.equal(format.parseBytes(format.bytesInput(size)), size);
  }
  assert.equal(format.parseDuration('7'), null);
  assert.equal(format.parseDuration('-1d'), null);
  assert.equal(format.parseDuration('1 week'), null);
  assert.equal(format.parseBytes('ten'), null);
  assert.equal(format.parseBytes('999999999999TiB'), null);
});

test('moments are in UTC, and impossible ones are unknown', () => {
  assert.equal(format.instant(0), '1970-01-01T00:00:00Z');
  assert.equal(format.instant(8.64e15 + 1), '?');
});

test('bytes are typed and read in hexadecimal', () => {
  assert.equal(format.base64OfHex('00FF'), 'AP8=');
  assert.equal(format.hexOfBase64('AP8='), '00ff');
  assert.equal(format.base64OfHex('0'), null);
  assert.equal(format.base64OfHex('xy'), null);
});

test('a change of retention names only what was typed anew', () => {
  const shown = { age: '7d', size: '10GiB' };
  assert.deepEqual(format.retentionChange(shown, { age: '36h', size: '10GiB' }), { retentionMs: 129600000 });
  assert.deepEqual(format.retentionChange(shown, { age: '7d', size: '0' }), { retentionBytes: 0 });
  assert.deepEqual(format.retentionChange(shown, shown), {});
  assert.deepEqual(format.retentionChange(shown, { age: 'a week', size: '10GiB' }), { retentionMs: null });
});

test('a typed key has its values as JSON has them, and malformed bytes are refused', () => {
  const columns = [
    { name: 'a', type: 'BINARY' },
    { name: 'b', type: 'STRING' },
  ];
  const typed = /** @param {Record<string, string>} texts */ (texts) => format.typedKey(columns, (name) => texts[name] ?? '');
  assert.equal(typed({}), null);
  assert.deepEqual(typed({ a: '00ff', b: 'f00' }), { a: 'AP8=', b: 'f00' });
  // Each is Base64, too, and would show the rows of another key.
  for (const malformed of ['f00', 'zz', '0x00', 'AP8=']) {
    assert.throws(() => typed({ a: malformed }), new RegExp(`column 'a' is BINARY.*not '${malformed}'`));
  }
});
