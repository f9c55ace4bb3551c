/**
 * A table as a Flink source: a partition of the table is a split. A schema converts the SDK's
 * {@link io.tunnel.sdk.processor.StreamRecord}, a view of the delivered bytes, to elements of the
 * job.
 */
package io.tunnel.flink.source;
