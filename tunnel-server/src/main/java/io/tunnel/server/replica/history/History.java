package io.tunnel.server.replica.history;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.server.changes.Extents;
import io.tunnel.server.replica.ReplicaConfig;
import io.tunnel.server.replica.history.HistoryCore.Fetch;
import io.tunnel.server.replica.shared.SharedLog;
import io.tunnel.server.replica.shared.SharedLog.Stored;
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
 * Changes that the local log has no more, or never had, read from the shared one.
 *
 * <p>A channel that asks for what is not held yet gets nothing, and is woken when it is there. The
 * one reader is a tail of its own; its thread makes the pages, so neither a shard nor an event loop
 * waits for it. They share the core under its lock, which is held for as long as it takes to look
 * something up: the tail is told in it, which returns at once; channels are woken outside of it.
 */
public final class History implements SharedLog.TailListener, Closeable {

  private final ReplicaConfig config;
  private final HistoryCore core;
  private final IntFunction<EpochHistory> epochHistory;
  private final IntConsumer wake;
  private final SharedLog.Tail tail;

  /** For the tail's thread alone. */
  private final Map<Integer, PageCore> open = new HashMap<>();

  private final LongAdder reads = new LongAdder();
  private final LongAdder bytes = new LongAdder();

  /**
   * Reads nothing yet.
   *
   * @param epochHistory the current epoch history of a partition's replica
   * @param wake tells the channels of a partition to look again; any thread
   */
  public History(
      ReplicaConfig config,
      SharedLog log,
      IntFunction<EpochHistory> epochHistory,
      IntConsumer wake) {
    this.config = config;
    this.core =
        new HistoryCore(config.history().heldBytesMax(), config.history().readPartitionsMax());
    this.epochHistory = epochHistory;
    this.wake = wake;
    this.tail = log.tail(this);
  }

  /**
   * Changes from {@code position} on, of those before {@code limit}; any thread.
   *
   * @return empty when there is none; otherwise, nothing yet, or at least one batch
   * @throws io.tunnel.model.RefusedException HISTORY_LOST when the shared log does not have them
   */
  public Optional<Extents> plan(int partition, long position, long limit, int bytesMax) {
    long at = position;
    while (at < limit) {
      Optional<HistoryPage> found = findOrWant(partition, at, limit);
      if (found.isEmpty()) {
        return Optional.of(Extents.awaited());
      }
      HistoryPage page = found.get();
      if (page.refusal().isPresent()) {
        throw page.refusal().get();
      }
      List<ChangeBatch> planned = page.plan(at, bytesMax);
      if (!planned.isEmpty()) {
        return Optional.of(Extents.held(planned));
      }
      at = page.next();
    }
    return Optional.empty();
  }

  private Optional<HistoryPage> findOrWant(int partition, long position, long limit) {
    HistoryCore.Work work;
    synchronized (core) {
      Optional<HistoryPage> found = core.find(partition, position);
      if (found.isPresent()) {
        return found;
      }
      work = core.want(partition, position, limit);
      tell(work);
    }
    work.woken().forEach(wake::accept);
    return Optional.empty();
  }

  /** Under the lock, so that the tail is told in the order of the decisions. */
  private void tell(HistoryCore.Work work) {
    work.ended().forEach(tail::unfollow);
    work.begun().forEach(fetch -> tail.follow(fetch.partition(), fetch.from()));
  }

  @Override
  public void read(int partition, long from, List<Stored> records, long next, long readMicros) {
    Optional<PageCore> page = page(partition).filter(found -> found.next() == from);
    if (page.isEmpty()) {
      return;
    }
    EpochHistory known = epochHistory.apply(partition);
    if (from < known.from()) {
      // The node rebuilds the replica, or the replica has found a hole. The replica tells whether
      // changes were lost once it serves.
      open.remove(partition);
      carryOut(() -> core.abandoned(page.get().fetch()));
    } else if (page.get().read(records, next, known)) {
      done(page.get());
    }
  }

  @Override
  public void lost(int partition, long offset, long first) {
    Optional<PageCore> page = page(partition).filter(found -> found.next() == offset);
    if (page.isPresent()) {
      page.get().lose();
      done(page.get());
    }
  }

  /** The page that is made now. */
  private Optional<PageCore> page(int partition) {
    Optional<Fetch> fetch;
    synchronized (core) {
      fetch = core.fetching(partition);
    }
    PageCore former = open.get(partition);
    if (fetch.isEmpty()) {
      open.remove(partition);
      return Optional.empty();
    }
    if (former != null && former.fetch().equals(fetch.get())) {
      return Optional.of(former);
    }
    PageCore begun =
        new PageCore(
            fetch.get(), config.history().readBytesMax(), config.batches().mergedBytesMax());
    open.put(partition, begun);
    return Optional.of(begun);
  }

  private void done(PageCore done) {
    HistoryPage page = done.page();
    open.remove(page.partition());
    reads.increment();
    bytes.add(page.bytes());
    carryOut(() -> core.fetched(done.fetch(), page));
  }

  private void carryOut(Supplier<HistoryCore.Work> decision) {
    HistoryCore.Work work;
    synchronized (core) {
      work = decision.get();
      tell(work);
    }
    work.woken().forEach(wake::accept);
  }

  /** Gives up what is held and read of partitions that are not served here any more. */
  public void keep(IntPredicate isServing) {
    carryOut(() -> core.keep(isServing));
  }

  /** Pages that were read since the start. */
  public long reads() {
    return reads.sum();
  }

  /** Their bytes. */
  public long readBytes() {
    return bytes.sum();
  }

  /** Bytes that are held now. */
  public long heldBytes() {
    synchronized (core) {
      return core.bytes();
    }
  }

  @Override
  public void close() throws IOException {
    tail.close();
  }
}
