package io.tunnel.it.sim.truth;

import io.tunnel.codec.WriterNumber;
import io.tunnel.it.sim.machine.WireLink;
import io.tunnel.model.value.Bytes;
import io.tunnel.sdk.processor.StreamRecord;
import io.tunnel.wire.WriteRequest;
import io.tunnel.wire.WriteResult;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongPredicate;

/**
 * What was answered to batches that writers number: a repetition gets the first answer, and a batch
 * is applied only where the batch before it is.
 */
public final class NumberedTruth {

  /**
   * The values of rows in numbered batches are above. The quotient of a value names the writer, and
   * the values of a writer rise from batch to batch in a partition.
   */
  public static final long VALUES_FROM = 1_000_000_000_000L;

  private final Map<Batch, Answer> answers = new HashMap<>();

  /** The request with which a batch came first. */
  private final Map<Batch, WireLink.Request> first = new HashMap<>();

  private record Batch(Bytes token, int partition, long number) {}

  private record Answer(WriteResult result, int server) {}

  /** The value of a change of a numbered batch. */
  public static Optional<Long> valueOf(StreamRecord record) {
    return record.getColumns().stream()
        .filter(column -> column.getColumn().getName().equals("v"))
        .map(column -> column.getColumn().getValue())
        .filter(value -> value != null)
        .map(value -> value.asLong())
        .filter(value -> value > VALUES_FROM)
        .findFirst();
  }

  /**
   * The values of numbered batches in a partition rise: no batch is there twice or out of order.
   */
  public static final class Rising {

    /** By writer, as the quotients of values name them. */
    private final Map<Long, Long> last = new HashMap<>();

    private final LongPredicate isNumbered;

    /** Every value is of a writer that numbers all its batches. */
    public Rising() {
      this(value -> true);
    }

    /** Only values that {@code isNumbered} accepts must rise. */
    public Rising(LongPredicate isNumbered) {
      this.isNumbered = isNumbered;
    }

    /** Takes the next change of the partition. */
    public void require(int partition, StreamRecord record) {
      Optional<Long> value = valueOf(record);
      if (value.isPresent()) {
        Long before = last.put(value.get() / VALUES_FROM, value.get());
        Invariant.ORDER_PER_CLIENT.require(
            before == null || value.get() > before || !isNumbered.test(value.get()),
            "partition %d has value %d of a numbered batch behind value %d",
            partition,
            value.get(),
            before);
      }
    }

    /** What was read is read again. */
    public void clear() {
      last.clear();
    }
  }

  private static Optional<Batch> of(WriteRequest write) {
    return WriterNumber.of(write.batch())
        .map(by -> new Batch(by.token(), write.batch().partition(), by.number()));
  }

  /** A write has arrived at the server. */
  void arrived(WriteRequest write, WireLink.Request request) {
    of(write).ifPresent(batch -> first.putIfAbsent(batch, request));
  }

  /** The request with which the batch of a write came first. */
  WireLink.Request first(WriteRequest write, WireLink.Request now) {
    return of(write).map(batch -> first.getOrDefault(batch, now)).orElse(now);
  }

  /** A write was answered by a server, which has a number. */
  public void answered(WriteRequest write, WriteResult result, int server) {
    Optional<Batch> of = of(write);
    if (of.isEmpty()) {
      return;
    }
    Batch batch = of.get();
    Answer first = answers.putIfAbsent(batch, new Answer(result, server));
    if (first != null && !first.result().equals(result)) {
      // What was rejected as a whole is in no log.
      boolean mayDiffer = first.result().appliedRows() == 0 && first.server() != server;
      Invariant.APPLIED_ONCE.require(
          mayDiffer, "%s was answered with %s and now with %s", batch, first.result(), result);
      answers.put(batch, new Answer(result, server));
    }
    long after = WriterNumber.of(write.batch()).orElseThrow().after();
    Invariant.APPLIED_ONCE.require(
        after == 0
            || result.appliedRows() == 0
            || answers.containsKey(new Batch(batch.token(), batch.partition(), after)),
        "%s was applied behind batch %d, which is lost",
        batch,
        after);
  }

  /** A partition has lost what was behind a position. */
  public void lost(int partition, long committed) {
    first.replaceAll(
        (batch, request) ->
            batch.partition() == partition ? request.cut(partition, committed) : request);
    answers
        .entrySet()
        .removeIf(
            each ->
                each.getKey().partition() == partition
                    && each.getValue().result().appliedRows() > 0
                    && each.getValue().result().firstPosition() > committed);
  }
}
