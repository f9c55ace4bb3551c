package io.tunnel.server.replica.append;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.RefusedException;
import io.tunnel.server.changes.Extents;
import io.tunnel.server.changes.LostHistory;
import io.tunnel.server.replica.append.PagesCore.Fetch;
import java.io.Closeable;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntConsumer;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;
import java.util.function.Supplier;

/**
 * Old changes, which the local log has no more, or never had, read from the shared log.
 *
 * <p>A channel that asks for changes that are not in memory gets nothing, and is woken when they
 * are. One tail reads for all channels; its thread makes the pages, so neither a shard nor an event
 * loop waits for the shared log. The lock guards the core and the fetches by partition. Under the
 * lock only the tail and {@code known} are called, which return at once; channels are woken outside
 * of the lock.
 */
final class AppendHistory implements AppendTail.Listener, Closeable {

  /** Where a tail is that reads nothing of a partition. */
  private static final long NOWHERE = -1;

  private final Limits limits;
  private final PagesCore core;
  private final IntFunction<KnownLog> known;
  private final IntConsumer wake;
  private final AppendTail tail;

  /** The fetches under way, under the lock; each is changed by the tail's thread alone. */
  private final Map<Integer, FetchedPage> open = new HashMap<>();

  private final LongAdder reads = new LongAdder();
  private final LongAdder bytes = new LongAdder();

  /**
   * What a node reads and holds.
   *
   * @param pageBytesMax bytes of records after which a page is full; the last record may be longer
   * @param heldBytesMax bytes of the pages of all partitions that channels may ask for again
   * @param fetchesMax partitions that the node reads at one time
   */
  record Limits(int pageBytesMax, long heldBytesMax, int fetchesMax) {}

  /**
   * Reads nothing yet.
   *
   * @param known what the node knows of a partition's log; {@link KnownLog#NONE} without a replica.
   *     Called by any thread, under the lock
   * @param wake lets the channels of a partition look again; called by any thread
   */
  AppendHistory(
      Limits limits, ReadableAppendLog log, IntFunction<KnownLog> known, IntConsumer wake) {
    this.limits = limits;
    this.core = new PagesCore(limits.heldBytesMax(), limits.fetchesMax());
    this.known = known;
    this.wake = wake;
    this.tail = log.tail(this);
  }

  /**
   * Changes from {@code position} on, of those before {@code limit}; any thread. The batch that has
   * {@code position} may begin before, and the last batch may end after {@code limit}.
   *
   * @param limit the local log has the changes from there on
   * @return empty when {@code position} is not before {@code limit}; an awaited result, or at least
   *     one batch
   * @throws RefusedException HISTORY_LOST when the shared log does not have the changes, with equal
   *     positions on every node; NOT_LEADER when this node has no replica that has read so far, or
   *     does not understand the record
   */
  Optional<Extents> plan(int partition, long position, long limit, int bytesMax) {
    if (position >= limit) {
      return Optional.empty();
    }
    KnownLog log = known.apply(partition);
    if (position >= log.follow().position()) {
      throw RefusedException.notLeader(
          "this node has read the log of partition "
              + partition
              + " up to position "
              + log.follow().position(),
          Optional.empty());
    }
    if (position < log.firstPosition()) {
      throw new LostHistory(partition, position, log.firstPosition() - 1).refusal();
    }
    Optional<OldPage> found = findOrWant(partition, position, limit);
    if (found.isEmpty()) {
      return Optional.of(Extents.awaited());
    }
    found
        .get()
        .refusal()
        .ifPresent(
            reason -> {
              throw reason;
            });
    List<ChangeBatch> planned = found.get().plan(position, bytesMax);
    return Optional.of(Extents.held(planned));
  }

  private Optional<OldPage> findOrWant(int partition, long position, long limit) {
    PagesCore.Work forgotten;
    PagesCore.Work work = PagesCore.Work.NONE;
    Optional<OldPage> found;
    synchronized (core) {
      forgotten = core.of(partition, known.apply(partition).lane());
      carryOut(forgotten);
      found = core.find(partition, position);
      if (found.isEmpty()) {
        work = core.want(partition, position, limit);
        carryOut(work);
      }
    }
    forgotten.woken().forEach(wake::accept);
    work.woken().forEach(wake::accept);
    return found;
  }

  /** Under the lock, so that the tail gets requests in the order of the decisions. */
  private void carryOut(PagesCore.Work work) {
    for (int partition : work.ended()) {
      open.remove(partition);
      tail.unfollow(partition);
    }
    for (Fetch fetch : work.begun()) {
      FetchedPage begun = begin(fetch);
      open.put(fetch.partition(), begun);
      tail.follow(fetch.partition(), begun.next(), AppendTail.NO_EPOCH);
    }
  }

  private FetchedPage begin(Fetch fetch) {
    if (fetch.offset().isPresent()) {
      return new FetchedPage(fetch, fetch.offset().getAsLong(), limits.pageBytesMax());
    }
    KnownLog log = known.apply(fetch.partition());
    SearchCore search = new SearchCore(log.trimmed().offset(), log.follow().next(), false);
    return new FetchedPage(fetch, search, log, limits.pageBytesMax());
  }

  @Override
  public void happened(AppendTail.Event event) {
    Optional<FetchedPage> fetching = fetching(event.partition());
    if (fetching.isEmpty()) {
      return;
    }
    FetchedPage fetch = fetching.get();
    KnownLog log = known.apply(event.partition());
    if (log.lane() != fetch.fetch().lane()) {
      // The replica that began this page is gone, and so is the knowledge of the log.
      decide(() -> core.abandoned(fetch.fetch()));
      return;
    }
    long readTo;
    if (event instanceof AppendTail.Read read && read.from() == fetch.next()) {
      readTo = read.next();
      fetch.read(read.records(), readTo, log);
    } else if (event instanceof AppendTail.Trimmed trimmed && trimmed.offset() == fetch.next()) {
      readTo = NOWHERE;
      fetch.trimmed(trimmed.first(), log);
    } else if (event instanceof AppendTail.HeldBack held && held.offset() == fetch.next()) {
      readTo = held.offset();
      fetch.held(held.offset(), held.reason());
    } else if (event instanceof AppendTail.Cut cut && cut.offset() == fetch.next()) {
      // The replica learns of the lost end, too; the channels ask again.
      decide(() -> core.abandoned(fetch.fetch()));
      return;
    } else {
      return;
    }
    fetch.page().ifPresentOrElse(page -> done(fetch, page), () -> readOn(fetch, readTo));
  }

  private Optional<FetchedPage> fetching(int partition) {
    synchronized (core) {
      return Optional.ofNullable(open.get(partition));
    }
  }

  /** Goes to the next offset of a fetch, unless the tail is there, or another fetch has begun. */
  private void readOn(FetchedPage fetch, long readTo) {
    int partition = fetch.fetch().partition();
    synchronized (core) {
      if (fetch.next() != readTo && open.get(partition) == fetch) {
        tail.follow(partition, fetch.next(), AppendTail.NO_EPOCH);
      }
    }
  }

  private void done(FetchedPage fetch, OldPage page) {
    reads.increment();
    bytes.add(page.bytes());
    decide(() -> core.fetched(fetch.fetch(), page));
  }

  private void decide(Supplier<PagesCore.Work> decision) {
    PagesCore.Work work;
    synchronized (core) {
      work = decision.get();
      carryOut(work);
    }
    work.woken().forEach(wake::accept);
  }

  /** Evicts pages and ends fetches of partitions that are not served here any more. */
  void keep(IntPredicate isServing) {
    decide(() -> core.keep(isServing));
  }

  /** Pages that were read since the start. */
  long reads() {
    return reads.sum();
  }

  /** Bytes of the pages that were read since the start. */
  long readBytes() {
    return bytes.sum();
  }

  /** Bytes of pages in memory now, those that are read now included. */
  long heldBytes() {
    synchronized (core) {
      return core.bytes() + open.values().stream().mapToLong(FetchedPage::heldBytes).sum();
    }
  }

  @Override
  public void close() throws IOException {
    tail.close();
  }
}
