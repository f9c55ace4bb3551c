package io.tunnel.bench.peers;

import io.tunnel.model.value.Bytes;
import java.util.SplittableRandom;

/**
 * Rows of about 220 bytes, the same on every run and for every peer. Texts are cut out of one
 * random text, which is much cheaper than to draw every character.
 */
public final class RowSource {

  static final int USER_CHARS = 24;
  static final int DEVICE_CHARS = 16;
  static final int PAYLOAD_CHARS = 136;

  private static final int TEXT_CHARS = 256 * 1024;
  private static final String TEXT = randomText();

  private final SplittableRandom random;
  private long sequence;

  /** Rows whose sequence counts up from {@code firstSequence}, which also seeds their values. */
  public RowSource(long firstSequence) {
    this.sequence = firstSequence;
    this.random = new SplittableRandom(firstSequence);
  }

  /** The next row. */
  public SourceRow next() {
    int draw = random.nextInt();
    byte[] hash = {(byte) (draw >>> 24), (byte) (draw >>> 16), (byte) (draw >>> 8), (byte) draw};
    return new SourceRow(
        Bytes.copyOf(hash),
        text(USER_CHARS),
        text(DEVICE_CHARS),
        sequence++,
        text(PAYLOAD_CHARS),
        random.nextLong());
  }

  private String text(int chars) {
    int from = random.nextInt(TEXT_CHARS - chars);
    return TEXT.substring(from, from + chars);
  }

  private static String randomText() {
    SplittableRandom random = new SplittableRandom(7);
    StringBuilder text = new StringBuilder(TEXT_CHARS);
    for (int i = 0; i < TEXT_CHARS; i++) {
      text.append((char) random.nextInt('0', 'z' + 1));
    }
    return text.toString();
  }
}
