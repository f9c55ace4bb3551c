package io.tunnel.sdk.write;

import io.tunnel.codec.SessionProof;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.sdk.Endpoint;
import io.tunnel.sdk.RowCallback;
import io.tunnel.sdk.metrics.SdkMeter;
import io.tunnel.sdk.transport.Ticker;
import io.tunnel.sdk.write.LaneCore.Misrouted;
import io.tunnel.sdk.write.LaneCore.State;
import io.tunnel.sdk.write.LaneCore.Verdict;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rows of one partition that have no outcome yet: a growing batch, closed batches that wait,
 * and the head, which is in flight or waits to be sent again. Callers' threads add rows under the
 * lane's lock; only the engine's event loop moves the head on. Longer than most files, because one
 * lock guards all of this state.
 *
 * <p>A method that may free the way returns the batch to send now; the caller sends it outside the
 * lock. Any thread may take the next batch between two calls of the event loop: when a method
 * returns, a batch that goes before the waiting ones is in front of them, or is the head.
 */
final class Lane {

  private static final Logger LOG = LoggerFactory.getLogger(Lane.class);
  private static final int BYTES_GUESS_MIN = 1_024;
  private static final int ROWS_GUESS_MIN = 8;
  private final int partition;
  private final byte[] prefix;
  private final List<PrimaryKeySchema> schema;
  private final Settings settings;

  /** The node that leads the partition; absent when unknown, or when there is only one node. */
  private volatile Optional<Endpoint> leader;

  // Guarded by this.
  private final LaneCore core;
  private final Deque<Batch> waiting = new ArrayDeque<>();
  private Optional<Batch> growing = Optional.empty();
  private Optional<Batch> head = Optional.empty();

  /** Batches that have left the queue, and have rows without an outcome. */
  private final Set<Batch> ending = new LinkedHashSet<>();

  private int bytesGuess = BYTES_GUESS_MIN;
  private int rowsGuess = ROWS_GUESS_MIN;
  private boolean isTimerSet;
  private final Numbering numbering = new Numbering();
  private Phase phase = Phase.OPEN;

  /** Results to tell, in order; on the event loop. */
  private final Deque<Runnable> outbox = new ArrayDeque<>();

  private boolean isTelling;

  /** Which rows the lane takes. A lane moves down this list, and never up. */
  enum Phase {
    /** Takes rows. */
    OPEN,
    /** The writer is closed: takes only rows that move from a lane that is gone. */
    ENDING,
    /** The partition is gone: takes no rows and sends nothing, until its rows move away. */
    CLOSED
  }

  /**
   * Settings and parts that all lanes of a writer share.
   *
   * @param batchBytesMax encoded bytes after which a batch is closed
   * @param lingerNanos how long a row waits at most for others to join its batch
   * @param retryNanos how long after its first failure a batch is retried
   * @param budget the bytes that all lanes hold together
   * @param ticker time
   * @param meter counts batches, rows and outcomes
   * @param session the session that all rows are bound to
   */
  record Settings(
      int batchBytesMax,
      long lingerNanos,
      long retryNanos,
      ByteBudget budget,
      Ticker ticker,
      SdkMeter meter,
      Optional<SessionProof> session) {}

  /**
   * What the engine does after a call.
   *
   * @param wasAdded false when the lane takes no more rows, and the row belongs to a lane of the
   *     next partition map
   * @param toSend the batch to send now
   * @param timerNanos after which time to call {@link #lingered}, if at all
   */
  record Step(boolean wasAdded, Optional<Batch> toSend, OptionalLong timerNanos) {
    private static final Step NOTHING_TO_DO =
        new Step(true, Optional.empty(), OptionalLong.empty());
    private static final Step NOT_ADDED = new Step(false, Optional.empty(), OptionalLong.empty());
  }

  Lane(
      int partition,
      byte[] prefix,
      List<PrimaryKeySchema> schema,
      Settings settings,
      Optional<Endpoint> leader) {
    this.partition = partition;
    this.leader = leader;
    this.prefix = prefix;
    this.schema = schema;
    this.settings = settings;
    this.core = new LaneCore(settings.retryNanos());
  }

  int partition() {
    return partition;
  }

  Optional<Endpoint> leader() {
    return leader;
  }

  /** Sets the node that leads the partition from now on. */
  void ledBy(Optional<Endpoint> node) {
    leader = node;
  }

  /** The bytes before the batch in a write request. */
  byte[] prefix() {
    return prefix;
  }

  /**
   * Adds a row.
   *
   * @throws IllegalArgumentException when the row can never be written
   */
  synchronized Step add(RowChange row, RowCallback callback) {
    return phase == Phase.OPEN ? append(row, callback, Optional.empty()) : Step.NOT_ADDED;
  }

  /**
   * Adds a row from a lane that is gone, also when the writer is closed.
   *
   * @param misrouted the refusals of its batch as sent to the wrong partition
   * @throws IllegalArgumentException when the row can never be written
   */
  synchronized Step addMoved(RowChange row, RowCallback callback, Optional<Misrouted> misrouted) {
    if (phase == Phase.CLOSED) {
      throw new IllegalStateException("rows moved to partition " + partition + ", which is gone");
    }
    return append(row, callback, misrouted);
  }

  private Step append(RowChange row, RowCallback callback, Optional<Misrouted> misrouted) {
    Batch batch = growing.orElse(null);
    boolean isAlike = batch != null && (misrouted.isEmpty() || batch.misrouted().isPresent());
    int bytes = isAlike ? batch.add(row, callback) : -1;
    if (bytes < 0) {
      closeGrowing();
      Batch.Size guess = new Batch.Size(rowsGuess, bytesGuess);
      batch = new Batch(form(), guess, misrouted, settings.ticker().nanos());
      bytes = batch.add(row, callback);
      if (bytes < 0) {
        throw new IllegalStateException("an empty batch has no room for " + row.primaryKey());
      }
      growing = Optional.of(batch);
    }
    settings.budget().take(bytes);
    if (batch.encodedBytes() >= settings.batchBytesMax()) {
      closeGrowing();
    }
    // Most rows only join the growing batch, whose timer is set: no need to look at the time.
    return core.state() != State.IDLE || (isTimerSet && waiting.isEmpty())
        ? Step.NOTHING_TO_DO
        : proceed();
  }

  /**
   * Adds rows all of which are applied, or none: a batch of their own behind all earlier rows.
   *
   * @throws IllegalArgumentException when a row can never be written, or the rows exceed the limits
   *     of an atomic batch; nothing was added then
   */
  synchronized Step addAtomic(List<RowChange> rows, List<RowCallback> callbacks) {
    return phase == Phase.OPEN ? addMovedAtomic(rows, callbacks, Optional.empty()) : Step.NOT_ADDED;
  }

  /** As {@link #addAtomic}, for the rows of a batch of a lane that is gone. */
  synchronized Step addMovedAtomic(
      List<RowChange> rows, List<RowCallback> callbacks, Optional<Misrouted> misrouted) {
    Batch batch = Batch.atomic(form(), misrouted, settings.ticker().nanos());
    batch.addAll(rows, callbacks);
    closeGrowing();
    batch.close(partition);
    waiting.add(batch);
    settings.budget().take(batch.encodedBytes());
    return core.state() == State.IDLE ? proceed() : Step.NOTHING_TO_DO;
  }

  /** Takes the next batch if the lane is free; else asks for a timer if a batch lingers. */
  synchronized Step proceed() {
    Optional<Batch> toSend = takeNext();
    if (toSend.isPresent()) {
      return new Step(true, toSend, OptionalLong.empty());
    }
    boolean lingers = growing.isPresent() && core.state() == State.IDLE && phase != Phase.CLOSED;
    if (isTimerSet || !lingers) {
      return Step.NOTHING_TO_DO;
    }
    isTimerSet = true;
    long ageNanos = settings.ticker().nanos() - growing.get().startedNanos();
    long leftNanos = Math.max(0, settings.lingerNanos() - ageNanos);
    return new Step(true, Optional.empty(), OptionalLong.of(leftNanos));
  }

  private void closeGrowing() {
    if (growing.isPresent()) {
      Batch batch = growing.get();
      batch.close(partition);
      // A full batch exceeds its bound by one row: with room for that row, it is never copied.
      int bytesMax = settings.batchBytesMax() + settings.batchBytesMax() / 8;
      bytesGuess = Math.max(BYTES_GUESS_MIN, Math.min(bytesMax, batch.encodedBytes() * 5 / 4));
      rowsGuess = Math.max(ROWS_GUESS_MIN, batch.rowCount() * 5 / 4);
      waiting.add(batch);
      growing = Optional.empty();
    }
  }

  /** Takes the batch to send now, which becomes the head. */
  private Optional<Batch> takeNext() {
    if (core.state() != State.IDLE || phase == Phase.CLOSED) {
      return Optional.empty();
    }
    long nowNanos = settings.ticker().nanos();
    if (waiting.isEmpty() && growing.isPresent()) {
      Batch batch = growing.get();
      if (batch.isDue() || nowNanos - batch.startedNanos() >= settings.lingerNanos()) {
        closeGrowing();
      }
    }
    head = Optional.ofNullable(waiting.poll());
    if (head.isPresent()) {
      core.sent(nowNanos);
    }
    return head;
  }

  /** The timer of {@link Step#timerNanos} has fired. */
  synchronized Step lingered() {
    isTimerSet = false;
    return proceed();
  }

  /** Ends the lingering: all rows are sent as soon as the lane is free. */
  synchronized Optional<Batch> hurry() {
    growing.ifPresent(Batch::makeDue);
    return takeNext();
  }

  /**
   * A future for each batch that has rows without an outcome. The last batch alone would not do:
   * when rows move to other partitions, an older batch may end after a younger one.
   */
  synchronized List<CompletableFuture<Void>> ends() {
    List<CompletableFuture<Void>> ends = new ArrayList<>(ending.size() + waiting.size() + 2);
    ending.forEach(batch -> ends.add(batch.done()));
    head.ifPresent(batch -> ends.add(batch.done()));
    waiting.forEach(batch -> ends.add(batch.done()));
    growing.ifPresent(batch -> ends.add(batch.done()));
    return ends;
  }

  /** Whether {@link #number} needs no token for the head. */
  synchronized boolean hasWriter(Batch batch) {
    return numbering.hasWriter() || batch.isInDoubt();
  }

  /**
   * Numbers the head, which is about to be sent. A head in doubt is sent again as it is.
   *
   * @param token the writer's token for a lane that has no writer; empty where the service has none
   */
  synchronized void number(Batch batch, Optional<Bytes> token) {
    if (!batch.isInDoubt()) {
      batch.writtenBy(numbering.number(batch.writer(), token));
    }
  }

  /** The partition refuses the number of a batch, and tells a date, or 0. */
  synchronized void ended(Batch batch, long dateMicros) {
    batch.writer().ifPresent(number -> numbering.ended(number, dateMicros));
  }

  /** The partition has applied rows of a batch. */
  synchronized void applied(Batch batch) {
    batch.writer().ifPresent(numbering::applied);
  }

  /** The head has a result. */
  synchronized Step answered() {
    releaseHead();
    core.answered();
    return proceed();
  }

  /**
   * The head failed. A batch that is retried or re-routed stays the head. The halves of a batch
   * that is split go before all waiting batches. Every other batch leaves the lane. After all but a
   * retry and a re-routing, the caller has the lane {@link #proceed}.
   */
  synchronized Verdict failed(LaneCore.Failure failure, Batch batch) {
    long nowNanos = settings.ticker().nanos();
    if (failure instanceof LaneCore.Failure.Unanswered) {
      batch.doubt();
    }
    // Rows that belong together are not sent apart to find the row that the server refuses.
    int apart = batch.isAtomic() ? 1 : batch.rowCount();
    LaneCore.Head of =
        new LaneCore.Head(apart, batch.misrouted(), batch.writer().isPresent(), batch.isInDoubt());
    Verdict verdict = core.failed(failure, of, nowNanos);
    switch (verdict) {
      case RETRY -> {}
      case REROUTE -> batch.misroutedAt(nowNanos);
      case SPLIT -> split(batch);
      case GIVE_UP, DOUBT, REJECT -> releaseHead();
    }
    return verdict;
  }

  /** Whether retries of an earlier batch lasted too long, and this one has waited as long. */
  synchronized boolean isLate(Batch batch) {
    return core.isLate(batch.startedNanos(), settings.ticker().nanos());
  }

  private void releaseHead() {
    head.ifPresent(this::awaitEnd);
    head = Optional.empty();
  }

  private void awaitEnd(Batch batch) {
    ending.add(batch);
    var unused = batch.done().whenComplete((done, failure) -> ended(batch));
  }

  private synchronized void ended(Batch batch) {
    ending.remove(batch);
  }

  /** Frees the lane of a head whose outcome could not be settled, in whatever state it is. */
  synchronized void drop(Batch batch) {
    if (head.isPresent() && head.get() == batch) {
      core.dropped();
      releaseHead();
    }
  }

  /** How often in a row the head failed for the reason of its present wait; 0 without a wait. */
  synchronized int failures() {
    return switch (core.state()) {
      case IDLE, IN_FLIGHT -> 0;
      case PAUSED -> core.failures();
      case MISROUTED -> head.flatMap(Batch::misrouted).map(Misrouted::times).orElse(0);
    };
  }

  /** Sends the head again, if it still waits for the end of a pause, or for a map. */
  synchronized Optional<Batch> resend() {
    boolean waits = core.state() == State.PAUSED || core.state() == State.MISROUTED;
    if (!waits || phase == Phase.CLOSED) {
      return Optional.empty();
    }
    core.sent(settings.ticker().nanos());
    return head;
  }

  /** The batch that is in flight or waits to be sent again. */
  synchronized Optional<Batch> head() {
    return head;
  }

  /** Takes the head that waits for a partition map, because the map cannot be read. */
  synchronized Optional<Batch> takeMisrouted() {
    if (core.state() != State.MISROUTED) {
      return Optional.empty();
    }
    core.taken();
    Optional<Batch> taken = head;
    releaseHead();
    return taken;
  }

  /** Puts the two halves of the failed head before all waiting batches. */
  private void split(Batch batch) {
    int middle = batch.rowCount() / 2;
    Batch first = part(batch, 0, middle);
    Batch second = part(batch, middle, batch.rowCount());
    settings.budget().giveBack(batch.encodedBytes());
    settings.budget().take(first.encodedBytes() + (long) second.encodedBytes());
    waiting.addFirst(second);
    waiting.addFirst(first);
    head = Optional.empty();
  }

  /**
   * The first {@code told} rows of the head have outcomes. The other rows become the head, as a
   * batch of their own, so that no row overtakes them.
   *
   * @return the new head
   */
  synchronized Batch keep(Batch batch, int told) {
    Batch rest = part(batch, told, batch.rowCount());
    settings.budget().giveBack(batch.encodedBytes());
    settings.budget().take(rest.encodedBytes());
    awaitEnd(batch);
    head = Optional.of(rest);
    core.progressed();
    return rest;
  }

  private Batch.Form form() {
    return new Batch.Form(schema, settings.session());
  }

  private Batch part(Batch batch, int from, int to) {
    Batch.Size size = new Batch.Size(to - from, batch.encodedBytes());
    Batch part = new Batch(form(), size, batch.misrouted(), batch.startedNanos());
    for (int i = from; i < to; i++) {
      if (part.add(batch.row(i), batch.counted(i)) < 0) {
        throw new IllegalStateException("a part of a batch has no room for row " + i + " of it");
      }
    }
    part.close(partition);
    return part;
  }

  /** Moves the lane to {@code next}, unless the lane is there or further. */
  synchronized void move(Phase next) {
    if (next.compareTo(phase) > 0) {
      phase = next;
    }
  }

  synchronized boolean isClosed() {
    return phase == Phase.CLOSED;
  }

  synchronized boolean isInFlight() {
    return core.state() == State.IN_FLIGHT;
  }

  /** Empties a closed lane that has nothing in flight; returns its batches, oldest first. */
  synchronized List<Batch> takeAll() {
    core.taken();
    List<Batch> all = new ArrayList<>();
    head.ifPresent(all::add);
    all.addAll(waiting);
    growing.ifPresent(all::add);
    head = Optional.empty();
    waiting.clear();
    growing = Optional.empty();
    return all;
  }

  /**
   * Tells results in the order of the calls: a call from inside another one, by a callback, is
   * served after the outer call. On the event loop only.
   */
  void tell(Runnable results) {
    outbox.add(results);
    if (isTelling) {
      return;
    }
    isTelling = true;
    try {
      for (Runnable next = outbox.poll(); next != null; next = outbox.poll()) {
        try {
          next.run();
        } catch (Throwable e) {
          // The results in the outbox are of other batches; callers wait for these results.
          LOG.error("telling results of partition {} failed; the next ones are told", partition, e);
        }
      }
    } finally {
      isTelling = false;
    }
  }
}
