/** What a split is, its state while it is read, and its bytes in checkpoints. */
package io.tunnel.flink.source.split;
