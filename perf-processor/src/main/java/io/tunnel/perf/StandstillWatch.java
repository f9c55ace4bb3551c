package io.tunnel.perf;

import io.tunnel.model.RefusedException;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.tunnel.DescribeTunnelResponse;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Asks about a tunnel while nothing comes of it, on a thread of its own: an answer that takes long
 * holds up no line of the report.
 */
final class StandstillWatch implements PerfRun.Standstills, AutoCloseable {

  private static final long LOOK_MS = 1_000;
  private static final long ANSWER_MS_MAX = 3_000;

  private final Supplier<DescribeTunnelResponse> description;
  private final LongSupplier rows;
  private final ScheduledExecutorService looks;

  /** Rows at the last look, touched by the looking thread alone. */
  private long rowsBefore;

  private volatile Optional<Standstill> seen = Optional.empty();

  /** Looks until it is closed. */
  StandstillWatch(Supplier<DescribeTunnelResponse> description, LongSupplier rows) {
    this.description = description;
    this.rows = rows;
    this.looks =
        Executors.newSingleThreadScheduledExecutor(
            task -> {
              Thread thread = new Thread(task, "perf-standstill");
              thread.setDaemon(true);
              return thread;
            });
    var unused =
        looks.scheduleWithFixedDelay(
            this::lookIfNothingCame, LOOK_MS, LOOK_MS, TimeUnit.MILLISECONDS);
  }

  private void lookIfNothingCame() {
    long now = rows.getAsLong();
    if (now == rowsBefore) {
      look();
    }
    rowsBefore = now;
  }

  private void look() {
    try {
      seen = Standstill.of(description.get());
    } catch (ConnectionException | RefusedException notKnownNow) {
      // The workers meet the same trouble, and say so if it does not pass.
    }
  }

  @Override
  public Optional<Standstill> seen() {
    return seen;
  }

  @Override
  public Optional<Standstill> now() throws InterruptedException {
    Future<?> look = looks.submit(this::look);
    try {
      look.get(ANSWER_MS_MAX, TimeUnit.MILLISECONDS);
    } catch (TimeoutException noAnswer) {
      // The server is unreachable: keep the last description.
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    }
    return seen;
  }

  @Override
  public void close() {
    looks.shutdownNow();
  }
}
