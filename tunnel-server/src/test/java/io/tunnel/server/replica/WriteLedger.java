package io.tunnel.server.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.RowCursor;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.partition.PendingWrite;
import io.tunnel.server.replica.shared.RecordCodec;
import io.tunnel.server.replica.shared.RunCore;
import io.tunnel.server.replica.shared.SharedLog.Stored;
import io.tunnel.wire.WriteResult;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * All writes of a test and what their writers were told, compared with what the log says. Every
 * change that is not a deletion carries a text that no other has.
 */
final class WriteLedger {

  private final List<Written> writes = new ArrayList<>();

  /** One write. */
  static final class Written implements PendingWrite.Outcome {
    private final ChangeBatch batch;
    private Optional<WriteResult> result = Optional.empty();
    private Optional<RefusedException> refusal = Optional.empty();

    private Written(ChangeBatch batch) {
      this.batch = batch;
    }

    @Override
    public void written(WriteResult written) {
      assertThat(isTold()).as("told once").isFalse();
      result = Optional.of(written);
    }

    @Override
    public void refused(RefusedException reason) {
      assertThat(isTold()).as("told once").isFalse();
      refusal = Optional.of(reason);
    }

    boolean isTold() {
      return result.isPresent() || refusal.isPresent();
    }

    Optional<WriteResult> result() {
      return result;
    }

    Optional<RefusedException> refusal() {
      return refusal;
    }
  }

  Written add(ChangeBatch batch) {
    Written written = new Written(batch);
    writes.add(written);
    return written;
  }

  long acknowledged() {
    return writes.stream().filter(write -> write.result.isPresent()).count();
  }

  /** {@code valid} are the changes that count, in the order of the log. */
  void requireTrue(int partition, List<Stored> valid) {
    Map<Long, Integer> indexByOffset = new HashMap<>();
    Set<String> texts = new HashSet<>();
    for (int i = 0; i < valid.size(); i++) {
      indexByOffset.put(valid.get(i).offset(), i);
      text(valid.get(i)).ifPresent(texts::add);
    }
    for (Written write : writes) {
      if (write.batch.partition() == partition) {
        requireTrue(write, valid, indexByOffset, texts);
      }
    }
  }

  private static void requireTrue(
      Written write, List<Stored> valid, Map<Long, Integer> indexByOffset, Set<String> texts) {
    Set<Integer> rejected = new HashSet<>();
    write.result.ifPresent(r -> r.rejections().forEach(x -> rejected.add(x.rowIndex())));
    boolean isRefused = write.refusal.filter(RefusedException::retriable).isPresent();
    Integer at = write.result.map(r -> indexByOffset.get(r.firstPosition())).orElse(null);
    RowCursor row = write.batch.rows();
    int applied = 0;
    while (row.next()) {
      Optional<String> text = text(row);
      if (isRefused || rejected.contains(row.index())) {
        assertThat(text.filter(texts::contains)).as("refused, and in the log").isEmpty();
      } else if (write.result.isPresent()) {
        assertThat(at).as("position %s counts", write.result.get()).isNotNull();
        Stored stored = valid.get(at++);
        assertThat(write.result.get().positionOf(applied++)).isEqualTo(stored.offset());
        assertThat(stored.entry().key())
            .isEqualTo(Bytes.copyOf(write.batch.array(), row.keyOffset(), row.keyBytes()));
        assertThat(text(stored)).isEqualTo(text);
      }
    }
  }

  /** The text of a change; empty for a deletion. */
  static Optional<String> text(Stored record) {
    if (record.entry().value().isEmpty()) {
      return Optional.empty();
    }
    RunCore runs = new RunCore(1, 1 << 20);
    runs.add(
        record.offset(),
        0,
        false,
        new RunCore.Row(
            record.entry(),
            record.entry().value().map(value -> RecordCodec.decode(record.entry().key(), value))));
    RowCursor row = runs.take().get(0).changes().orElseThrow().rows();
    row.next();
    return text(row);
  }

  private static Optional<String> text(RowCursor row) {
    var columns = row.columns();
    while (columns.next()) {
      if (row.batch().name(columns.nameIndex()).equals("text")) {
        return Optional.of(columns.value().asString());
      }
    }
    return Optional.empty();
  }
}
