import assert from 'node:assert/strict';
import { test } from 'node:test';
import { may } from '../../../tunnel-server/src/main/resources/io/tunnel/server/console/web/rights.js';

const allow = (rights, resource) => ({ subject: 'ada', isAllowed: true, rights, resource });
const deny = (rights, resource) => ({ ...allow(rights, resource), isAllowed: false });
const ada = (...permissions) => ({ principal: 'ada', groups: [], permissions, isAdministrator: false });
const audit = { table: 'orders', tunnel: 'audit' };

test('an open server and a fixed administrator offer everything', () => {
  assert.equal(may({ groups: [], permissions: [], isAdministrator: false }, 'operate', audit), true);
  assert.equal(may({ ...ada(deny(['admin'], 'cluster')), isAdministrator: true }, 'operate', audit), true);
});

test('before the viewer is known nothing is offered', () => {
  assert.equal(may(null, 'read', { table: 'orders' }), false);
});

test('a right counts on the resource that it names, and on beginnings of names', () => {
  assert.equal(may(ada(allow(['operate'], 'tunnel:orders/audit')), 'operate', audit), true);
  assert.equal(may(ada(allow(['operate'], 'tunnel:ord*/*')), 'operate', audit), true);
  assert.equal(may(ada(allow(['operate'], 'tunnel:orders/other')), 'operate', audit), false);
  assert.equal(may(ada(allow(['read'], 'table:orders')), 'read', { table: 'orders' }), true);
  assert.equal(may(ada(allow(['read'], 'table:orders')), 'alter', { table: 'orders' }), false);
  assert.equal(may(ada(allow(['read'], 'table:orders')), 'read', {}), false);
});

test('admin reaches what is below its resource', () => {
  assert.equal(may(ada(allow(['admin'], 'table:orders')), 'operate', audit), true);
  assert.equal(may(ada(allow(['admin'], 'cluster')), 'alter', { table: 'orders' }), true);
  assert.equal(may(ada(allow(['admin'], 'cluster')), 'admin', {}), true);
  assert.equal(may(ada(allow(['operate'], 'table:orders')), 'operate', audit), false);
});

test('a denial overrides any grant', () => {
  assert.equal(may(ada(allow(['admin'], 'cluster'), deny(['operate'], 'tunnel:orders/*')), 'operate', audit), false);
  assert.equal(may(ada(allow(['operate'], 'tunnel:*/*'), deny(['admin'], 'table:orders')), 'operate', audit), false);
});
