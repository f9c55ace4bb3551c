package io.tunnel.programs.bench.peer;

/**
 * What rows of a {@link RowSource} are like. Characters are ASCII.
 *
 * @param userChars of the second column of the key
 * @param deviceChars of the third column of the key
 * @param payloadChars of the first attribute
 * @param keys how many keys are written again and again; 0 when each row has a key of its own
 */
public record RowPlan(int userChars, int deviceChars, int payloadChars, long keys) {

  /** The longest first attribute. */
  public static final int PAYLOAD_CHARS_MAX = 64 * 1024;

  /** Rows of about 220 bytes, each with a key of its own. */
  public static final RowPlan DEFAULT = new RowPlan(24, 16, 136, 0);

  /** Bytes of a row beside its texts, as it is encoded. */
  private static final int OTHER_BYTES = 44;

  /** Texts of the keys of rows that are too small for those of {@link #DEFAULT}. */
  private static final int SMALL_CHARS = 6;

  /** The smallest row that can be asked for. */
  public static final int ROW_BYTES_MIN = OTHER_BYTES + 2 * SMALL_CHARS + 1;

  /** The largest row that can be asked for. */
  public static final int ROW_BYTES_MAX = PAYLOAD_CHARS_MAX;

  /** Refuses what cannot be made. */
  public RowPlan {
    if (userChars < 1 || deviceChars < 1 || payloadChars < 1) {
      throw new IllegalArgumentException("texts have at least one character");
    }
    if (userChars > PAYLOAD_CHARS_MAX
        || deviceChars > PAYLOAD_CHARS_MAX
        || payloadChars > PAYLOAD_CHARS_MAX) {
      throw new IllegalArgumentException("texts have at most " + PAYLOAD_CHARS_MAX + " characters");
    }
    if (keys < 0) {
      throw new IllegalArgumentException("keys is 0 or more, not " + keys);
    }
  }

  /** Rows of about so many bytes; the texts of small ones' keys are shorter. */
  public static RowPlan ofRowBytes(int bytes) {
    if (bytes < ROW_BYTES_MIN || bytes > ROW_BYTES_MAX) {
      throw new IllegalArgumentException(
          "a row has " + ROW_BYTES_MIN + " to " + ROW_BYTES_MAX + " bytes, not " + bytes);
    }
    int keyChars = DEFAULT.userChars() + DEFAULT.deviceChars();
    return bytes > OTHER_BYTES + keyChars
        ? new RowPlan(DEFAULT.userChars(), DEFAULT.deviceChars(), bytes - OTHER_BYTES - keyChars, 0)
        : new RowPlan(SMALL_CHARS, SMALL_CHARS, bytes - OTHER_BYTES - 2 * SMALL_CHARS, 0);
  }

  /** The same rows over so many keys. */
  public RowPlan overKeys(long count) {
    return new RowPlan(userChars, deviceChars, payloadChars, count);
  }

  /** About how many bytes a row has as it is encoded. */
  public int rowBytes() {
    return OTHER_BYTES + userChars + deviceChars + payloadChars;
  }
}
