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
 * Waits until this node's replica of a partition has read everything that the shared log had at the
 * time of the question. Safe for use by any thread.
 */
public final class CatchUp implements Freshness {

  private final BoundsQueries log;
  private final ChangeReader replicas;

  /** Guarded by the monitor. */
  private final Set<Wait> waits = new LinkedHashSet<>();

  /** Waits for {@code replicas}, which read {@code log}. */
  public CatchUp(BoundsQueries log, ChangeReader replicas) {
    this.log = log;
    this.replicas = replicas;
  }

  /**
   * Calls {@code then} once, on any thread; with a failure if the log does not answer, or the wait
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

  /** The refusal when the log, or the leader of a partition, does not answer. */
  public static RefusedException unavailable(Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    if (cause instanceof RefusedException refused) {
      return refused;
    }
    String what =
        cause instanceof LookFailedException
            ? cause.getMessage()
            : "the shared log does not answer (" + cause.getMessage() + ")";
    return new RefusedException(ErrorCode.LOG_UNAVAILABLE, what + "; try again later");
  }

  private void waitFor(int partition, long end, Consumer<Optional<RefusedException>> then) {
    Wait wait = new Wait(partition, end, then);
    synchronized (this) {
      waits.add(wait);
    }
    replicas.subscribe(partition, wait);
    // After the subscription, so that no commit in between is missed.
    wait.look();
  }

  /** Ends all waits for a partition, which this node no longer reads. */
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
      if (replicas.committed(partition) >= position) {
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
