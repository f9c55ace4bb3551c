package io.tunnel.sdk.write;

import io.tunnel.model.Durability;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.RowChange;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.Endpoint;
import io.tunnel.sdk.RowCallback;
import io.tunnel.sdk.RowResult;
import io.tunnel.sdk.RowResult.Outcome;
import io.tunnel.sdk.transport.BackoffCore;
import io.tunnel.sdk.transport.Caller;
import io.tunnel.sdk.transport.Nodes;
import io.tunnel.wire.control.Control.PartitionDescription;
import io.tunnel.wire.control.Control.TableDescription;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * When and where a batch that was not applied is sent again. All of it runs on the event loop.
 *
 * <p>The server may have refused the batch because another node leads, or because another partition
 * holds the rows. The refusal names the leader, or the partition map does. One read of the map
 * answers all waiting lanes; the lanes that begin to wait during the read share the next one,
 * because the map may be older than their refusals.
 *
 * <p>When the map has other partitions, the rows of the partitions that are gone move to the new
 * ones. Writes to a key keep their order: the lanes that are gone take no rows once the new map is
 * known, no row moves while one of these lanes has a batch in flight, rows move oldest first, and
 * callers see the new map only when all rows have moved. A caller that adds to a lane that is gone
 * waits until then; callers of other lanes do not notice.
 *
 * <p>The map may also be older than the refusal, because its node has not heard of the split or
 * merge. Rows that are refused again wait for another map, with growing pauses, until their
 * deadline.
 */
final class Retries {

  private static final Logger LOG = LoggerFactory.getLogger(Retries.class);
  private static final RowResult MOVED_IN_DOUBT =
      Outcomes.failure(
          Outcome.IN_DOUBT,
          -1,
          new ConnectionException("the answer was lost, and the partition is gone", false, null));

  /** Refusals by a node that leads. */
  private static final Set<ErrorCode> OF_A_LEADER =
      EnumSet.of(ErrorCode.BUSY, ErrorCode.WRITER_ENDED, ErrorCode.FEATURE_NOT_ENABLED);

  private static final long PAUSE_FIRST_MS = 5;
  private static final long PAUSE_MS_MAX = 500;

  private final WriteEngine engine;
  private final Sender sender;
  private final Nodes nodes;
  private final PartitionMaps maps;
  private final Lane.Settings settings;
  private final Optional<Durability> durability;
  private final BackoffCore backoff = BackoffCore.ofMillis(PAUSE_FIRST_MS, PAUSE_MS_MAX);

  /** Lanes that want to know their leader. The head of each is paused, or was taken away. */
  private final Set<Lane> leaderless = new LinkedHashSet<>();

  /** Lanes that want the current partitions. The head of each is misrouted, or was taken away. */
  private final Set<Lane> misrouted = new LinkedHashSet<>();

  private boolean isReading;

  /** The routes by the new map, until the rows of the lanes in {@link #leaving} have moved. */
  private Optional<Routes> next = Optional.empty();

  private List<Lane> leaving = List.of();

  Retries(
      WriteEngine engine,
      Sender sender,
      Nodes nodes,
      PartitionMaps maps,
      Lane.Settings settings,
      Optional<Durability> durability) {
    this.engine = engine;
    this.sender = sender;
    this.nodes = nodes;
    this.maps = maps;
    this.settings = settings;
    this.durability = durability;
  }

  /** Sends the head of {@code lane}, which failed with {@code failure}, again after a pause. */
  void later(Lane lane, Throwable failure) {
    Optional<Endpoint> leader = told(failure);
    boolean isNews = isSentOn(lane, failure);
    boolean wantsLeader = leader.isEmpty() && isOfLeader(lane, failure);
    if (isNews) {
      lane.ledBy(leader);
    }
    if (wantsLeader) {
      // A leader that is cut off from its log still names itself in its map.
      lane.leader().ifPresent(nodes::avoid);
    }
    boolean isOfDate =
        failure instanceof RefusedException refused && refused.code() == ErrorCode.WRITER_ENDED;
    boolean isFollowedAtOnce = (isNews || isOfDate) && lane.failures() == 1;
    sender.later(
        () ->
            sender.guarded(
                lane,
                () -> {
                  if (wantsLeader) {
                    await(leaderless, lane);
                  } else {
                    sender.resend(lane);
                  }
                }),
        isFollowedAtOnce ? 0 : pauseNanos(lane.failures()));
  }

  /**
   * Handles the failure of a head that is not sent again. The batches behind it go to the leader
   * that the failure names. When the failure suggests that the leader is gone, the next batch asks
   * any node.
   */
  void leave(Lane lane, Throwable failure) {
    if (told(failure).isPresent()) {
      lane.ledBy(told(failure));
    } else if (isOfLeader(lane, failure)) {
      lane.leader().ifPresent(nodes::avoid);
      lane.ledBy(Optional.empty());
    }
  }

  /** The server refused the head of {@code lane} as sent to the wrong partition. */
  void misrouted(Lane lane) {
    if (lane.isClosed()) {
      return; // A new map is known, and the rows are about to move.
    }
    int times = lane.failures();
    if (times == 1) {
      await(misrouted, lane);
      return;
    }
    // The map that led here was old: another node may have a newer one.
    nodes.leaveHome();
    sender.later(() -> sender.guarded(lane, () -> await(misrouted, lane)), pauseNanos(times - 1));
  }

  /** Fails the rows that wait for a map, because the writer was closed. */
  void abandon(Throwable reason) {
    engine.routes().lanes().forEach(lane -> failMisrouted(lane, reason));
  }

  private long pauseNanos(int failures) {
    return backoff.pauseNanos(failures, nodes.port().chance().nextDouble());
  }

  private static Optional<Endpoint> told(Throwable failure) {
    return failure instanceof RefusedException refused
        ? Endpoint.told(refused.leader())
        : Optional.empty();
  }

  /** Whether the failure names a leader other than the node that was asked. */
  static boolean isSentOn(Lane lane, Throwable failure) {
    Optional<Endpoint> leader = told(failure);
    return leader.isPresent() && !leader.equals(lane.leader());
  }

  /** Whether another node may lead now, to judge by the failure. */
  private static boolean isOfLeader(Lane lane, Throwable failure) {
    if (failure instanceof RefusedException refused) {
      return refused.code() == ErrorCode.NOT_LEADER
          || (lane.leader().isPresent() && !OF_A_LEADER.contains(refused.code()));
    }
    return failure instanceof ConnectionException && lane.leader().isPresent();
  }

  private void await(Set<Lane> waiting, Lane lane) {
    if (!lane.isClosed()) { // The rows of a closed lane move by the map that closed it.
      waiting.add(lane);
      readIfWanted();
    }
  }

  private void readIfWanted() {
    // While a handover is under way, a second set of new partitions has to wait.
    boolean takesPartitions = next.isEmpty() && !misrouted.isEmpty();
    if (isReading || (leaderless.isEmpty() && !takesPartitions)) {
      return;
    }
    isReading = true;
    List<Lane> wantLeader = List.copyOf(leaderless);
    leaderless.clear();
    List<Lane> wantPartitions = takesPartitions ? List.copyOf(misrouted) : List.of();
    misrouted.removeAll(wantPartitions);
    CompletableFuture<TableDescription> reading;
    try {
      reading = maps.read();
    } catch (RuntimeException e) {
      reading = CompletableFuture.failedFuture(e);
    }
    var unused =
        reading.whenComplete(
            (map, failure) ->
                sender.onLoop(
                    () -> arrived(map, Caller.unwrap(failure), wantLeader, wantPartitions)));
  }

  private void arrived(
      TableDescription map, Throwable failure, List<Lane> wantLeader, List<Lane> wantPartitions) {
    isReading = false;
    if (failure == null) {
      try {
        learnLeaders(map, wantLeader);
      } catch (RuntimeException e) {
        // As without a map: these lanes are refused again, and ask again, until their deadline.
        LOG.warn("cannot read the leaders of a partition map; the batches are retried", e);
      }
    }
    if (!wantPartitions.isEmpty()) {
      reroute(map, failure, wantPartitions);
    }
    // Without a map these lanes are refused again, and ask again, until their deadline.
    wantLeader.forEach(sender::resend);
    handOverIfQuiet();
    readIfWanted();
  }

  private static void learnLeaders(TableDescription map, List<Lane> lanes) {
    Map<Integer, Optional<Endpoint>> leaders = new HashMap<>();
    for (PartitionDescription partition : map.partitions()) {
      leaders.put(partition.id(), Endpoint.told(partition.leader()));
    }
    for (Lane lane : lanes) {
      lane.ledBy(leaders.getOrDefault(lane.partition(), Optional.empty()));
    }
  }

  private void reroute(TableDescription map, Throwable failure, List<Lane> waiting) {
    List<Lane> current = engine.routes().lanes();
    Routes routes;
    try {
      if (failure != null) {
        waiting.forEach(lane -> failMisrouted(lane, failure));
        return;
      }
      routes = Routes.of(map, durability, settings, current);
    } catch (RuntimeException e) {
      // A map that makes no sense must not keep the lanes waiting for ever.
      waiting.forEach(lane -> failMisrouted(lane, e));
      return;
    }
    leaving = new ArrayList<>(current);
    leaving.removeAll(routes.lanes());
    leaving.forEach(lane -> lane.move(Lane.Phase.CLOSED));
    leaving.forEach(misrouted::remove); // Their rows move now, by this map.
    next = Optional.of(routes);
    waiting.forEach(sender::resend);
  }

  private void failMisrouted(Lane lane, Throwable failure) {
    Outcome outcome =
        failure instanceof RefusedException refused && !refused.retriable()
            ? Outcome.REJECTED
            : Outcome.NOT_SENT;
    lane.takeMisrouted().ifPresent(batch -> sender.fail(lane, batch, outcome, failure));
  }

  /** Moves the rows of the leaving lanes, once no batch in flight can change their order. */
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
    readIfWanted();
  }

  private void move(Batch batch, Routes routes, List<Runnable> refusals) {
    engine.moves(batch);
    settings.budget().giveBack(batch.encodedBytes());
    if (batch.isAtomic() && !batch.isInDoubt()) {
      moveTogether(batch, routes, refusals);
      return;
    }
    for (int i = 0; i < batch.rowCount(); i++) {
      RowChange row = batch.row(i);
      RowCallback callback = batch.counted(i);
      if (batch.isInDoubt()) {
        // The former partition alone knows whether it has applied the row.
        refusals.add(() -> Outcomes.tell(row, callback, MOVED_IN_DOUBT));
        continue;
      }
      try {
        Lane lane = routes.laneOf(row);
        sender.act(lane, lane.addMoved(row, callback, batch.misrouted()));
      } catch (RuntimeException e) {
        // The table was created again, with another key.
        RowResult result = unmoved(e, ErrorCode.KEY_MISMATCH);
        refusals.add(() -> Outcomes.tell(row, callback, result));
      }
    }
  }

  /** The result of rows that no new partition takes, or of which an error kept them from one. */
  private static RowResult unmoved(RuntimeException e, ErrorCode code) {
    return e instanceof IllegalArgumentException
        ? Outcomes.failure(Outcome.REJECTED, -1, new RefusedException(code, e.getMessage()))
        : Outcomes.failure(Outcome.NOT_SENT, -1, e);
  }

  private void moveTogether(Batch batch, Routes routes, List<Runnable> refusals) {
    List<RowChange> rows = new ArrayList<>();
    List<RowCallback> callbacks = new ArrayList<>();
    for (int i = 0; i < batch.rowCount(); i++) {
      rows.add(batch.row(i));
      callbacks.add(batch.counted(i));
    }
    try {
      Lane lane = routes.laneOfAll(rows);
      sender.act(lane, lane.addMovedAtomic(rows, callbacks, batch.misrouted()));
    } catch (RuntimeException e) {
      // The table was created again, with another key or with other partitions.
      RowResult result = unmoved(e, ErrorCode.WRONG_PARTITION);
      for (int i = 0; i < rows.size(); i++) {
        RowChange row = rows.get(i);
        RowCallback callback = callbacks.get(i);
        refusals.add(() -> Outcomes.tell(row, callback, result));
      }
    }
  }
}
