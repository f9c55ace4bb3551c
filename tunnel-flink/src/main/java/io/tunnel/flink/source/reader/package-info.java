/** Reading splits: what the SDK delivers becomes records, watermarks, positions and figures. */
package io.tunnel.flink.source.reader;
