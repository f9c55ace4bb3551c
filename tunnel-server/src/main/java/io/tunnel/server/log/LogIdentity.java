package io.tunnel.server.log;

import io.tunnel.codec.Checksum;
import java.nio.ByteBuffer;

/**
 * Whose log it is; each segment says so in its header.
 *
 * @param origin of the catalog whose partitions are in the log; 0 for the log of a replica
 */
public record LogIdentity(int shard, int origin) {

  private static final int ORIGIN_OFFSET = 24;

  /** How the segment at {@code base} begins. */
  ByteBuffer segmentHeader(long base) {
    ByteBuffer header = ByteBuffer.allocate(LogFormat.SEGMENT_HEADER_BYTES);
    header.putLong(LogFormat.SEGMENT_MAGIC).putLong(base).putLong(shard).putInt(origin);
    header.putInt(Checksum.crc32c(header.array(), 0, LogFormat.SEGMENT_HEADER_BYTES - 4));
    return header.flip();
  }

  /** Whether {@code header} is that of this log's segment at {@code base}. */
  boolean owns(ByteBuffer header, long base) {
    return header.equals(segmentHeader(base));
  }

  /** The origin in a header, of a segment at {@code base} of this shard of another directory. */
  boolean isOfAnotherOrigin(ByteBuffer header, long base) {
    return !owns(header, base)
        && header.limit() == LogFormat.SEGMENT_HEADER_BYTES
        && header.equals(new LogIdentity(shard, header.getInt(ORIGIN_OFFSET)).segmentHeader(base));
  }
}
