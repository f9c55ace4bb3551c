package io.tunnel.server.partition.judge;

import io.tunnel.codec.Binary;
import io.tunnel.codec.ByteSink;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.WrittenRows;
import io.tunnel.core.WriterCore;
import io.tunnel.core.WriterCore.Answered;
import io.tunnel.core.WriterCore.Numbered;
import io.tunnel.core.WriterCore.Verdict;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.wire.WriteResult;
import io.tunnel.wire.WriteResult.Rejection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The writers that number their batches, of each partition of a shard. They are stored by the very
 * write to the table that folds the group of their batches, or by an earlier one; the log has what
 * the table lacks. For the shard's thread.
 */
public final class Writers {

  /** Batches that came again and got their first answer, since {@link #takeRepeated}. */
  private long repeated;

  /** Writers that were forgotten since {@link #takeForgotten}. */
  private long forgotten;

  private final Supplier<WriterCore> first;
  private final Map<Integer, WriterCore> byPartition = new HashMap<>();

  /** Partitions that may have something to store. */
  private final Set<Integer> raised = new HashSet<>();

  /** Partitions whose floor is to be stored, also when nobody was forgotten. */
  private final Set<Integer> raisedFloors = new HashSet<>();

  /**
   * Writers that go on from stored ones.
   *
   * @param stored what {@link #takeRaised} gave before
   */
  public Writers(Map<Bytes, Bytes> stored) {
    this(stored, WriterCore::new);
  }

  /** As {@link #Writers(Map)}, with a core of its own for each partition. */
  public Writers(Map<Bytes, Bytes> stored, Supplier<WriterCore> first) {
    this.first = first;
    Map<Integer, Bytes> floors = new HashMap<>();
    Map<Integer, Map<Bytes, Answered>> writers = new HashMap<>();
    stored.forEach(
        (key, value) -> {
          byte[] bytes = key.toByteArray();
          int partition = Binary.getInt(bytes, 0);
          Map<Bytes, Answered> known = writers.computeIfAbsent(partition, id -> new HashMap<>());
          if (bytes.length == Integer.BYTES) {
            floors.put(partition, value);
          } else {
            known.put(
                Bytes.copyOf(bytes, Integer.BYTES, bytes.length - Integer.BYTES), decode(value));
          }
        });
    writers.forEach(
        (partition, known) ->
            of(partition).restore(floors.getOrDefault(partition, Bytes.EMPTY), known));
  }

  private WriterCore of(int partition) {
    return byPartition.computeIfAbsent(partition, id -> first.get());
  }

  /**
   * The answer to a batch that was answered before; empty for a batch that is to be applied.
   *
   * @throws RefusedException WRITER_ENDED when it cannot be known whether the batch was applied
   */
  public Optional<WriteResult> repeated(ChangeBatch batch, Numbered by, long nowMicros) {
    Optional<Answered> found = answerOf(of(batch.partition()).judge(by, nowMicros));
    if (found.isEmpty()) {
      return Optional.empty();
    }
    Answered answered = found.get();
    List<Rejection> rejections = AnswerCodec.rejections(answered.answer());
    int rows = answered.rows() + rejections.size();
    if (rows != batch.rowCount()) {
      throw ended(
          "batch "
              + by.number()
              + " of the writer had "
              + rows
              + " rows, and comes again with "
              + batch.rowCount());
    }
    repeated++;
    WriteResult result = new WriteResult(answered.position(), answered.rows(), rejections);
    return Optional.of(
        result.returning(AnswerCodec.returned(answered.answer(), batch, rejections)));
  }

  /**
   * What was answered to a batch of a log that nodes share; empty for a batch that is to be
   * applied.
   *
   * @param sinceMicros what is older may be gone from the log, so its writers are forgotten
   * @param aheadMicrosMax how far a writer's date may be ahead of {@code nowMicros}
   * @throws RefusedException WRITER_ENDED when it cannot be known whether the batch was applied
   */
  public Optional<Answered> answerTo(
      int partition, Numbered batch, long nowMicros, long sinceMicros, long aheadMicrosMax) {
    raised.add(partition);
    of(partition).forgetBefore(sinceMicros);
    Optional<Answered> found = answerOf(of(partition).judge(batch, nowMicros, aheadMicrosMax));
    repeated += found.isPresent() ? 1 : 0;
    return found;
  }

  private static Optional<Answered> answerOf(Verdict verdict) {
    if (verdict instanceof Verdict.Ended ended) {
      throw ended(ended.why());
    }
    return verdict instanceof Verdict.Repeated repeated
        ? Optional.of(repeated.answered())
        : Optional.empty();
  }

  /**
   * Forgets writers that were silent since before a moment, durably: the log has a hole there.
   *
   * @param micros in microseconds since 1970
   */
  public void forgetBefore(int partition, long micros) {
    raised.add(partition);
    raisedFloors.add(partition);
    of(partition).forgetBefore(micros);
  }

  /** Batches that came again and got their first answer, since the last call. */
  public long takeRepeated() {
    long taken = repeated;
    repeated = 0;
    return taken;
  }

  /** Writers that were forgotten, since the last call; each counts when that is stored. */
  public long takeForgotten() {
    long taken = forgotten;
    forgotten = 0;
    return taken;
  }

  /** By writer of a partition, its last batch of which rows are in the log. */
  public Map<Bytes, Answered> applied(int partition) {
    return of(partition).applied();
  }

  /** Rows of a batch are in the log. */
  public void applied(int partition, Bytes writer, Answered answered) {
    raised.add(partition);
    of(partition).applied(writer, answered);
  }

  /** The refusal of a batch that must not be applied. */
  public static RefusedException ended(String why) {
    return new RefusedException(
        ErrorCode.WRITER_ENDED,
        why
            + "; nothing was applied now. Ask for a new writer's id, and read the rows of batches"
            + " in doubt");
  }

  /** The batch is answered. */
  public void answered(int partition, Numbered batch, WriteResult result, long micros) {
    Answered answered =
        new Answered(
            batch.number(),
            result.firstPosition(),
            result.appliedRows(),
            AnswerCodec.encode(result.rejections(), result.returned()),
            micros);
    raised.add(partition);
    if (result.appliedRows() > 0) {
      of(partition).applied(batch.writer(), answered);
    } else {
      of(partition).rejected(batch.writer(), answered);
    }
  }

  /** A batch of the log is read again, because the table may lack it. */
  public void saw(ChangeBatch batch) {
    for (WrittenRows written : WrittenRows.of(batch)) {
      raised.add(batch.partition());
      of(batch.partition())
          .applied(
              written.writer(),
              new Answered(
                  written.number(),
                  batch.basePosition() + written.first(),
                  written.rows(),
                  written.answer(),
                  batch.commitMicros()));
    }
  }

  /**
   * What is to be stored with the next write to the table: by {@code u32} partition and writer, or
   * partition alone for what was forgotten; no bytes for what is to be removed.
   */
  public Map<Bytes, Bytes> takeRaised() {
    return takeRaised(Set.copyOf(raised));
  }

  /**
   * As {@link #takeRaised()}, of some partitions: of a log that nodes share, what is known of
   * writers is stored with the rows and the position of the same replica, and never before.
   */
  public Map<Bytes, Bytes> takeRaised(Set<Integer> partitions) {
    Map<Bytes, Bytes> taken = new HashMap<>();
    for (int partition : partitions) {
      if (!raised.remove(partition)) {
        continue;
      }
      WriterCore core = of(partition);
      Map<Bytes, Optional<Answered>> changed = core.takeChanged();
      changed.forEach(
          (writer, answered) ->
              taken.put(key(partition, writer), answered.map(Writers::encode).orElse(Bytes.EMPTY)));
      forgotten += changed.values().stream().filter(Optional::isEmpty).count();
      boolean isRaised = raisedFloors.remove(partition);
      if (isRaised || changed.containsValue(Optional.<Answered>empty())) {
        taken.put(key(partition, Bytes.EMPTY), core.floor());
      }
    }
    return taken;
  }

  /** What removes all that is stored of a partition. */
  public static Map<Bytes, Bytes> without(int partition, Set<Bytes> stored) {
    Map<Bytes, Bytes> removed = new HashMap<>();
    for (Bytes key : stored) {
      if (Binary.getInt(key.toByteArray(), 0) == partition) {
        removed.put(key, Bytes.EMPTY);
      }
    }
    return removed;
  }

  private static Bytes key(int partition, Bytes writer) {
    ByteSink sink = new ByteSink(Integer.BYTES + writer.length());
    sink.writeInt(partition);
    sink.write(writer);
    return Bytes.copyOf(sink.array(), 0, sink.size());
  }

  private static Bytes encode(Answered answered) {
    ByteSink sink = new ByteSink(28 + answered.answer().length());
    sink.writeLong(answered.number());
    sink.writeLong(answered.position());
    sink.writeInt(answered.rows());
    sink.writeLong(answered.micros());
    sink.write(answered.answer());
    return Bytes.copyOf(sink.array(), 0, sink.size());
  }

  private static Answered decode(Bytes stored) {
    byte[] array = stored.toByteArray();
    return new Answered(
        Binary.getLong(array, 0),
        Binary.getLong(array, 8),
        Binary.getInt(array, 16),
        Bytes.copyOf(array, 28, array.length - 28),
        Binary.getLong(array, 20));
  }

  /** The partition is gone. */
  public void drop(int partition) {
    byPartition.remove(partition);
    raised.remove(partition);
    raisedFloors.remove(partition);
  }
}
