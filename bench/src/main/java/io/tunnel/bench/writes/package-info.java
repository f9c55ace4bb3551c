/**
 * Measures what a kind of write costs beside a plain one: {@link
 * io.tunnel.bench.writes.WriteCostsMain}.
 */
package io.tunnel.bench.writes;
