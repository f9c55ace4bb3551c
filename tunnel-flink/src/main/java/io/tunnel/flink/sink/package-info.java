/** A table as a Flink sink: puts, updates and deletes through the SDK's writer. */
package io.tunnel.flink.sink;
