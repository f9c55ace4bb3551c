/**
 * What happens to one channel of a worker, decided without a thread, a clock or a connection: its
 * inputs, its progress, and the order in which it ends. Internal to the SDK: may change in any
 * version.
 */
package io.tunnel.sdk.worker.channel;
