package io.tunnel.server.partition.judge;

import io.tunnel.codec.Binary;
import io.tunnel.codec.ByteSink;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.WrittenRows;
import io.tunnel.core.WriterCore;
import io.tunnel.core.WriterCore.Answered;
import io.tunnel.core.WriterCore.Dated;
import io.tunnel.core.WriterCore.Numbered;
import io.tunnel.core.WriterCore.Verdict;
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
 * The idempotent producers: writers that number their batches, of each partition of a shard. They
 * are stored by the very write to the table that folds the group of their batches, or by an earlier
 * one; the log has what the table lacks.
 *
 * <p>{@link WriterLimits} bound what all partitions keep: over a limit a partition drops an answer,
 * or forgets a writer. A start drops what it reads in the same way, as it reads. For the shard's
 * thread.
 */
public final class Writers {

  /** Where the answer begins in the stored bytes of a writer. */
  private static final int ANSWER_OFFSET = 36;

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

  /** What {@link #takeRaised} gave before, in any order. */
  @FunctionalInterface
  public interface Stored {
    /** Shows each key and its value, one at a time. */
    void forEach(BiConsumer<Bytes, Bytes> visitor);
  }

  /** Writers that resume from stored ones, within the default limits of a server with one shard. */
  public Writers(Map<Bytes, Bytes> stored) {
    this(stored::forEach, WriterLimits.DEFAULT.of(1), AnswerCodec::shortened);
  }

  /**
   * Writers that resume from stored ones.
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
    Bytes whose = Bytes.copyOf(bytes, Integer.BYTES, bytes.length - Integer.BYTES);
    if (whose.length() <= Long.BYTES) {
      core.restoreFloor(whose, Binary.getLong(value.toByteArray(), 0));
    } else {
      core.restore(whose, decode(value.toByteArray()));
      dropSurplus();
    }
  }

  /** The table has these writers of a partition, of which nothing is known. */
  public void restore(int partition, Map<Bytes, Bytes> stored) {
    stored.forEach((whose, value) -> restore(key(partition, whose), value));
    of(partition).restored();
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
              + batch.rowCount(),
          0);
    }
    repeated++;
    WriteResult result =
        new WriteResult(answered.position(), answered.rows(), rejections)
            .numbered(AnswerCodec.firstNumber(answered.answer()));
    return Optional.of(
        result.returning(AnswerCodec.returned(answered.answer(), batch, rejections)));
  }

  private static Optional<Answered> answerOf(Verdict verdict) {
    if (verdict instanceof Verdict.Ended ended) {
      throw ended(ended.why(), ended.dateMicros());
    }
    return verdict instanceof Verdict.Repeated repeated
        ? Optional.of(repeated.answered())
        : Optional.empty();
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

  /**
   * The refusal of a batch that must not be applied.
   *
   * @param dateMicros a date under which the writer is taken; 0 for any later one than it had
   */
  public static RefusedException ended(String why, long dateMicros) {
    return RefusedException.writerEnded(
        why
            + "; nothing was applied now. Date the writer's id again, and read the rows of batches"
            + " in doubt",
        dateMicros);
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
    dropSurplus();
  }

  /** Answers of the log are read again, because the table may lack them. */
  public void saw(ChangeBatch answers) {
    for (WrittenRows written : WrittenRows.of(answers)) {
      raised.add(answers.partition());
      of(answers.partition())
          .applied(
              written.writer(),
              new Answered(
                  written.number(),
                  written.rows() == 0 ? 0 : answers.basePosition() + written.first(),
                  written.rows(),
                  written.answer(),
                  answers.commitMicros()));
      dropSurplus();
    }
  }

  /**
   * What is to be stored with the next write to the table: by {@code u32} partition, principal and
   * id a writer, and by partition alone or with a principal a floor; no bytes for what is to be
   * removed.
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
      WriterCore.Changes changes = of(partition).takeChanged();
      changes
          .writers()
          .forEach(
              (id, known) ->
                  taken.put(key(partition, id), known.map(Writers::encode).orElse(Bytes.EMPTY)));
      changes
          .floors()
          .forEach(
              (principal, floor) ->
                  taken.put(
                      key(partition, principal), floor.map(Writers::encode).orElse(Bytes.EMPTY)));
      forgotten += changes.writers().values().stream().filter(Optional::isEmpty).count();
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

  private static Bytes key(int partition, Bytes whose) {
    ByteSink sink = new ByteSink(Integer.BYTES + whose.length());
    sink.writeInt(partition);
    sink.write(whose);
    return Bytes.copyOf(sink.array(), 0, sink.size());
  }

  private static Bytes encode(long floor) {
    ByteSink sink = new ByteSink(Long.BYTES);
    sink.writeLong(floor);
    return Bytes.copyOf(sink.array(), 0, sink.size());
  }

  private static Bytes encode(Dated writer) {
    Answered answered = writer.answered();
    ByteSink sink = new ByteSink(ANSWER_OFFSET + answered.answer().length());
    sink.writeLong(writer.dateMicros());
    sink.writeLong(answered.number());
    sink.writeLong(answered.position());
    sink.writeInt(answered.rows());
    sink.writeLong(answered.micros());
    sink.write(answered.answer());
    return Bytes.copyOf(sink.array(), 0, sink.size());
  }

  private static Dated decode(byte[] array) {
    Answered answered =
        new Answered(
            Binary.getLong(array, 8),
            Binary.getLong(array, 16),
            Binary.getInt(array, 24),
            Bytes.copyOf(array, ANSWER_OFFSET, array.length - ANSWER_OFFSET),
            Binary.getLong(array, 28));
    return new Dated(Binary.getLong(array, 0), answered);
  }

  /** The partition is gone. */
  public void drop(int partition) {
    WriterCore gone = byPartition.remove(partition);
    if (gone != null) {
      gone.writers().forEach(memory.of(partition)::forgot);
    }
    raised.remove(partition);
  }
}
