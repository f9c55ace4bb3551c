package io.tunnel.programs.bench.beside;

import io.tunnel.programs.bench.kafka.KafkaRow;
import io.tunnel.programs.bench.peer.RowSource;
import io.tunnel.programs.bench.peer.SourceRow;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.zip.CRC32C;

/**
 * The rows of the benchmarks in chunks, each of which has a length and a CRC-32C of four bytes
 * before it. Key and value of a row are those that Kafka gets, with lengths of four bytes.
 */
final class CeilingRows {

  /** As large as a batch of our writer, so that a checksum is over as many rows. */
  static final int CHUNK_BYTES = 256 << 10;

  static final int HEADER_BYTES = 2 * Integer.BYTES;

  /** A multiplier without a pattern: the golden ratio in 64 bits. */
  private static final long MIX = 0x9E3779B97F4A7C15L;

  private CeilingRows() {}

  /**
   * What some rows come to.
   *
   * @param rows how many
   * @param amounts the sum of their integer attributes
   * @param hashes the sum of the hashes of their keys
   */
  record Sums(long rows, long amounts, long hashes) {

    static final Sums NONE = new Sums(0, 0, 0);

    Sums plus(Sums other) {
      return new Sums(rows + other.rows, amounts + other.amounts, hashes + other.hashes);
    }
  }

  /** Writes so many rows as chunks. */
  static Sums write(long rows, WritableByteChannel target) throws IOException {
    RowSource source = new RowSource(0);
    ByteBuffer chunk = ByteBuffer.allocateDirect(HEADER_BYTES + CHUNK_BYTES);
    chunk.position(HEADER_BYTES);
    Sums sums = Sums.NONE;
    for (long i = 0; i < rows; i++) {
      SourceRow row = source.next();
      byte[] key = KafkaRow.key(row);
      byte[] value = KafkaRow.value(row);
      if (chunk.remaining() < 2 * Integer.BYTES + key.length + value.length) {
        sums = sums.plus(end(chunk, target));
      }
      chunk.putInt(key.length).put(key).putInt(value.length).put(value);
    }
    return sums.plus(end(chunk, target));
  }

  private static Sums end(ByteBuffer chunk, WritableByteChannel target) throws IOException {
    chunk.flip().position(HEADER_BYTES);
    chunk.putInt(0, chunk.remaining()).putInt(Integer.BYTES, crc(chunk));
    Sums sums = look(chunk);
    chunk.rewind();
    while (chunk.hasRemaining()) {
      int unused = target.write(chunk);
    }
    chunk.clear().position(HEADER_BYTES);
    return sums;
  }

  /**
   * Reads all whole chunks that {@code bytes} begin with, as a reader has to: the checksum of each
   * chunk, a hash of each key, the integer attribute of each row.
   *
   * @throws IOException when a chunk is not what its checksum says
   */
  static Sums read(ByteBuffer bytes) throws IOException {
    Sums sums = Sums.NONE;
    int limit = bytes.limit();
    while (bytes.remaining() >= HEADER_BYTES
        && bytes.remaining() - HEADER_BYTES >= bytes.getInt(bytes.position())) {
      int length = bytes.getInt();
      int crc = bytes.getInt();
      bytes.limit(bytes.position() + length);
      if (crc(bytes) != crc) {
        throw new IOException("a chunk is not what its checksum says");
      }
      sums = sums.plus(look(bytes));
      bytes.limit(limit);
    }
    return sums;
  }

  private static int crc(ByteBuffer bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes.duplicate());
    return (int) crc.getValue();
  }

  private static Sums look(ByteBuffer chunk) {
    long rows = 0;
    long amounts = 0;
    long hashes = 0;
    while (chunk.hasRemaining()) {
      int keyBytes = chunk.getInt();
      int keyEnd = chunk.position() + keyBytes;
      hashes += hash(chunk, chunk.position(), keyEnd);
      int valueEnd = keyEnd + Integer.BYTES + chunk.getInt(keyEnd);
      amounts += chunk.getLong(valueEnd - Long.BYTES);
      chunk.position(valueEnd);
      rows++;
    }
    return new Sums(rows, amounts, hashes);
  }

  private static long hash(ByteBuffer bytes, int from, int end) {
    long hash = (long) end - from;
    int at = from;
    for (; at + Long.BYTES <= end; at += Long.BYTES) {
      hash = (hash ^ bytes.getLong(at)) * MIX;
    }
    for (; at < end; at++) {
      hash = (hash ^ bytes.get(at)) * MIX;
    }
    return hash;
  }
}
