/**
 * {@code tunnel demo}: writes and reads on servers of its own, and a ledger that proves what
 * arrived.
 */
package io.tunnel.programs.demo;
