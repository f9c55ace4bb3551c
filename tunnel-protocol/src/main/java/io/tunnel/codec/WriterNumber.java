package io.tunnel.codec;

import io.tunnel.model.value.Bytes;
import java.util.Optional;

/**
 * What a writer says of a batch, so that a repetition of the batch is recognised. The value of
 * attribute {@link FormatFeature#WRITER}: {@code u64} date and {@code u128} secret of the token,
 * {@code u64} number, {@code u64} number before.
 *
 * @param token the id that a server has issued, of {@value #TOKEN_BYTES} bytes
 * @param number the number of the batch, above the numbers of the writer's earlier batches of the
 *     partition; at least 1
 * @param after the number of the writer's last batch of which the partition has said that it
 *     applied rows; 0 without such a batch, below {@code number}
 */
public record WriterNumber(Bytes token, long number, long after) {

  /** Bytes of a token. */
  public static final int TOKEN_BYTES = 24;

  private static final int BYTES = TOKEN_BYTES + 2 * Long.BYTES;

  /** Bytes that the attribute adds to a batch, with the list's length. */
  public static final int ATTRIBUTE_BYTES = 2 + BYTES + Attributes.LENGTH_BYTES;

  /** Refuses numbers that do not rise. */
  public WriterNumber {
    if (token.length() != TOKEN_BYTES) {
      throw new MalformedException("a writer's token of " + token.length() + " bytes");
    }
    if (after < 0 || number <= after) {
      throw new MalformedException("a writer's batch " + number + " after batch " + after);
    }
  }

  /** The attributes of a batch that say this, as {@link BatchBuilder#setAttributes} takes them. */
  public Bytes attributes() {
    ByteSink value = new ByteSink(BYTES);
    value.write(token);
    value.writeLong(number);
    value.writeLong(after);
    ByteSink list = new ByteSink(ATTRIBUTE_BYTES);
    Attributes.write(
        list, FormatFeature.WRITER.number(), Bytes.copyOf(value.array(), 0, value.size()));
    return Bytes.copyOf(list.array(), 0, list.size());
  }

  /**
   * What the writer says of a batch; empty when the writer does not number.
   *
   * @throws MalformedException when the attribute is none
   */
  public static Optional<WriterNumber> of(ChangeBatch batch) {
    return batch.attribute(FormatFeature.WRITER).map(value -> decode(value.toByteArray()));
  }

  private static WriterNumber decode(byte[] value) {
    if (value.length != BYTES) {
      throw new MalformedException("a writer's number of " + value.length + " bytes");
    }
    return new WriterNumber(
        Bytes.copyOf(value, 0, TOKEN_BYTES),
        Binary.getLong(value, TOKEN_BYTES),
        Binary.getLong(value, TOKEN_BYTES + Long.BYTES));
  }
}
