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
 * Threads that read for many in turns: an asker with a thousand reads waits behind one read of each
 * other, and one that does not take its answers is passed over until it does.
 *
 * <p>Its monitor guards its fields; under it only {@link ReadTurns.Asker#takesAnswers} is called.
 */
public final class FairReads implements ReadTurns, Executor, Closeable {

  private static final Logger LOGGER = LoggerFactory.getLogger(FairReads.class);
  private static final long STOP_DEADLINE_S = 10;

  private final String name;
  private final int waitingMax;
  private final List<Thread> threads = new ArrayList<>();
  private final Map<Object, Lane> lanes = new HashMap<>();

  /** The lanes whose turn comes; each is here, or in {@link #stalled}, when it has reads. */
  private final Deque<Lane> turns = new ArrayDeque<>();

  /** The lanes whose askers took no answers when it was their turn. */
  private final Set<Lane> stalled = new HashSet<>();

  private int waiting;
  private boolean isClosed;

  private record Lane(Asker asker, Object key, Deque<Runnable> reads) {
    @Override
    public boolean equals(Object other) {
      return this == other;
    }

    @Override
    public int hashCode() {
      return System.identityHashCode(this);
    }
  }

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

  /** Runs a read of somebody who has one at a time, and takes it. */
  @Override
  public void execute(Runnable read) {
    add(read, ANYBODY, read);
  }

  @Override
  public void execute(Asker asker, Runnable read) {
    add(asker, asker, read);
  }

  private synchronized void add(Object key, Asker asker, Runnable read) {
    if (isClosed || waiting >= waitingMax) {
      throw new RejectedExecutionException(waiting + " reads wait for " + name);
    }
    waiting++;
    Lane lane = lanes.get(key);
    if (lane == null) {
      lane = new Lane(asker, key, new ArrayDeque<>());
      lanes.put(key, lane);
      turns.add(lane);
    }
    lane.reads().add(read);
    notifyAll();
  }

  @Override
  public synchronized void wake(Asker asker) {
    Lane lane = lanes.get(asker);
    if (lane != null && stalled.remove(lane)) {
      turns.add(lane);
      notifyAll();
    }
  }

  @Override
  public synchronized void forget(Asker asker) {
    Lane lane = lanes.remove(asker);
    if (lane != null) {
      waiting -= lane.reads().size();
      turns.remove(lane);
      stalled.remove(lane);
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

  /** The next read; null when it is closed and there is none. */
  private synchronized Runnable take() {
    while (true) {
      Lane lane = turns.poll();
      if (lane != null && lane.asker().takesAnswers()) {
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
          // Only closing ends these threads; an interrupt is nobody's.
          LOGGER.debug("{} was interrupted", name, e);
        }
      }
    }
  }

  private Runnable first(Lane lane) {
    waiting--;
    Runnable read = lane.reads().poll();
    if (lane.reads().isEmpty()) {
      lanes.remove(lane.key());
    } else {
      turns.add(lane);
    }
    return read;
  }

  /** Reads that wait. */
  public synchronized int waiting() {
    return waiting;
  }

  /** Does what waits, except for those who take nothing, and ends its threads. */
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
