package io.tunnel.server.log;

import java.nio.ByteBuffer;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;

/**
 * The bytes of segment and index files around the batches; {@code docs/internals/storage.md} draws
 * them. Big-endian.
 */
final class LogFormat {

  static final long SEGMENT_MAGIC = 0x544e4c5345473031L; // "TNLSEG01"
  static final long INDEX_MAGIC = 0x544e4c4944583031L; // "TNLIDX01"
  static final long LOOSE_INDEX_MAGIC = 0x544e4c4944583032L; // "TNLIDX02"
  static final long TRIM_MAGIC = 0x544e4c54524d3031L; // "TNLTRM01"
  static final long FORGOTTEN_TRIM_MAGIC = 0x544e4c54524d3032L; // "TNLTRM02"
  static final int GROUP_MAGIC = 0x544e4c47; // "TNLG"

  /** magic, i64 base offset, i64 shard, u32 origin, u32 crc32c of what stands before. */
  static final int SEGMENT_HEADER_BYTES = 32;

  /**
   * u32 magic, u32 crc32c of the rest, i64 synced, i64 commit micros, u32 batch bytes, u32 batches.
   */
  static final int GROUP_HEADER_BYTES = 32;

  /** Of batches without rows that stand where damaged bytes were trimmed; no partition has it. */
  static final int FILLER_PARTITION = 0;

  static final String SEGMENT_SUFFIX = ".log";

  /** As {@link #segmentName} makes it; other files are no segments. */
  static final Pattern SEGMENT_NAME = Pattern.compile("[0-9]{20}\\.log");

  static final String INDEX_SUFFIX = ".index";

  /** Name of the file that says which changes were trimmed. */
  static final String TRIM_NAME = "trimmed";

  /** Name of a file that is deleted when {@link #TRIM_NAME} finds no space. */
  static final String RESERVE_NAME = "reserve";

  private LogFormat() {}

  static String segmentName(long base) {
    return String.format(Locale.ROOT, "%020d%s", base, SEGMENT_SUFFIX);
  }

  static String indexName(long base) {
    return String.format(Locale.ROOT, "%020d%s", base, INDEX_SUFFIX);
  }

  static int crc(ByteBuffer bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes);
    return (int) crc.getValue();
  }
}
