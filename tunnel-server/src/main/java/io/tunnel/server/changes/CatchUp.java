package io.tunnel.server.changes;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Waits until this node's replica of a partition has read everything that the shared log held at
 * the moment of the question. Safe for use by any thread.
 */
public final class CatchUp implements Freshness {

  private final BoundsQueries log;
  private final ChangeReader replicas;

  /** Guarded by the monitor. */
  private final Set<Wait> waits = new LinkedHashSet<>();

  /** Of the replicas that {@code replicas} reads, and the log that they are read from. */
  public CatchUp(BoundsQueries log, ChangeReader replicas) {
    this.log = log;
    this.replicas = replicas;
  }

  /**
   * Tells {@code then} once, on any thread: with a failure if the log cannot be asked, or the wait
   * was {@linkplain #giveUp given up}.
   */
  @Override
  public void whenFresh(int partition, Consumer<Optional<RefusedException>> then) {
    log.bounds(List.of(partition))
        .whenComplete(
            (bounds, failure) -> {
              if (failure == null) {
                waitFor(partition, bounds.get(partition).last(), then);
              } else {
                then.accept(Optional.of(unavailable(failure)));
              }
            });
  }

  /** What is said when the log cannot be asked. */
  public static RefusedException unavailable(Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    return cause instanceof RefusedException refused
        ? refused
        : new RefusedException(
            ErrorCode.LOG_UNAVAILABLE,
            "the shared log cannot be asked (" + cause.getMessage() + "); try again later");
  }

  private void waitFor(int partition, long end, Consumer<Optional<RefusedException>> then) {
    Wait wait = new Wait(partition, end, then);
    synchronized (this) {
      waits.add(wait);
    }
    replicas.subscribe(partition, wait);
    // Behind the subscription, so that what is read in between is not missed.
    wait.look();
  }

  /** Nothing more is read of a partition: those who wait for it are told. */
  @Override
  public void giveUp(int partition, RefusedException reason) {
    List<Wait> over;
    synchronized (this) {
      over = waits.stream().filter(wait -> wait.partition == partition).toList();
    }
    over.forEach(wait -> wait.end(Optional.of(reason)));
  }

  private final class Wait implements ChangeReader.CommitListener {
    private final int partition;
    private final long position;
    private final Consumer<Optional<RefusedException>> then;
    private final AtomicBoolean isOver = new AtomicBoolean();

    Wait(int partition, long position, Consumer<Optional<RefusedException>> then) {
      this.partition = partition;
      this.position = position;
      this.then = then;
    }

    @Override
    public void committed(int ofPartition, long upTo) {
      look();
    }

    void look() {
      if (replicas.settled(partition) >= position) {
        end(Optional.empty());
      }
    }

    void end(Optional<RefusedException> failure) {
      if (isOver.compareAndSet(false, true)) {
        replicas.unsubscribe(partition, this);
        synchronized (CatchUp.this) {
          waits.remove(this);
        }
        then.accept(failure);
      }
    }
  }
}
