package io.tunnel.it.sim.truth;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.WriterNumber;
import io.tunnel.it.sim.machine.SimConnection;
import io.tunnel.it.sim.watch.ClientHome;
import io.tunnel.it.sim.watch.WatchedLog;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.sdk.RowResult;
import io.tunnel.sdk.RowResult.Outcome;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.WriteRequest;
import io.tunnel.wire.WriteResult;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * What the SDK told programs of their rows, compared with the log and with the frames that the SDK
 * sent. The value of a row names its writer and its place in the order of the writer's rows.
 */
public final class WrittenTruth {

  /** Refusals after which a write may be applied all the same. */
  private static final Set<ErrorCode> UNSURE =
      EnumSet.of(ErrorCode.STORAGE_FAILED, ErrorCode.INTERNAL, ErrorCode.OUTCOME_UNKNOWN);

  private final ClientHome home;
  private final Consumer<Did> counts;
  private final List<Writer> writers = new ArrayList<>();
  private final Map<Long, Row> rowByValue = new HashMap<>();
  private final Map<Attempt, Sent> attempts = new HashMap<>();
  private final Map<Bytes, Writer> writerById = new HashMap<>();

  /** How many rows programs were told to be applied, by partition. */
  private final Map<Integer, Long> applied = new HashMap<>();

  /** Writers that sent a batch without a number; see {@link #isNumbered}. */
  private final Set<Writer> without = new HashSet<>();

  /** What became of a row, or of a batch on its way. */
  public enum Did {
    IN_DOUBT,
    NOT_SENT,
    REPEATED
  }

  private record Attempt(SimConnection connection, int correlationId) {}

  /** A request, with its rows by their indexes. */
  private record Sent(Map<Integer, Row> rows, long nanos) {}

  /** The number of a batch, and the values of its rows. */
  private record BatchNumber(long number, List<Long> values) {}

  /** A writer of the SDK. */
  public final class Writer {
    private final long valuesFrom;
    private final boolean isSynced;
    private final long requestNanos;
    private final List<Row> rows = new ArrayList<>();

    /** The number of the last batch that was sent, by partition. */
    private final Map<Integer, BatchNumber> lastNumbers = new HashMap<>();

    private Optional<Bytes> id = Optional.empty();
    private long last;

    private Writer(boolean isSynced, long requestNanos) {
      this.valuesFrom = NumberedTruth.VALUES_FROM * (writers.size() + 1);
      this.isSynced = isSynced;
      this.requestNanos = requestNanos;
    }

    /** The value of the next row. */
    public long nextValue() {
      return valuesFrom + ++last;
    }

    /** The program is about to give the writer a row. */
    public Row added(int partition, RowChange change) {
      Optional<Long> value =
          change instanceof RowDeleteChange ? Optional.empty() : Optional.of(valuesFrom + last);
      Row row = new Row(this, home.log(partition), change, value);
      rows.add(row);
      value.ifPresent(each -> rowByValue.put(each, row));
      return row;
    }

    /** How many rows have no outcome. */
    public long open() {
      return rows.stream().filter(row -> row.result.isEmpty()).count();
    }
  }

  /** A row that a program gave a writer. */
  public final class Row {
    private final Writer writer;
    private final WatchedLog partition;
    private final RowChange change;

    /** The value under which the log has the row; a DELETE has none. */
    private final Optional<Long> value;

    private final long addedNanos;
    private final long lossesBefore;
    private final long restoresBefore;
    private Optional<RowResult> result = Optional.empty();
    private int sent;

    /** Requests with the row of which a server said that they did not apply the row. */
    private int refused;

    /** Requests with the row whose answer did not come in time. */
    private int unanswered;

    private Row(Writer writer, WatchedLog partition, RowChange change, Optional<Long> value) {
      this.writer = writer;
      this.partition = partition;
      this.change = change;
      this.value = value;
      this.addedNanos = home.agenda().nowNanos();
      this.lossesBefore = partition.losses();
      this.restoresBefore = partition.restores();
    }

    /** The SDK told the program what became of the row. */
    public void ended(RowResult told) {
      Invariant.OUTCOMES_HOLD.require(
          result.isEmpty(), "%s was %s and is now %s", this, result, told);
      result = Optional.of(told);
      Invariant.CHOSEN_NUMBERS_ARE_TOLD.require(
          told.key().isPresent() == (told.isApplied() && change.primaryKey().isToBeNumbered()),
          "%s is %s under the key %s",
          this,
          told.outcome(),
          told.key());
      switch (told.outcome()) {
        case APPLIED -> {
          applied.merge(told.partition(), 1L, Long::sum);
          requireThere(told);
        }
        case IN_DOUBT -> {
          counts.accept(Did.IN_DOUBT);
          Invariant.ONLY_DOUBTED_IN_DOUBT.require(
              value.isEmpty() || unanswered > 0,
              "%s is IN_DOUBT, and each of its %d requests was answered: %s",
              this,
              sent,
              told.message());
        }
        case NOT_SENT -> counts.accept(Did.NOT_SENT);
        case REJECTED -> {}
      }
    }

    /** Whether no power loss and no restore can have taken the row away. */
    private boolean mustStay() {
      return partition.restores() == restoresBefore
          && (writer.isSynced || partition.losses() == lossesBefore);
    }

    private boolean mayBeCut(long position) {
      return partition.mayBeCut(addedNanos, position);
    }

    private void requireThere(RowResult told) {
      partition.learn();
      if (partition.isGone() || !mustStay() || mayBeCut(told.position())) {
        return;
      }
      Invariant holds =
          told.key().isPresent() ? Invariant.CHOSEN_NUMBERS_ARE_TOLD : Invariant.OUTCOMES_HOLD;
      holds.require(
          told.partition() == partition.partition() && isAt(told.position()),
          "%s is APPLIED as %s at position %d of partition %d, and the log has %s there",
          this,
          primaryKey(),
          told.position(),
          told.partition(),
          partition.at(told.position()).map(PartitionTruth.Change::text));
    }

    private boolean isAt(long position) {
      return partition
          .at(position)
          .map(PartitionTruth.Change::record)
          .filter(there -> there.getPrimaryKey().equals(primaryKey()))
          .filter(there -> NumberedTruth.valueOf(there).equals(value))
          .isPresent();
    }

    /** With the number that the program was told, where the server chose one. */
    private PrimaryKey primaryKey() {
      return result.flatMap(RowResult::key).orElse(change.primaryKey());
    }

    private Bytes key() {
      return RowFold.encode(primaryKey());
    }

    @Override
    public String toString() {
      return "row " + change + " of partition " + partition.partition();
    }
  }

  /**
   * Knows nothing yet.
   *
   * @param counts is told what becomes of rows
   */
  public WrittenTruth(ClientHome home, Consumer<Did> counts) {
    this.home = home;
    this.counts = counts;
  }

  /**
   * A program opens a writer.
   *
   * @param isSynced whether acknowledged rows survive power loss
   * @param requestNanos after which time the writer waits for an answer no more
   */
  public Writer writer(boolean isSynced, long requestNanos) {
    Writer writer = new Writer(isSynced, requestNanos);
    writers.add(writer);
    return writer;
  }

  /** A client sends a write. */
  public void sent(SimConnection connection, Frame frame) {
    WriteRequest write = WriteRequest.decode(frame.payload());
    Map<Integer, Row> rows = new TreeMap<>();
    List<Long> values = new ArrayList<>();
    List<PartitionTruth.Change> changes = PartitionTruth.changesOf(write.batch());
    for (int i = 0; i < changes.size(); i++) {
      int index = i;
      NumberedTruth.valueOf(changes.get(i).record())
          .ifPresent(
              value -> {
                values.add(value);
                Optional.ofNullable(rowByValue.get(value)).ifPresent(row -> rows.put(index, row));
              });
    }
    for (Row row : rows.values()) {
      row.sent++;
      row.unanswered++;
      if (row.sent > 1) {
        counts.accept(Did.REPEATED);
      }
      Invariant.OUTCOMES_HOLD.require(
          row.result.isEmpty(), "%s is sent, and was %s before", row, row.result);
    }
    attempts.put(
        new Attempt(connection, frame.correlationId()), new Sent(rows, home.agenda().nowNanos()));
    if (!rows.isEmpty()) {
      requireNumber(rows.values().iterator().next().writer, write.batch(), values);
    }
  }

  /**
   * Each batch has a number. A writer has one id, which no other writer has; of one id in one
   * partition, each batch has a number of its own, above all numbers before.
   */
  private void requireNumber(Writer writer, ChangeBatch batch, List<Long> values) {
    Optional<WriterNumber> by = WriterNumber.of(batch);
    Invariant.NUMBERS_RISE.require(
        by.isPresent() || home.mayLackNumbers(),
        "partition %d is sent %s without a number",
        batch.partition(),
        values);
    if (by.isEmpty()) {
      without.add(writer);
      return;
    }
    byte[] token = by.get().token().toByteArray();
    Bytes id = Bytes.copyOf(token, Long.BYTES, token.length - Long.BYTES);
    Writer known = writerById.putIfAbsent(id, writer);
    Invariant.NUMBERS_RISE.require(
        (known == null || known == writer) && (writer.id.isEmpty() || writer.id.get().equals(id)),
        "a writer sends %s under the id of another writer, or under a second id",
        values);
    writer.id = Optional.of(id);
    BatchNumber now = new BatchNumber(by.get().number(), values);
    BatchNumber last = writer.lastNumbers.put(batch.partition(), now);
    Invariant.NUMBERS_RISE.require(
        last == null || now.number() > last.number() || now.equals(last),
        "partition %d is sent batch %s of a writer after batch %s",
        batch.partition(),
        now,
        last);
  }

  /** A server answers a write, or refuses it; the client may never read that. */
  public void said(SimConnection connection, Frame frame) {
    Sent sent = attempts.get(new Attempt(connection, frame.correlationId()));
    if (sent == null) {
      return;
    }
    if (frame.kind() == FrameKind.ERROR) {
      if (!UNSURE.contains(ErrorPayload.decode(frame.payload()).code())) {
        sent.rows().values().forEach(row -> row.refused++);
      }
    } else {
      WriteResult.decode(frame.payload()).rejections().stream()
          .map(rejection -> sent.rows().get(rejection.rowIndex()))
          .filter(row -> row != null)
          .forEach(row -> row.refused++);
    }
  }

  /** How many rows of a partition programs were told to be applied. */
  public long applied(int partition) {
    return applied.getOrDefault(partition, 0L);
  }

  /** A client reads the answer to a write, or its refusal. */
  public void answered(SimConnection connection, Frame frame) {
    Sent sent = attempts.remove(new Attempt(connection, frame.correlationId()));
    if (sent != null && !isOfNoUse(frame)) {
      long nanos = home.agenda().nowNanos() - sent.nanos();
      sent.rows().values().stream()
          .filter(row -> nanos < row.writer.requestNanos)
          .forEach(row -> row.unanswered--);
    }
  }

  /**
   * Whether the writer of a value, as {@link NumberedTruth#valueOf} finds the value, has sent no
   * batch without a number: then its rows are in order, each once.
   */
  public boolean isNumbered(long value) {
    return !without.contains(writers.get((int) (value / NumberedTruth.VALUES_FROM) - 1));
  }

  /** Whether a server answers that it does not know what became of a write. */
  private static boolean isOfNoUse(Frame frame) {
    return frame.kind() == FrameKind.ERROR
        && ErrorPayload.decode(frame.payload()).code() == ErrorCode.OUTCOME_UNKNOWN;
  }

  // What must hold when all is quiet.

  /**
   * Rows that were said to be applied are there, and rows that were said not to be are not. No row
   * is there more often than it was sent in requests that no server has refused.
   */
  public void requireDone() {
    Map<Integer, Map<Long, Integer>> timesByPartition = new HashMap<>();
    for (Writer writer : writers) {
      Map<Bytes, Long> lastByKey = new HashMap<>();
      for (Row row : writer.rows) {
        if (!row.partition.isGone()) {
          Map<Long, Integer> times =
              timesByPartition.computeIfAbsent(
                  row.partition.partition(), any -> timesOf(row.partition));
          if (!row.mayBeCut(Long.MAX_VALUE)) {
            requireNoneOfRefused(row, times);
          }
          row.result.ifPresent(told -> requireSo(row, told, times, lastByKey));
        }
      }
    }
  }

  /** How often each value is in the log of a partition. */
  private static Map<Long, Integer> timesOf(WatchedLog partition) {
    Map<Long, Integer> times = new HashMap<>();
    for (Optional<Long> at = partition.after(0); at.isPresent(); at = partition.after(at.get())) {
      NumberedTruth.valueOf(partition.at(at.get()).orElseThrow().record())
          .ifPresent(value -> times.merge(value, 1, Integer::sum));
    }
    return times;
  }

  private static void requireNoneOfRefused(Row row, Map<Long, Integer> times) {
    int there = row.value.map(value -> times.getOrDefault(value, 0)).orElse(0);
    Invariant.OUTCOMES_HOLD.require(
        there <= row.sent - row.refused,
        "%s is in the log %d times; it was sent %d times, and refused %d times",
        row,
        there,
        row.sent,
        row.refused);
  }

  private void requireSo(
      Row row, RowResult told, Map<Long, Integer> times, Map<Bytes, Long> lastByKey) {
    if (told.outcome() == Outcome.APPLIED && row.mustStay() && !row.mayBeCut(told.position())) {
      Invariant.OUTCOMES_HOLD.require(
          row.isAt(told.position()), "%s was APPLIED, and is not there any more", row);
      Long before = lastByKey.put(row.key(), told.position());
      Invariant.ORDER_PER_CLIENT.require(
          before == null || before < told.position() || without.contains(row.writer),
          "%s was APPLIED at %d, and the row before it of the same key at %d",
          row,
          told.position(),
          before);
    } else if (told.outcome() == Outcome.NOT_SENT || told.outcome() == Outcome.REJECTED) {
      Invariant.OUTCOMES_HOLD.require(
          row.value.isEmpty()
              || !times.containsKey(row.value.get())
              || row.mayBeCut(Long.MAX_VALUE),
          "%s was %s, and is in the log",
          row,
          told.outcome());
    }
  }
}
