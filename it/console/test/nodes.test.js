import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nodeRow, nodeTrouble } from '../../../tunnel-server/src/main/resources/io/tunnel/server/console/web/nodes.js';
import { texts } from '../../../tunnel-server/src/main/resources/io/tunnel/server/console/web/texts.js';

test('each figure of a node stands below its heading, and an unknown one is not a number', () => {
  const row = nodeRow({
    writtenRows: 1234.4, deliveredRows: 0, commitToDeliveryP99Ms: 12, lagSecondsMax: 61, historyLeftSeconds: 3600, sessions: 2,
    diskUsedBytes: 1024 ** 3, diskFreeBytes: 2 * 1024 ** 3, residentBytes: 1024 ** 2, cpuShare: 0.256,
  });
  assert.deepEqual(row, ['1,234', '0', '12 ms', '1 min 01 s', '1 h 00 min', '2', '1.00 GiB', '2.00 GiB', '1.00 MiB', '26 %']);
  assert.equal(texts.nodes.figureHeadings.length, row.length + 2);
  assert.deepEqual(nodeRow({ writtenRows: null }), ['?', '?', '?', '?', '-', '?', '?', '?', '?', '?']);
});

test('a node without figures says since when and why', () => {
  const node = { name: 'n2', address: 'h:1', atMs: null, figures: null, missingSinceMs: null, why: null };
  assert.equal(nodeTrouble({ ...node, figures: {}, atMs: 5 }, 9), '');
  assert.equal(nodeTrouble(node, 9), texts.nodes.figuresAsked);
  assert.equal(nodeTrouble({ ...node, missingSinceMs: 1000, why: 'cannot reach h:1' }, 8000), '✖ no figures for 7.0 s: cannot reach h:1');
});
