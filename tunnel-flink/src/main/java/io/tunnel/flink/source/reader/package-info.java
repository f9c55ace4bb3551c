/** Reads splits: turns deliveries of the SDK into records, watermarks, positions and figures. */
package io.tunnel.flink.source.reader;
