/**
 * The delivery of partitions, to workers and readers alike: one delivery with its changes of
 * server, its pauses after failures, and the connections that deliveries share. Internal to the
 * SDK: may change in any version.
 *
 * <p>All state belongs to the single thread of the worker or reader; connections call back on this
 * thread too.
 */
package io.tunnel.sdk.delivery;
