package io.tunnel.wire;

import io.tunnel.codec.ByteSink;
import io.tunnel.codec.MalformedException;
import io.tunnel.codec.Utf8;
import io.tunnel.condition.Condition;
import io.tunnel.condition.RowSelection;
import io.tunnel.model.Limits;
import io.tunnel.model.value.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * How a read of rows is answered: {@code u8} flags (1 strict, 2 a condition, 4 columns, 8 commit
 * times), then with flag 2 the condition, sized, and with flag 4 a varint count and the names, each
 * sized. A server refuses unknown flags, because it could not answer as requested.
 *
 * @param isStrict whether the answer must contain every write acknowledged before the request
 * @param selection the rows and columns of the answer
 */
public record ReadTerms(boolean isStrict, RowSelection selection) {

  /** Complete rows, and all of them, from what the leader has. */
  public static final ReadTerms BOUNDED = new ReadTerms(false, RowSelection.ALL);

  /** Complete rows, and all of them, with every write acknowledged before the request. */
  public static final ReadTerms STRICT = new ReadTerms(true, RowSelection.ALL);

  private static final int FLAG_STRICT = 1;
  private static final int FLAG_CONDITION = 2;
  private static final int FLAG_COLUMNS = 4;
  private static final int FLAG_COMMIT_TIMES = 8;
  private static final int FLAGS_KNOWN =
      FLAG_STRICT | FLAG_CONDITION | FLAG_COLUMNS | FLAG_COMMIT_TIMES;

  void write(ByteSink sink) {
    sink.writeByte(
        (isStrict ? FLAG_STRICT : 0)
            | (selection.condition().isPresent() ? FLAG_CONDITION : 0)
            | (selection.columns().isPresent() ? FLAG_COLUMNS : 0)
            | (selection.hasCommitTimes() ? FLAG_COMMIT_TIMES : 0));
    selection
        .condition()
        .map(Condition::encode)
        .ifPresent(
            condition -> {
              sink.writeVarint(condition.length());
              sink.write(condition);
            });
    selection
        .columns()
        .ifPresent(
            names -> {
              sink.writeVarint(names.size());
              names.forEach(name -> Utf8.writeSized(sink, name));
            });
  }

  static ReadTerms read(PayloadReader reader) {
    int flags = reader.readByte();
    if ((flags & ~FLAGS_KNOWN) != 0) {
      throw new MalformedException(
          "flags "
              + flags
              + " of a read of rows; this build knows 1 (strict), 2 (condition), 4 (columns) and 8"
              + " (commit times)");
    }
    Optional<Condition> condition =
        (flags & FLAG_CONDITION) == 0
            ? Optional.empty()
            : Optional.of(Condition.decode(reader.readSized()));
    Optional<List<String>> columns =
        (flags & FLAG_COLUMNS) == 0 ? Optional.empty() : Optional.of(names(reader));
    try {
      return new ReadTerms(
          (flags & FLAG_STRICT) != 0,
          new RowSelection(condition, columns, (flags & FLAG_COMMIT_TIMES) != 0));
    } catch (IllegalArgumentException e) {
      throw new MalformedException(e.getMessage());
    }
  }

  private static List<String> names(PayloadReader reader) {
    int count = reader.readVarint();
    if (count > Limits.ROW_COLUMNS_MAX) {
      throw new MalformedException(
          count
              + " columns are chosen; at most "
              + Limits.ROW_COLUMNS_MAX
              + " are allowed, as many as a row has");
    }
    List<String> names = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      byte[] name = reader.readSized().toByteArray();
      names.add(Utf8.decode(name, 0, name.length));
    }
    return names;
  }

  /** At most how many bytes {@link #write} writes, near enough for a sink's first size. */
  int sizeHint() {
    return 8
        + selection.condition().map(Condition::encode).map(Bytes::length).orElse(0)
        + 16 * selection.columns().map(List::size).orElse(0);
  }
}
