package io.tunnel.sdk.write;

import io.tunnel.codec.Attributes;
import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.FormatFeature;
import io.tunnel.codec.SessionProof;
import io.tunnel.codec.WriterNumber;
import io.tunnel.model.Limits;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.sdk.RowCallback;
import io.tunnel.sdk.write.LaneCore.Misrouted;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Rows of one partition in one request. The lock of its lane guards a growing batch; a closed batch
 * belongs to the thread that took it from the lane's queue.
 */
final class Batch {

  private static final ByteBuffer NOT_BUILT = ByteBuffer.allocate(0);

  /** Number and length of {@link FormatFeature#ATOMIC}, and the length of a list. */
  private static final int ATOMIC_ATTRIBUTE_BYTES = 2 + Attributes.LENGTH_BYTES;

  /** Room for the attributes that say who wrote the batch, and in which session. */
  private static final int BYTES_MAX =
      Limits.BATCH_BYTES_MAX - WriterNumber.ATTRIBUTE_BYTES - SessionProof.ATTRIBUTE_BYTES;

  private static final int ATOMIC_BYTES_MAX =
      Limits.ATOMIC_BYTES_MAX
          - WriterNumber.ATTRIBUTE_BYTES
          - SessionProof.ATTRIBUTE_BYTES
          - ATOMIC_ATTRIBUTE_BYTES;

  private final List<RowChange> rows;
  private final List<RowCallback> callbacks;
  private final CompletableFuture<Void> done = new CompletableFuture<>();
  private final long startedNanos;
  private BatchBuilder builder;
  private int encodedBytes;
  private int partition;
  private ByteBuffer payload = NOT_BUILT;

  /** What the payload says of its writer; empty when nothing. */
  private Optional<WriterNumber> writer = Optional.empty();

  /** Whether an attempt to send the batch may have been applied although nobody knows. */
  private boolean isInDoubt;

  /** Refusals as misrouted, of this batch or of the batch that held its rows before. */
  private Optional<Misrouted> misrouted;

  /** Whether all rows are applied, or none. */
  private final boolean isAtomic;

  /** The session that the rows are bound to. */
  private final Optional<SessionProof> session;

  /**
   * Whether the outcome of the rows is settled, though callbacks may still run; on the event loop.
   */
  private boolean isSettled;

  /** Whether the batch leaves as soon as its lane is free, without lingering. */
  private boolean isDue;

  /** Rows whose {@link #counted} callback has returned, at most all; on the event loop. */
  private int countedRows;

  /** The expected size: a batch that stays below it never copies its buffer. */
  record Size(int rows, int bytes) {}

  /** What a batch is for: keys of a schema, and rows that a session may have. */
  record Form(List<PrimaryKeySchema> schema, Optional<SessionProof> session) {}

  Batch(Form form, Size guess, Optional<Misrouted> misrouted, long startedNanos) {
    this(form, guess, misrouted, startedNanos, false);
  }

  /** An empty batch all of whose rows will be applied, or none. */
  static Batch atomic(Form form, Optional<Misrouted> misrouted, long startedNanos) {
    return new Batch(form, new Size(8, 1_024), misrouted, startedNanos, true);
  }

  private Batch(
      Form form, Size guess, Optional<Misrouted> misrouted, long startedNanos, boolean isAtomic) {
    this.isAtomic = isAtomic;
    this.session = form.session();
    this.rows = new ArrayList<>(guess.rows());
    this.callbacks = new ArrayList<>(guess.rows());
    this.builder = new BatchBuilder(form.schema(), guess.bytes());
    session.ifPresent(builder::bind);
    this.encodedBytes = builder.byteCount();
    this.misrouted = misrouted;
    this.startedNanos = startedNanos;
  }

  /**
   * Adds a row; returns the bytes that the row takes, or -1 when the batch has no room for it.
   *
   * @throws IllegalArgumentException when the row can never be written; the batch is unchanged
   */
  int add(RowChange row, RowCallback callback) {
    boolean isFull = isAtomic && rows.size() == Limits.ATOMIC_ROWS_MAX;
    if (isFull || !builder.addWithin(isAtomic ? ATOMIC_BYTES_MAX : BYTES_MAX, row)) {
      return -1;
    }
    rows.add(row);
    callbacks.add(callback);
    int before = encodedBytes;
    encodedBytes = builder.byteCount();
    // The header counts with the first row.
    return rows.size() == 1 ? encodedBytes : encodedBytes - before;
  }

  /**
   * Adds the rows of an atomic batch.
   *
   * @throws IllegalArgumentException when a row can never be written, or the rows exceed the limits
   *     of an atomic batch
   */
  void addAll(List<RowChange> all, List<RowCallback> ofRows) {
    for (int i = 0; i < all.size(); i++) {
      if (add(all.get(i), ofRows.get(i)) < 0) {
        throw new IllegalArgumentException(
            "an atomic batch has at most "
                + Limits.ATOMIC_ROWS_MAX
                + " rows and "
                + Limits.ATOMIC_BYTES_MAX
                + " bytes; row "
                + i
                + " of "
                + all.size()
                + " is one too many");
      }
    }
  }

  /** The batch takes no more rows. */
  void close(int ofPartition) {
    partition = ofPartition;
    if (isAtomic || session.isPresent()) {
      builder.setAttributes(attributes());
    }
  }

  /** What the batch says of itself as a whole. */
  private Bytes attributes() {
    Bytes list = writer.map(WriterNumber::attributes).orElse(Bytes.EMPTY);
    Bytes all = isAtomic ? Attributes.atomic(list) : list;
    return session.isPresent() ? session.get().addTo(all) : all;
  }

  /**
   * Says who wrote the closed batch, or that nobody says. A batch that was encoded before is
   * encoded again into another array: the bytes of a former attempt may still be on their way.
   */
  void writtenBy(Optional<WriterNumber> next) {
    if (next.equals(writer)) {
      return;
    }
    if (isInDoubt) {
      throw new IllegalStateException("a batch in doubt would get another number");
    }
    writer = next;
    Bytes list = attributes();
    if (payload.limit() == 0) {
      builder.setAttributes(list);
    } else {
      byte[] sent = new byte[payload.limit()];
      payload.duplicate().get(sent);
      ChangeBatch former = ChangeBatch.parse(sent, 0, sent.length);
      payload = ByteBuffer.wrap(BatchBuilder.withAttributes(former, list));
    }
  }

  boolean isAtomic() {
    return isAtomic;
  }

  Optional<WriterNumber> writer() {
    return writer;
  }

  boolean isInDoubt() {
    return isInDoubt;
  }

  /** The answer to the batch is lost. */
  void doubt() {
    isInDoubt = true;
  }

  /** A view of the closed batch in its bytes, from its first byte to its last. */
  ByteBuffer payload() {
    if (payload.limit() == 0) {
      payload = builder.finish(partition);
      builder = null;
    }
    return payload.duplicate();
  }

  int rowCount() {
    return rows.size();
  }

  RowChange row(int index) {
    return rows.get(index);
  }

  RowCallback callback(int index) {
    return callbacks.get(index);
  }

  /**
   * The callback of a row for a batch whose rows end apart: in several batches, or in several
   * answers. The batch is {@link #done} when the callbacks of all rows have returned. On the event
   * loop only, once per row.
   */
  RowCallback counted(int index) {
    RowCallback callback = callbacks.get(index);
    return (row, result) -> {
      try {
        callback.completed(row, result);
      } finally {
        countedRows++;
        if (countedRows == rows.size()) {
          done.complete(null);
        }
      }
    };
  }

  /** The bytes that the budget is charged for the batch. */
  int encodedBytes() {
    return rows.isEmpty() ? 0 : encodedBytes;
  }

  long startedNanos() {
    return startedNanos;
  }

  Optional<Misrouted> misrouted() {
    return misrouted;
  }

  void misroutedAt(long nowNanos) {
    misrouted = Optional.of(misrouted.map(Misrouted::again).orElse(Misrouted.first(nowNanos)));
  }

  boolean isDue() {
    return isDue;
  }

  void makeDue() {
    isDue = true;
  }

  /** The outcome of the rows is settled; false when it was before. */
  boolean settle() {
    boolean isFirst = !isSettled;
    isSettled = true;
    return isFirst;
  }

  /** Completes when every row's callback has returned. */
  CompletableFuture<Void> done() {
    return done;
  }
}
