/**
 * Reading partitions from positions that the reader keeps: one feed for each partition, one
 * connection to each node that serves some of them. All state belongs to one event loop, but for
 * the inbox, from which the reader's thread takes what was delivered.
 */
package io.tunnel.sdk.read;
