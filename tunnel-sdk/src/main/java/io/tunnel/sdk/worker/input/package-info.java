/**
 * The inputs of processors: records of deliveries, the division of an input into parts, and retries
 * and skips after failures.
 */
package io.tunnel.sdk.worker.input;
