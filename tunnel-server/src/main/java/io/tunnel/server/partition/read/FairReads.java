package io.tunnel.server.partition.read;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Threads that run reads in turns. An owner with a thousand reads waits for one read of each other
 * owner, however many askers send the owner's reads. An asker likewise waits for one read of each
 * other asker of the same owner. The threads pass over an asker with no capacity for an answer
 * until {@link #wake}.
 *
 * <p>The monitor of this object guards the fields. Code under the monitor calls only {@link
 * ReadTurns.Asker#takesAnswers} of other objects.
 */
public final class FairReads implements ReadTurns, Executor, Closeable {

  private static final Logger LOGGER = LoggerFactory.getLogger(FairReads.class);
  private static final long STOP_DEADLINE_S = 10;

  private final String name;
  private final int waitingMax;
  private final List<Thread> threads = new ArrayList<>();
  private final Map<Object, Lane> lanes = new HashMap<>();

  /** The owners that wait for a turn: every owner with a lane outside {@link #stalled}. */
  private final Deque<Owner> turns = new ArrayDeque<>();

  private final Map<Object, Owner> owners = new HashMap<>();

  /** The lanes whose askers had no capacity for an answer at their turn. */
  private final Set<Lane> stalled = new HashSet<>();

  private int waiting;
  private boolean isClosed;

  /** The waiting reads of one asker; a lane without reads is removed. */
  private static final class Lane {
    private final Asker asker;
    private final Object key;
    private final Object owner;
    private final Deque<Runnable> reads = new ArrayDeque<>();

    Lane(Asker asker, Object key, Object owner) {
      this.asker = asker;
      this.key = key;
      this.owner = owner;
    }
  }

  /** The lanes of one owner that wait for a turn; an owner without lanes is removed. */
  private record Owner(Object key, Deque<Lane> lanes) {}

  /**
   * Begins with {@code threadCount} threads.
   *
   * @param waitingMax reads that may wait; further ones are refused
   */
  public FairReads(String name, int threadCount, int waitingMax) {
    this.name = name;
    this.waitingMax = waitingMax;
    for (int i = 0; i < threadCount; i++) {
      Thread thread = new Thread(this::run, name);
      threads.add(thread);
      thread.start();
    }
  }

  /**
   * Runs a read that has a lane and an owner of its own, and always has capacity for its answer.
   */
  @Override
  public void execute(Runnable read) {
    add(ANYBODY, read, read, read);
  }

  @Override
  public void execute(Asker asker, Runnable read) {
    add(asker, asker, asker.owner(), read);
  }

  private synchronized void add(Asker asker, Object key, Object owner, Runnable read) {
    if (isClosed || waiting >= waitingMax) {
      throw new RejectedExecutionException(waiting + " reads wait for " + name);
    }
    waiting++;
    Lane lane = lanes.get(key);
    if (lane == null) {
      lane = new Lane(asker, key, owner);
      lanes.put(key, lane);
      queue(lane);
    }
    lane.reads.add(read);
    notifyAll();
  }

  /** Queues a lane after the other lanes of the owner. */
  private void queue(Lane lane) {
    Owner owner = owners.get(lane.owner);
    if (owner == null) {
      owner = new Owner(lane.owner, new ArrayDeque<>());
      owners.put(lane.owner, owner);
      turns.add(owner);
    }
    owner.lanes().add(lane);
  }

  /** Takes the lane at the front; null when no lane waits. */
  private Lane next() {
    Owner owner = turns.poll();
    if (owner == null) {
      return null;
    }
    Lane lane = owner.lanes().remove();
    if (owner.lanes().isEmpty()) {
      owners.remove(owner.key());
    } else {
      turns.add(owner);
    }
    return lane;
  }

  @Override
  public synchronized void wake(Asker asker) {
    Lane lane = lanes.get(asker);
    if (lane != null && stalled.remove(lane)) {
      queue(lane);
      notifyAll();
    }
  }

  @Override
  public synchronized void forget(Asker asker) {
    Lane lane = lanes.remove(asker);
    if (lane != null) {
      waiting -= lane.reads.size();
      if (!stalled.remove(lane)) {
        unqueue(lane);
      }
    }
  }

  private void unqueue(Lane lane) {
    Owner owner = owners.get(lane.owner);
    owner.lanes().remove(lane);
    if (owner.lanes().isEmpty()) {
      owners.remove(owner.key());
      turns.remove(owner);
    }
  }

  private void run() {
    for (Runnable read = take(); read != null; read = take()) {
      try {
        read.run();
      } catch (RuntimeException | Error e) {
        LOGGER.error("a read failed and could not say so", e);
      }
    }
  }

  /** Waits for the next read; null after {@link #close} when no lane waits. */
  private synchronized Runnable take() {
    while (true) {
      Lane lane = next();
      if (lane != null && lane.asker.takesAnswers()) {
        return first(lane);
      }
      if (lane != null) {
        stalled.add(lane);
      } else if (isClosed) {
        return null;
      } else {
        try {
          wait();
        } catch (InterruptedException e) {
          // Only close() ends these threads; no code interrupts them on purpose.
          LOGGER.debug("{} was interrupted", name, e);
        }
      }
    }
  }

  private Runnable first(Lane lane) {
    waiting--;
    Runnable read = lane.reads.poll();
    if (lane.reads.isEmpty()) {
      lanes.remove(lane.key);
    } else {
      queue(lane);
    }
    return () -> {
      try {
        read.run();
      } finally {
        lane.asker.answered();
      }
    };
  }

  /** The number of waiting reads. */
  public synchronized int waiting() {
    return waiting;
  }

  /** Runs the waiting reads, except for those of stalled lanes, and ends the threads. */
  @Override
  public void close() throws IOException {
    synchronized (this) {
      isClosed = true;
      notifyAll();
    }
    for (Thread thread : threads) {
      try {
        thread.join(TimeUnit.SECONDS.toMillis(STOP_DEADLINE_S));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted while stopping", e);
      }
      if (thread.isAlive()) {
        throw new IOException(name + " did not stop within " + STOP_DEADLINE_S + " s");
      }
    }
  }
}
