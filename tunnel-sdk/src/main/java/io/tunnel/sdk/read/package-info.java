/**
 * Reading of partitions from positions that the program keeps: a feed for each partition, and a
 * connection to each node that serves partitions. All state belongs to one event loop, except the
 * inbox, from which the program's thread takes deliveries.
 */
package io.tunnel.sdk.read;
