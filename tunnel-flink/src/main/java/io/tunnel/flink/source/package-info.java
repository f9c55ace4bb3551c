/**
 * A table as a Flink source: a partition of the table is a split. A schema is given the SDK's
 * {@link io.tunnel.sdk.processor.StreamRecord}, a view of the bytes that were delivered, and makes
 * of it what the job computes with.
 */
package io.tunnel.flink.source;
