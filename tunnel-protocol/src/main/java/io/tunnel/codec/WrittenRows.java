package io.tunnel.codec;

import io.tunnel.model.Limits;
import io.tunnel.model.value.Bytes;
import java.util.ArrayList;
import java.util.List;

/**
 * Some consecutive rows of a batch of the log, and the writer's batch that they were. A batch of
 * the log may have rows of several writers, and rows of writers that do not number. A log that
 * nodes share also has the writers' batches of which every row was rejected, with no rows.
 *
 * <p>They are said by another batch, the <i>answers</i>, which has the same position and no rows:
 * logs have it, and no reader of changes gets it.
 *
 * <p>The value of attribute {@link FormatFeature#WRITTEN} has, for each writer's batch in the order
 * of the rows: a varint with the rows between the former and these, a varint with the number of
 * these rows, {@value #WRITER_BYTES} bytes of the writer, {@code u64} number, and the answer after
 * its length as a varint.
 *
 * @param first the index of the first of the rows in the batch of the log
 * @param rows how many rows; none of a batch whose rows were all rejected
 * @param writer who wrote them, {@value #WRITER_BYTES} bytes
 * @param number the writer's number of its batch
 * @param answer which rows of the writer's batch were rejected, as the server encodes that
 */
public record WrittenRows(int first, int rows, Bytes writer, long number, Bytes answer) {

  /** Bytes of a writer: {@code u64} date, and 8 bytes each of the principal's and the id's hash. */
  public static final int WRITER_BYTES = 24;

  /** Refuses rows and writers that cannot be. */
  public WrittenRows {
    if (first < 0 || rows < 0 || writer.length() != WRITER_BYTES || number < 1) {
      throw new MalformedException(
          rows + " rows from row " + first + " as batch " + number + " of writer " + writer);
    }
  }

  /** Adds this to a value, after rows that end at {@code end}. */
  public void write(ByteSink sink, int end) {
    sink.writeVarint(first - end);
    sink.writeVarint(rows);
    sink.write(writer);
    sink.writeLong(number);
    sink.writeVarint(answer.length());
    sink.write(answer);
  }

  /** What answers of the log say of the writers of rows. */
  public static List<WrittenRows> of(ChangeBatch answers) {
    return answers
        .attribute(FormatFeature.WRITTEN)
        .map(value -> decode(value.toByteArray()))
        .orElse(List.of());
  }

  private static List<WrittenRows> decode(byte[] value) {
    List<WrittenRows> found = new ArrayList<>();
    int end = 0;
    for (int at = 0; at < value.length; ) {
      long skipped = Binary.getVarint(value, at, value.length);
      long rows = Binary.getVarint(value, Binary.next(skipped), value.length);
      int writerAt = Binary.next(rows);
      int answerAt = writerAt + WRITER_BYTES + Long.BYTES;
      if (answerAt > value.length) {
        throw new MalformedException("the writer of rows of a batch is cut off");
      }
      long answerBytes = Binary.getVarint(value, answerAt, value.length);
      int answer = Binary.next(answerBytes);
      at = answer + Binary.value(answerBytes);
      long first = (long) end + Binary.value(skipped);
      if (at > value.length || at < answer || first + Binary.value(rows) > Limits.BATCH_ROWS_MAX) {
        throw new MalformedException(
            "a writer wrote " + Binary.value(rows) + " rows from row " + first + " of a batch");
      }
      WrittenRows written =
          new WrittenRows(
              (int) first,
              Binary.value(rows),
              Bytes.copyOf(value, writerAt, WRITER_BYTES),
              Binary.getLong(value, writerAt + WRITER_BYTES),
              Bytes.copyOf(value, answer, Binary.value(answerBytes)));
      end = written.first() + written.rows();
      found.add(written);
    }
    return found;
  }
}
