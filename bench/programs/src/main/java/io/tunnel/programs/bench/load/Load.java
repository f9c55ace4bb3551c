package io.tunnel.programs.bench.load;

import io.tunnel.stress.LoadClock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntFunction;

/**
 * One run of some clients. A client has at most one operation open: it begins when its operation
 * before is done (a closed loop), or when the next operation of all clients is due (a rate). At a
 * rate, times run from when an operation was due, so a client that is held up shows ("coordinated
 * omission").
 *
 * <p>A client goes on wherever its operation ended, on a thread of its own or on an event loop, so
 * a thousand clients need no thousand threads. Waiting for due operations needs threads.
 */
public final class Load {

  /** Clients that are opened at a time, fewer than fit into the queue of a listener. */
  private static final int OPENING_MAX = 64;

  private final LoadClock clock;
  private final Plan plan;
  private final long startNanos;
  private final AtomicLong ordinals = new AtomicLong();
  private final LongAdder answers = new LongAdder();
  private final AtomicInteger operating;
  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  private final AtomicReference<Optional<Throwable>> failure =
      new AtomicReference<>(Optional.empty());
  private final CompletableFuture<Void> over = new CompletableFuture<>();
  private volatile boolean isStopped;

  private Load(LoadClock clock, Plan plan, int clients) {
    this.clock = clock;
    this.plan = plan;
    this.startNanos = clock.nanos();
    this.operating = new AtomicInteger(clients);
  }

  /**
   * Opens many things, a bounded number at a time; returns when all are open.
   *
   * @param what is opened, such as "connection", for errors
   * @throws IllegalStateException when one cannot be opened, or takes longer than {@code
   *     secondsMax}
   */
  public static <T> List<T> open(
      int count, IntFunction<CompletableFuture<T>> begin, String what, long secondsMax)
      throws InterruptedException {
    List<T> open = new ArrayList<>(count);
    for (int from = 0; from < count; from += OPENING_MAX) {
      List<CompletableFuture<T>> some = new ArrayList<>();
      for (int number = from; number < Math.min(count, from + OPENING_MAX); number++) {
        some.add(begin.apply(number));
      }
      for (CompletableFuture<T> each : some) {
        String failed = what + " " + open.size() + " was not opened";
        try {
          open.add(each.get(secondsMax, TimeUnit.SECONDS));
        } catch (ExecutionException e) {
          throw new IllegalStateException(failed + ": " + e.getCause().getMessage(), e.getCause());
        } catch (TimeoutException e) {
          throw new IllegalStateException(failed + " within " + secondsMax + " s", e);
        }
      }
    }
    return open;
  }

  /** Begins on the thread of each client, as {@link Client#begin} has it. */
  public static Load begin(LoadClock clock, Plan plan, List<? extends Client> clients) {
    Load load = new Load(clock, plan, clients.size());
    clients.forEach(client -> client.begin(load.new Seat(client)::run));
    return load;
  }

  /** Begins with a thread for each client. */
  public static Load begin(
      LoadClock clock, Plan plan, List<? extends Client> clients, ThreadFactory threads) {
    Load load = new Load(clock, plan, clients.size());
    clients.stream()
        .map(client -> threads.newThread(load.new Seat(client)::run))
        .toList()
        .forEach(Thread::start);
    return load;
  }

  /** Daemon threads of that name. */
  public static ThreadFactory threads(String name) {
    return task -> {
      Thread thread = new Thread(task, name);
      thread.setDaemon(true);
      return thread;
    };
  }

  /** The place of one client in the run. */
  final class Seat {
    private final Client client;
    // Handed on with each turn: a client has one turn at a time.
    private long operations;
    private boolean isLeaving;

    private Seat(Client client) {
      this.client = client;
    }

    /** Lets the client operate until it has an operation open or leaves. */
    void run() {
      while (goesOn()) {
        long ordinal = ordinals.getAndIncrement();
        Turn turn = new Turn(this, operations++, ordinal, due(ordinal));
        if (plan.perSecond().isPresent()) {
          clock.waitUntil(turn.dueNanos(), () -> isStopped);
          if (isStopped) {
            break;
          }
        }
        try {
          client.operate(turn);
        } catch (Exception | Error e) {
          // Also errors: a missing client makes the load smaller.
          failed(e);
          break;
        }
        if (turn.isOpenAfterCall()) {
          return;
        }
      }
      left();
    }

    private boolean goesOn() {
      boolean mayStop = operations % plan.together() == 0 || failure.get().isPresent();
      return !isLeaving && !(isStopped && mayStop) && operations < plan.operationsOfClient();
    }

    private void left() {
      try {
        client.left();
      } catch (Exception | Error e) {
        failed(e);
      }
      if (operating.decrementAndGet() == 0) {
        ended.complete(null);
        over.complete(null);
      }
    }

    void answered(Turn turn) {
      if (!isStopped) {
        plan.answers().answered(turn.dueNanos(), clock.nanos());
        answers.increment();
      }
    }

    void leaves() {
      isLeaving = true;
    }

    void failed(Throwable why) {
      isLeaving = true;
      failure.compareAndSet(Optional.empty(), Optional.of(why));
      isStopped = true;
      over.complete(null);
    }
  }

  private long due(long ordinal) {
    return plan.perSecond().isPresent()
        ? startNanos + (long) (ordinal * (1e9 / plan.perSecond().getAsDouble()))
        : clock.nanos();
  }

  /** When the run began. */
  public long startNanos() {
    return startNanos;
  }

  /** Operations that were begun: the ordinal that the next one will have. */
  public long begun() {
    return ordinals.get();
  }

  /** Operations that were done before the stop. */
  public long answers() {
    return answers.sum();
  }

  /** Clients begin nothing more; operations that end from now on do not count. */
  public void stop() {
    isStopped = true;
  }

  /** Stops, and waits for the clients to leave, {@code secondsMax} at most. */
  public void end(long secondsMax) {
    stop();
    try {
      var unused = awaitEnd(secondsMax);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Whether the run was stopped, or has failed. */
  public boolean isStopped() {
    return isStopped;
  }

  /** The first failure; empty while there is none. */
  public Optional<Throwable> failure() {
    return failure.get();
  }

  /** Clients that have not left. */
  public int operating() {
    return operating.get();
  }

  /** Whether all clients have left, or one has failed. */
  public boolean isOver() {
    return over.isDone();
  }

  /** Waits until all clients have left; false when they have not within the time. */
  public boolean awaitEnd(long secondsMax) throws InterruptedException {
    return await(ended, secondsMax);
  }

  /**
   * Waits until all clients have left, or one has failed; false when neither is within the time.
   */
  public boolean awaitOver(long secondsMax) throws InterruptedException {
    return await(over, secondsMax);
  }

  private static boolean await(CompletableFuture<Void> future, long secondsMax)
      throws InterruptedException {
    try {
      future.get(secondsMax, TimeUnit.SECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Throws the first failure, if there is one. */
  public void requireNoFailure() throws Exception {
    if (failure.get().isPresent()) {
      Throwable why = failure.get().get();
      if (why instanceof Error error) {
        throw error;
      }
      throw (Exception) why;
    }
  }
}
