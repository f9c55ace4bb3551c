/** Finds splits, decides when they may be read, and assigns them to readers. */
package io.tunnel.flink.source.enumerator;
