/**
 * The decisions about one channel of a worker, without a thread, a clock or a connection: inputs,
 * progress, and the order of the end. Internal to the SDK: may change in any version.
 */
package io.tunnel.sdk.worker.channel;
