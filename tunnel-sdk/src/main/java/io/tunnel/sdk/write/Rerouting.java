package io.tunnel.sdk.write;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.RowChange;
import io.tunnel.sdk.RowCallback;
import io.tunnel.sdk.RowResult;
import io.tunnel.sdk.RowResult.Outcome;
import io.tunnel.sdk.transport.BackoffCore;
import io.tunnel.sdk.transport.SystemClock;
import io.tunnel.wire.control.Control.TableDescription;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * What happens when the server says that the partition map is old: it is read again, and the rows
 * of the partitions that are gone move to those that took their place. All of it runs on the event
 * loop.
 *
 * <p>Order of the writes to a key is kept because a lane that is gone takes no more rows from the
 * moment the new map is known, nothing moves before no such lane has a batch in flight, rows move
 * oldest first, and callers see the new map only when all have moved. Those who want to add to a
 * lane that is gone wait meanwhile; the others do not notice.
 *
 * <p>A map may be older than the word that led to its reading: its node has not heard yet. Rows
 * that are refused again therefore wait for another map, with growing pauses, until their deadline.
 */
final class Rerouting {

  private static final long PAUSE_FIRST_MS = 5;
  private static final long PAUSE_MS_MAX = 500;

  private final WriteEngine engine;
  private final RouteBuilder builder;
  private final RandomGenerator jitter = SystemClock.jitter();
  private final BackoffCore backoff = BackoffCore.ofMillis(PAUSE_FIRST_MS, PAUSE_MS_MAX);

  /** Lanes that wait for the next map; their heads are MISROUTED, or were taken away. */
  private final Set<Lane> misrouted = new LinkedHashSet<>();

  private boolean isReading;
  private Optional<Routes> next = Optional.empty();
  private List<Lane> leaving = List.of();

  Rerouting(WriteEngine engine, RouteBuilder builder) {
    this.engine = engine;
    this.builder = builder;
  }

  /** The head of {@code lane} was refused as sent to the wrong partition. */
  void misrouted(Lane lane) {
    if (lane.isClosed()) {
      return; // Its rows are about to move anyway.
    }
    int times = lane.misroutings();
    if (times <= 1) {
      want(lane);
      return;
    }
    // The map that said where to send these rows was old: perhaps another node knows better.
    engine.leaveHome();
    engine.later(() -> want(lane), backoff.pauseNanos(times - 1, jitter.nextDouble()));
  }

  private void want(Lane lane) {
    if (lane.isClosed()) {
      return; // A map that came meanwhile has its rows elsewhere.
    }
    misrouted.add(lane);
    if (!isReading && next.isEmpty()) {
      read();
    }
  }

  private void read() {
    isReading = true;
    engine.readMap(this::arrived);
  }

  private void arrived(TableDescription map, Throwable failure) {
    isReading = false;
    List<Lane> waiting = List.copyOf(misrouted);
    misrouted.clear();
    List<Lane> current = engine.routes().lanes();
    Routes routes;
    try {
      if (failure != null) {
        waiting.forEach(lane -> failMisrouted(lane, failure));
        return;
      }
      routes = builder.build(map, current);
    } catch (RuntimeException e) {
      // A map that makes no sense: the lanes that wait for one must not wait for ever.
      waiting.forEach(lane -> failMisrouted(lane, e));
      return;
    }
    leaving = new ArrayList<>(current);
    leaving.removeAll(routes.lanes());
    leaving.forEach(Lane::close);
    next = Optional.of(routes);
    waiting.forEach(lane -> lane.sendAgain().ifPresent(batch -> engine.send(lane, batch)));
    handOverIfQuiet();
  }

  /** Rows that wait for a map are given up: nobody wants them any more. */
  void abandon(Throwable reason) {
    engine.routes().lanes().forEach(lane -> failMisrouted(lane, reason));
  }

  private void failMisrouted(Lane lane, Throwable failure) {
    Outcome outcome =
        failure instanceof RefusedException refused && !refused.retriable()
            ? Outcome.REJECTED
            : Outcome.NOT_SENT;
    lane.takeMisrouted().ifPresent(batch -> engine.fail(lane, batch, outcome, failure));
  }

  /** Moves the rows when nothing in flight can change their order any more. */
  void handOverIfQuiet() {
    if (next.isEmpty() || leaving.stream().anyMatch(Lane::isInFlight)) {
      return;
    }
    Routes routes = next.get();
    List<Lane> gone = leaving;
    next = Optional.empty();
    leaving = List.of();
    List<Runnable> refusals = new ArrayList<>();
    engine.handOver(
        routes,
        () -> {
          for (Lane lane : gone) {
            lane.takeAll().forEach(batch -> move(batch, routes, refusals));
          }
        });
    refusals.forEach(Runnable::run);
    if (!misrouted.isEmpty()) {
      read();
    }
  }

  private void move(Batch batch, Routes routes, List<Runnable> refusals) {
    engine.moves(batch);
    engine.budget().giveBack(batch.encodedBytes());
    Countdown countdown = new Countdown(batch);
    for (int i = 0; i < batch.rowCount(); i++) {
      RowChange row = batch.row(i);
      RowCallback callback = countdown.counting(batch.callback(i));
      try {
        Lane lane = routes.laneOf(row);
        engine.act(lane, lane.addMoved(row, callback, batch.misrouted()));
      } catch (IllegalArgumentException e) {
        // The table was made anew with another key.
        RefusedException refused = new RefusedException(ErrorCode.KEY_MISMATCH, e.getMessage());
        RowResult result = Outcomes.failure(Outcome.REJECTED, -1, refused);
        refusals.add(() -> Outcomes.tell(row, callback, result));
      }
    }
  }
}
