package io.tunnel.sdk.write;

import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowChange;
import io.tunnel.sdk.Endpoint;
import io.tunnel.sdk.RowCallback;
import io.tunnel.sdk.write.LaneCore.Misrouted;
import io.tunnel.sdk.write.LaneCore.State;
import io.tunnel.sdk.write.LaneCore.Verdict;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The rows of one partition on their way: a batch that grows, closed batches that wait, and the
 * head, the one that is under way. Callers' threads add under the lane's lock; the head is moved on
 * by the engine's event loop alone.
 *
 * <p>Longer than most files, because what it guards is one state that falls apart in two.
 *
 * <p>Methods that can free the way return the batch that is to be sent now; the caller sends it
 * after they have returned, outside the lock. When a method returns, whatever is to be sent before
 * the waiting batches stands before them or is the head: between two calls of the event loop any
 * thread may take the next batch.
 */
final class Lane {

  private static final int BYTES_GUESS_MIN = 1_024;
  private static final int ROWS_GUESS_MIN = 8;

  private final int partition;
  private final byte[] prefix;
  private final List<PrimaryKeySchema> schema;
  private final LaneSettings settings;

  /** The node that leads the partition; absent when it is not known, or there is only one. */
  private volatile Optional<Endpoint> leader;

  // Guarded by this.
  private final LaneCore core;
  private final Deque<Batch> waiting = new ArrayDeque<>();
  private Optional<Batch> growing = Optional.empty();
  private Optional<Batch> head = Optional.empty();

  /** Batches that have left the queue and whose rows have not all been told their outcomes. */
  private final Deque<Batch> untold = new ArrayDeque<>();

  private int bytesGuess = BYTES_GUESS_MIN;
  private int rowsGuess = ROWS_GUESS_MIN;
  private boolean isLingering;
  private boolean isClosed;
  private boolean refusesRows;

  /** Results to be told, in order; belongs to the event loop. */
  private final Deque<Runnable> outbox = new ArrayDeque<>();

  private boolean isTelling;

  /**
   * What an addition led to.
   *
   * @param wasAdded false when the lane takes no more rows: look for the partition map that
   *     replaces this one
   * @param toSend the batch to send now
   * @param lingers whether a timer is to be set for {@link #lingered}
   */
  record Added(boolean wasAdded, Optional<Batch> toSend, boolean lingers) {
    static final Added NOTHING_TO_DO = new Added(true, Optional.empty(), false);
    private static final Added LINGERS = new Added(true, Optional.empty(), true);
    private static final Added CLOSED = new Added(false, Optional.empty(), false);
  }

  Lane(
      int partition,
      byte[] prefix,
      List<PrimaryKeySchema> schema,
      LaneSettings settings,
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

  /** The partition is led there from now on. */
  void ledBy(Optional<Endpoint> node) {
    leader = node;
  }

  /** What stands before the batch in a write request. */
  byte[] prefix() {
    return prefix;
  }

  /**
   * Adds a row.
   *
   * @throws IllegalArgumentException when the row can never be written
   */
  synchronized Added add(RowChange row, RowCallback callback) {
    return isClosed || refusesRows ? Added.CLOSED : append(row, callback, Optional.empty());
  }

  /**
   * Adds a row of a lane that is gone; also when the writer takes no rows any more.
   *
   * @param misrouted words that its batch belonged elsewhere
   * @throws IllegalArgumentException when the row can never be written
   */
  synchronized Added addMoved(RowChange row, RowCallback callback, Optional<Misrouted> misrouted) {
    if (isClosed) {
      throw new IllegalStateException("rows moved to a lane that is gone, " + partition);
    }
    return append(row, callback, misrouted);
  }

  private Added append(RowChange row, RowCallback callback, Optional<Misrouted> misrouted) {
    Batch batch = growing.orElse(null);
    boolean isAlike = batch != null && (misrouted.isEmpty() || batch.misrouted().isPresent());
    int bytes = isAlike ? batch.add(row, callback) : -1;
    if (bytes < 0) {
      closeGrowing();
      Batch.Size guess = new Batch.Size(rowsGuess, bytesGuess);
      batch = new Batch(schema, guess, misrouted, settings.ticker().nanos());
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
    return afterAdding();
  }

  private Added afterAdding() {
    if (core.state() != State.IDLE) {
      return Added.NOTHING_TO_DO;
    }
    if (!waiting.isEmpty() || settings.lingerNanos() == 0) {
      return new Added(true, next(), false);
    }
    return lingersNow() ? Added.LINGERS : Added.NOTHING_TO_DO;
  }

  /** Whether a timer must be set, which is then taken as set. */
  private boolean lingersNow() {
    if (isLingering || growing.isEmpty() || core.state() != State.IDLE) {
      return false;
    }
    isLingering = true;
    return true;
  }

  private void closeGrowing() {
    if (growing.isPresent()) {
      Batch batch = growing.get();
      batch.close(partition);
      // A full batch is one row over its bound: with room for that row, it is never copied.
      int bytesMax = settings.batchBytesMax() + settings.batchBytesMax() / 8;
      bytesGuess = Math.max(BYTES_GUESS_MIN, Math.min(bytesMax, batch.encodedBytes() * 5 / 4));
      rowsGuess = Math.max(ROWS_GUESS_MIN, batch.rowCount() * 5 / 4);
      waiting.add(batch);
      growing = Optional.empty();
    }
  }

  /** The batch to send now, which becomes the head. */
  private Optional<Batch> next() {
    if (core.state() != State.IDLE || isClosed) {
      return Optional.empty();
    }
    if (waiting.isEmpty() && growing.isPresent() && isRipe(growing.get())) {
      closeGrowing();
    }
    head = Optional.ofNullable(waiting.poll());
    if (head.isPresent()) {
      core.sent(settings.ticker().nanos());
    }
    return head;
  }

  private boolean isRipe(Batch batch) {
    return batch.isDue()
        || settings.ticker().nanos() - batch.startedNanos() >= settings.lingerNanos();
  }

  /** The timer of {@link Added#lingers} has fired. */
  synchronized Added lingered() {
    isLingering = false;
    Optional<Batch> toSend = next();
    return new Added(true, toSend, toSend.isEmpty() && lingersNow());
  }

  /** Nanoseconds until the growing batch is to be sent. */
  synchronized long lingerLeftNanos() {
    long age = growing.map(b -> settings.ticker().nanos() - b.startedNanos()).orElse(0L);
    return Math.max(0, settings.lingerNanos() - age);
  }

  /** Sends what there is as soon as the lane is free. */
  synchronized Optional<Batch> hurry() {
    growing.ifPresent(Batch::makeDue);
    return next();
  }

  /**
   * One for each batch that has rows without an outcome. The last alone would not do: when the rows
   * move to other partitions, those of an older batch may end after it.
   */
  synchronized List<CompletableFuture<Void>> ends() {
    List<CompletableFuture<Void>> ends = new ArrayList<>(untold.size() + waiting.size() + 2);
    untold.forEach(batch -> ends.add(batch.done()));
    head.ifPresent(batch -> ends.add(batch.done()));
    waiting.forEach(batch -> ends.add(batch.done()));
    growing.ifPresent(batch -> ends.add(batch.done()));
    return ends;
  }

  /** The head has a result. */
  synchronized Added answered() {
    releaseHead();
    core.answered();
    return moveOn();
  }

  /** Like {@link #lingered}: the way may be free. */
  private Added moveOn() {
    Optional<Batch> toSend = next();
    return new Added(true, toSend, toSend.isEmpty() && !isClosed && lingersNow());
  }

  /**
   * The head failed. It stays the head when it is to be sent again or re-routed; its halves stand
   * before all that wait when it is split.
   */
  synchronized Verdict failed(LaneCore.Failure failure, Batch batch) {
    long nowNanos = settings.ticker().nanos();
    Verdict verdict = core.failed(failure, batch.rowCount(), batch.misrouted(), nowNanos);
    switch (verdict) {
      case RETRY -> {}
      case REROUTE -> batch.misroutedAt(nowNanos);
      case SPLIT -> split(batch);
      case GIVE_UP, DOUBT, REJECT -> releaseHead();
    }
    return verdict;
  }

  private void releaseHead() {
    head.ifPresent(untold::add);
    head = Optional.empty();
  }

  /** The rows of a batch that has left the queue have been told their outcomes. */
  synchronized void told(Batch batch) {
    untold.remove(batch);
  }

  /** After a failure that removed the head. */
  synchronized Added afterFailure() {
    return moveOn();
  }

  synchronized int failures() {
    return core.failures();
  }

  /** The pause of a retry is over. */
  synchronized Optional<Batch> resume() {
    if (core.state() != State.PAUSED || isClosed) {
      return Optional.empty();
    }
    core.sent(settings.ticker().nanos());
    return head;
  }

  /** The head was sent to the wrong partition, but by the new map this is the right one. */
  synchronized Optional<Batch> sendAgain() {
    if (core.state() != State.MISROUTED || isClosed) {
      return Optional.empty();
    }
    core.sent(settings.ticker().nanos());
    return head;
  }

  /** How often in a row the head was sent to the wrong partition. */
  synchronized int misroutings() {
    return head.flatMap(Batch::misrouted).map(Misrouted::times).orElse(0);
  }

  /** Takes the head that waits for a new partition map, which cannot be had. */
  synchronized Optional<Batch> takeMisrouted() {
    if (core.state() != State.MISROUTED) {
      return Optional.empty();
    }
    core.taken();
    Optional<Batch> taken = head;
    releaseHead();
    return taken;
  }

  /** Puts the two halves of the head, which failed, before all that wait. */
  private void split(Batch batch) {
    Countdown countdown = new Countdown(batch);
    int middle = batch.rowCount() / 2;
    Batch first = part(batch, 0, middle, countdown);
    Batch second = part(batch, middle, batch.rowCount(), countdown);
    settings.budget().giveBack(batch.encodedBytes());
    settings.budget().take(first.encodedBytes() + (long) second.encodedBytes());
    waiting.addFirst(second);
    waiting.addFirst(first);
    head = Optional.empty();
  }

  /**
   * Of the head, the first {@code told} rows have outcomes. The others stay the head, as a batch of
   * their own, so that nothing overtakes them.
   */
  synchronized Remainder keep(Batch batch, int told) {
    Countdown countdown = new Countdown(batch);
    Batch rest = part(batch, told, batch.rowCount(), countdown);
    settings.budget().giveBack(batch.encodedBytes());
    settings.budget().take(rest.encodedBytes());
    untold.add(batch);
    head = Optional.of(rest);
    core.progressed();
    return new Remainder(rest, countdown);
  }

  /**
   * What is left of a batch.
   *
   * @param rest its last rows
   * @param countdown ends the whole batch when all its rows have outcomes
   */
  record Remainder(Batch rest, Countdown countdown) {}

  private Batch part(Batch batch, int from, int to, Countdown countdown) {
    Batch.Size size = new Batch.Size(to - from, batch.encodedBytes());
    Batch part = new Batch(schema, size, batch.misrouted(), batch.startedNanos());
    for (int i = from; i < to; i++) {
      if (part.add(batch.row(i), countdown.counting(batch.callback(i))) < 0) {
        throw new IllegalStateException("a part of a batch has no room for row " + i + " of it");
      }
    }
    part.close(partition);
    return part;
  }

  /** From now on the lane takes no rows, but sends what it has. */
  synchronized void refuseRows() {
    refusesRows = true;
  }

  /** From now on the lane takes no rows and sends nothing. */
  synchronized void close() {
    isClosed = true;
  }

  synchronized boolean isClosed() {
    return isClosed;
  }

  synchronized boolean isInFlight() {
    return core.state() == State.IN_FLIGHT;
  }

  /** Takes everything out of a closed lane, oldest first; nothing may be in flight. */
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
   * Tells results in the order of these calls, also when telling leads to the next call. On the
   * event loop only.
   */
  void tell(Runnable results) {
    outbox.add(results);
    if (isTelling) {
      return;
    }
    isTelling = true;
    try {
      for (Runnable next = outbox.poll(); next != null; next = outbox.poll()) {
        next.run();
      }
    } finally {
      isTelling = false;
    }
  }
}
