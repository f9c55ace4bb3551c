/**
 * What tests write and see of a table, and the ledger that compares the two: every change that was
 * acknowledged, once and in order.
 */
package io.tunnel.it.ledger;
