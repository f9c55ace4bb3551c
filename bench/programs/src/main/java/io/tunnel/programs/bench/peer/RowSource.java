package io.tunnel.programs.bench.peer;

import io.tunnel.model.value.Bytes;
import java.util.SplittableRandom;

/**
 * Rows of about 220 bytes unless planned otherwise, the same on every run and for every peer. Texts
 * are cut out of one random text, which is much cheaper than to draw every character. All columns
 * of a key follow from its sequence.
 */
public final class RowSource {

  private static final int TEXT_CHARS = 256 * 1024;
  private static final String TEXT = randomText();

  private final SplittableRandom random;
  private final RowPlan plan;
  private long sequence;

  /** Rows whose sequence counts up from {@code firstSequence}, which also seeds their values. */
  public RowSource(long firstSequence) {
    this(firstSequence, RowPlan.DEFAULT);
  }

  /** Rows of that plan; with a bounded number of keys, {@code firstSequence} only seeds. */
  public RowSource(long firstSequence, RowPlan plan) {
    this.plan = plan;
    this.sequence = firstSequence;
    this.random = new SplittableRandom(firstSequence);
  }

  /** The next row. */
  public SourceRow next() {
    long id = plan.keys() == 0 ? sequence++ : random.nextLong(plan.keys());
    SplittableRandom key = new SplittableRandom(id);
    int draw = key.nextInt();
    byte[] hash = {(byte) (draw >>> 24), (byte) (draw >>> 16), (byte) (draw >>> 8), (byte) draw};
    return new SourceRow(
        Bytes.copyOf(hash),
        text(key, plan.userChars()),
        text(key, plan.deviceChars()),
        id,
        text(random, plan.payloadChars()),
        random.nextLong());
  }

  private static String text(SplittableRandom random, int chars) {
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
