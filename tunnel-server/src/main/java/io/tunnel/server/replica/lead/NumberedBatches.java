package io.tunnel.server.replica.lead;

import io.tunnel.codec.Binary;
import io.tunnel.codec.ByteSink;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.WrittenBatch;
import io.tunnel.core.WriterCore;
import io.tunnel.core.WriterCore.Answered;
import io.tunnel.core.WriterCore.Numbered;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.partition.judge.AnswerCodec;
import io.tunnel.server.partition.judge.Writers;
import io.tunnel.server.replica.shared.SharedLog.Entry;
import io.tunnel.server.replica.shared.SharedLog.Kind;
import io.tunnel.server.replica.shared.SharedLog.Stored;
import io.tunnel.wire.ReturnedRow;
import io.tunnel.wire.WriteResult;
import io.tunnel.wire.WriteResult.Jump;
import io.tunnel.wire.WriteResult.Rejection;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The batches of writers that number, as the records of one partition tell of them: a function of
 * the log, so a new leader, which has read all up to its own marker, knows what the former knew.
 *
 * <p>The first record of a batch has the batch's writer, number and count of records. The other
 * records follow under the next sequences of the same epoch. What counts of an append is its
 * beginning, so what counts of a batch is its beginning too. A batch that ends early is answered by
 * what counts; the writer sends the other rows again under another number. A batch whose rows are
 * all rejected has one record, a repair, which says so.
 *
 * <p>A compacted log lacks old records. So a writer is known for {@link #keptMicros} after its last
 * batch, less than the log keeps every record, and a writer that is not known must be dated later:
 * whatever such a writer has written is whole in the log and was read. A hole in the log is proof
 * that records are gone, so writers from before the hole are forgotten.
 *
 * <p>For the shard's thread.
 */
public final class NumberedBatches {

  private final int partition;
  private final Writers writers;
  private final Port port;

  /** The batch of which a record was read last; empty behind the last record of a batch. */
  private Optional<Reading> reading;

  /** The time of the newest record that was read. */
  private long logMicros;

  /** Whether the log has lost records before the next one. */
  private boolean isBehindHole;

  /** What the partition's replica knows of time. */
  public interface Port {
    /** How long the shared log keeps every change; {@link Long#MAX_VALUE} for ever. */
    long retentionMicros(int partition);

    /** The wall clock. */
    long epochMicros();
  }

  /** A batch, as far as its records were read. */
  private static final class Reading {
    private final Bytes writer;
    private final long number;
    private final long epoch;
    private final long sequence;
    private final int records;
    private final Bytes answer;
    private final long position;
    private final List<Jump> jumps;
    private long micros;

    /** Records of rows that were read; 0 when all rows are rejected. */
    private int read;

    private long lastPosition;

    Reading(WrittenBatch batch, Stored first) {
      this.writer = batch.writer();
      this.number = batch.number();
      this.epoch = first.entry().epoch();
      this.sequence = first.entry().sequence();
      this.records = batch.records();
      this.answer = batch.answer();
      this.position = records == 0 ? 0 : first.offset();
      this.jumps = new ArrayList<>();
      this.read = Math.min(records, 1);
      this.lastPosition = first.offset();
      this.micros = first.timeMicros();
    }

    /** Goes on from what was stored. */
    Reading(Bytes writer, Answered stored, Told told) {
      this.writer = writer;
      this.number = stored.number();
      this.epoch = told.epoch();
      this.sequence = told.sequence();
      this.records = told.records();
      this.answer = told.answer();
      this.position = stored.position();
      this.jumps = new ArrayList<>(told.jumps());
      this.read = stored.rows();
      this.lastPosition =
          new WriteResult(position, read, List.of(), jumps, List.of())
              .positionOf(stored.rows() - 1);
      this.micros = stored.micros();
    }

    boolean isOf(Entry entry) {
      long index = entry.sequence() - sequence;
      boolean isRow = entry.kind() == Kind.CHANGE;
      return isRow && entry.epoch() == epoch && index > 0 && index < records;
    }

    /** Takes a record of the batch, unless the record was taken before a restart. */
    void add(Stored record) {
      if (record.entry().sequence() - sequence == read) {
        if (record.offset() != lastPosition + 1) {
          jumps.add(new Jump(read, record.offset()));
        }
        read++;
        lastPosition = record.offset();
        micros = Math.max(micros, record.timeMicros());
      }
    }

    Answered answered() {
      Told told = new Told(epoch, sequence, records, answer, jumps);
      return new Answered(number, position, read, told.encode(), micros);
    }
  }

  /**
   * The bytes that are kept of a batch: {@code u64} epoch and {@code u64} sequence of the first
   * record, a varint with the number of records, the answer to the whole batch behind a varint with
   * its length, and for each jump a varint with the number of the row and {@code u64} position.
   */
  private record Told(long epoch, long sequence, int records, Bytes answer, List<Jump> jumps) {

    Bytes encode() {
      ByteSink sink = new ByteSink(24 + answer.length() + 12 * jumps.size());
      sink.writeLong(epoch);
      sink.writeLong(sequence);
      sink.writeVarint(records);
      sink.writeVarint(answer.length());
      sink.write(answer);
      for (Jump jump : jumps) {
        sink.writeVarint(jump.applied());
        sink.writeLong(jump.position());
      }
      return Bytes.copyOf(sink.array(), 0, sink.size());
    }

    /** Without the answer where its bytes or positions are many. */
    Told shortened() {
      Bytes shorter = AnswerCodec.shortened(answer);
      return new Told(
          epoch,
          sequence,
          records,
          jumps.isEmpty() ? shorter : AnswerCodec.nothingKept(),
          List.of());
    }

    static Told decode(Bytes encoded) {
      byte[] array = encoded.toByteArray();
      long records = Binary.getVarint(array, 2 * Long.BYTES, array.length);
      long answerBytes = Binary.getVarint(array, Binary.next(records), array.length);
      int from = Binary.next(answerBytes);
      int at = from + Binary.value(answerBytes);
      Bytes answer = Bytes.copyOf(array, from, at - from);
      List<Jump> jumps = new ArrayList<>();
      while (at < array.length) {
        long applied = Binary.getVarint(array, at, array.length);
        at = Binary.next(applied) + Long.BYTES;
        jumps.add(new Jump(Binary.value(applied), Binary.getLong(array, at - Long.BYTES)));
      }
      return new Told(
          Binary.getLong(array, 0),
          Binary.getLong(array, Long.BYTES),
          Binary.value(records),
          answer,
          jumps);
    }
  }

  /** The part of what is kept of a batch that stays when memory is short. */
  public static Bytes shortened(Bytes kept) {
    return Told.decode(kept).shortened().encode();
  }

  /** Goes on from what {@code writers} were restored with. */
  public NumberedBatches(int partition, Writers writers, Port port) {
    this.partition = partition;
    this.writers = writers;
    this.port = port;
    this.reading = unfinished(writers.applied(partition));
  }

  /** The youngest batch of which records may be missing. */
  private static Optional<Reading> unfinished(Map<Bytes, Answered> stored) {
    Optional<Reading> youngest = Optional.empty();
    for (Map.Entry<Bytes, Answered> each : stored.entrySet()) {
      Told told = Told.decode(each.getValue().answer());
      boolean isYounger =
          youngest.isEmpty() || youngest.get().position < each.getValue().position();
      if (each.getValue().rows() < told.records() && isYounger) {
        youngest = Optional.of(new Reading(each.getKey(), each.getValue(), told));
      }
    }
    return youngest;
  }

  /** A record was read; {@code counts}: the record is a change or a repair that counts. */
  public void read(Stored record, boolean counts) {
    logMicros = Math.max(logMicros, record.timeMicros());
    if (isBehindHole) {
      // A writer that is dated later has nothing in the hole.
      isBehindHole = false;
      writers.forgetBefore(partition, record.timeMicros() + aheadMicrosMax());
    }
    if (!counts) {
      return;
    }
    Optional<WrittenBatch> begun =
        record.entry().attributes().length() == 0
            ? Optional.empty()
            : WrittenBatch.of(record.entry().attributes());
    if (begun.isPresent()) {
      settle();
      reading = Optional.of(new Reading(begun.get(), record));
    } else if (reading.isPresent() && reading.get().isOf(record.entry())) {
      reading.get().add(record);
    } else if (reading.isPresent()) {
      settle();
      reading = Optional.empty();
    }
  }

  /** The log has given up records before the next one; nobody knows whose. */
  public void skipped() {
    settle();
    reading = Optional.empty();
    isBehindHole = true;
  }

  /** What was read is to be stored, or to be judged by. */
  public void settle() {
    reading.ifPresent(batch -> writers.applied(partition, batch.writer, batch.answered()));
  }

  /** How long a writer is known after its last batch. */
  private long keptMicros() {
    return Math.min(WriterCore.KEPT_MICROS, port.retentionMicros(partition) / 2);
  }

  /** How far the date of a writer may be ahead. */
  private long aheadMicrosMax() {
    return Math.min(WriterCore.AHEAD_MICROS, port.retentionMicros(partition) / 4);
  }

  /**
   * The answer to a batch of which rows count, or were rejected, before; empty for a batch that is
   * to be appended. All that was read is folded, and nothing is under way.
   *
   * @param batch the rows
   * @throws RefusedException WRITER_ENDED when the batch must not be appended
   */
  Optional<WriteResult> repeated(Numbered by, ChangeBatch batch) {
    settle();
    long now = Math.max(port.epochMicros(), logMicros);
    return writers
        .answerTo(partition, by, now, now - keptMicros(), aheadMicrosMax())
        .map(answered -> result(answered, batch));
  }

  /** The rows behind the first row that does not count are to be sent again. */
  private static WriteResult result(Answered answered, ChangeBatch batch) {
    int rows = batch.rowCount();
    Told told = Told.decode(answered.answer());
    List<Rejection> rejected = AnswerCodec.rejections(told.answer());
    SettledRows settled = SettledRows.of(rejected, rows, answered.rows(), rows);
    if (settled.applied() < answered.rows()) {
      throw Writers.ended(
          "batch " + answered.number() + " of the writer comes again with " + rows + " rows", 0);
    }
    List<ReturnedRow> returned = AnswerCodec.returned(told.answer(), batch, rejected);
    return new WriteResult(
        answered.position(),
        settled.applied(),
        settled.rejections(),
        told.jumps(),
        settled.returned(returned));
  }
}
