/** Splits, their state during reading, and their bytes in checkpoints. */
package io.tunnel.flink.source.split;
