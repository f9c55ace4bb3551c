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
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * The writers that number their batches, of each partition of a shard. They are stored by the very
 * write to the table that folds the group of their batches, or by an earlier one; the log has what
 * the table lacks.
 *
 * <p>{@link WriterLimits} bound what all partitions keep: over a limit a partition drops an answer,
 * or forgets a writer. A start drops what it reads in the same way, as it reads. For the shard's
 * thread.
 */
public final class Writers {

  /** Batches that came again and got their first answer, since {@link #taken}. */
  private long repeated;

  /** Writers that were forgotten since {@link #taken}. */
  private long forgotten;

  /** Answers that were dropped since {@link #taken}. */
  private long dropped;

  private final Function<WriterCore.Memory, WriterCore> first;
  private final UnaryOperator<Bytes> shorter;
  private final WriterMemory memory;
  private final Map<Integer, WriterCore> byPartition = new HashMap<>();

  /** Partitions that may have something to store. */
  private final Set<Integer> raised = new HashSet<>();

  /** Partitions whose floor is to be stored, also when nobody was forgotten. */
  private final Set<Integer> raisedFloors = new HashSet<>();

  /** What {@link #takeRaised} gave before, in any order. */
  @FunctionalInterface
  public interface Stored {
    /** Shows each key and its value, one at a time. */
    void forEach(BiConsumer<Bytes, Bytes> visitor);
  }

  /** Writers that go on from stored ones, within the default limits of a server with one shard. */
  public Writers(Map<Bytes, Bytes> stored) {
    this(stored::forEach, WriterLimits.DEFAULT.of(1), AnswerCodec::shortened);
  }

  /**
   * Writers that go on from stored ones.
   *
   * @param shorter drops most of an answer, as {@link AnswerCodec#shortened} does
   */
  public Writers(Stored stored, WriterLimits.Share limits, UnaryOperator<Bytes> shorter) {
    this(stored, limits, shorter, WriterCore::new);
  }

  /** As the other constructor, with a core of its own for each partition. */
  public Writers(
      Stored stored,
      WriterLimits.Share limits,
      UnaryOperator<Bytes> shorter,
      Function<WriterCore.Memory, WriterCore> first) {
    this.first = first;
    this.shorter = shorter;
    this.memory = new WriterMemory(limits);
    stored.forEach(this::restore);
    byPartition.values().forEach(WriterCore::restored);
  }

  private void restore(Bytes key, Bytes value) {
    byte[] bytes = key.toByteArray();
    WriterCore core = of(Binary.getInt(bytes, 0));
    if (bytes.length == Integer.BYTES) {
      core.restoreFloor(value);
    } else {
      core.restore(Bytes.copyOf(bytes, Integer.BYTES, bytes.length - Integer.BYTES), decode(value));
      dropSurplus();
    }
  }

  /** Drops answers and forgets writers until all that is kept is within the limits. */
  private void dropSurplus() {
    for (var over = memory.surplusAnswer(); over.isPresent(); over = memory.surplusAnswer()) {
      of(over.get().partition()).shorten(over.get().writer(), shorter);
      memory.shortened(over.get());
      dropped++;
    }
    for (var over = memory.surplusWriter(); over.isPresent(); over = memory.surplusWriter()) {
      raised.add(over.get().partition());
      of(over.get().partition()).forget(over.get().writer());
    }
  }

  private WriterCore of(int partition) {
    return byPartition.computeIfAbsent(partition, id -> first.apply(memory.of(id)));
  }

  /**
   * The answer to a batch that was answered before; empty for a batch that is to be applied.
   *
   * @throws RefusedException WRITER_ENDED when it cannot be known whether the batch was applied
   */
  public Optional<WriteResult> repeated(ChangeBatch batch, Numbered by, long nowMicros) {
    memory.belongs(batch.partition(), by.writer(), by.principal());
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
    WriteResult result =
        new WriteResult(answered.position(), answered.rows(), rejections)
            .numbered(AnswerCodec.firstNumber(answered.answer()));
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
    memory.belongs(partition, batch.writer(), batch.principal());
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

  /**
   * What happened since the last call, and what is kept.
   *
   * @param repeated batches that came again and got their first answer
   * @param forgotten writers that were forgotten; each counts when that is stored
   * @param dropped answers that were dropped to save memory
   * @param count writers that all partitions know
   * @param answerBytes bytes of answers that all partitions keep, but for short answers
   */
  public record Figures(
      long repeated, long forgotten, long dropped, long count, long answerBytes) {}

  /** The figures since the last call. */
  public Figures taken() {
    Figures taken = new Figures(repeated, forgotten, dropped, memory.count(), memory.answerBytes());
    repeated = 0;
    forgotten = 0;
    dropped = 0;
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
    dropSurplus();
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
            AnswerCodec.encode(result.rejections(), result.returned(), result.firstNumber()),
            micros);
    raised.add(partition);
    if (result.appliedRows() > 0) {
      of(partition).applied(batch.writer(), answered);
    } else {
      of(partition).rejected(batch.writer(), answered);
    }
    memory.belongs(partition, batch.writer(), batch.principal());
    dropSurplus();
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
      dropSurplus();
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

  /** The deletions that remove the stored state of a partition. */
  public static Map<Bytes, Bytes> without(int partition, Stored stored) {
    Map<Bytes, Bytes> removed = new HashMap<>();
    stored.forEach(
        (key, value) -> {
          if (Binary.getInt(key.toByteArray(), 0) == partition) {
            removed.put(key, Bytes.EMPTY);
          }
        });
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
    WriterCore gone = byPartition.remove(partition);
    if (gone != null) {
      gone.writers().forEach(memory.of(partition)::forgot);
    }
    raised.remove(partition);
    raisedFloors.remove(partition);
  }
}
