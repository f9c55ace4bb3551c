package io.tunnel.sdk.write;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.Endpoint;
import io.tunnel.sdk.transport.BackoffCore;
import io.tunnel.sdk.transport.SystemClock;
import io.tunnel.wire.control.Control.PartitionDescription;
import io.tunnel.wire.control.Control.TableDescription;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * When and where the batches are sent again that were not applied. Each lane has pauses of its own;
 * which node leads its partition now is learned from the refusal, or from the partition map, which
 * is read once for all lanes that want it together. All of it runs on the event loop.
 */
final class Retries {

  private static final long PAUSE_FIRST_MS = 5;
  private static final long PAUSE_MS_MAX = 500;

  private final WriteEngine engine;
  private final RandomGenerator jitter = SystemClock.jitter();
  private final BackoffCore backoff = BackoffCore.ofMillis(PAUSE_FIRST_MS, PAUSE_MS_MAX);

  /** Lanes that wait for the map that is being read, or the next one. */
  private final Set<Lane> seeking = new LinkedHashSet<>();

  private boolean isReading;

  Retries(WriteEngine engine) {
    this.engine = engine;
  }

  /** The head of {@code lane} failed so, and is to be sent again. */
  void later(Lane lane, Throwable failure) {
    Optional<Endpoint> leader = told(failure);
    boolean isNews = isSentOn(lane, failure);
    boolean wantsMap = leader.isEmpty() && isOfLeader(lane, failure);
    if (isNews) {
      lane.ledBy(leader);
    }
    if (wantsMap) {
      // A leader that is cut off from its log believes in itself, and would say so in its map.
      lane.leader().ifPresent(engine::avoid);
    }
    long pause =
        isNews && lane.failures() == 1
            ? 0
            : backoff.pauseNanos(lane.failures(), jitter.nextDouble());
    engine.later(
        () -> {
          if (wantsMap) {
            seek(lane);
          } else {
            resume(lane);
          }
        },
        pause);
  }

  /**
   * The head of {@code lane} failed so, and is not sent again: the batches behind it go to the node
   * that is said to lead, or ask anew if the node that was taken for the leader seems to be gone.
   */
  void leave(Lane lane, Throwable failure) {
    if (told(failure).isPresent()) {
      lane.ledBy(told(failure));
    } else if (isOfLeader(lane, failure)) {
      lane.leader().ifPresent(engine::avoid);
      lane.ledBy(Optional.empty());
    }
  }

  private static Optional<Endpoint> told(Throwable failure) {
    return failure instanceof RefusedException refused
        ? Endpoint.told(refused.leader())
        : Optional.empty();
  }

  /** Whether the failure says that another node leads than the one that was asked. */
  static boolean isSentOn(Lane lane, Throwable failure) {
    Optional<Endpoint> leader = told(failure);
    return leader.isPresent() && !leader.equals(lane.leader());
  }

  /** Whether the failure may mean that somebody else leads now. */
  private static boolean isOfLeader(Lane lane, Throwable failure) {
    if (failure instanceof RefusedException refused) {
      return refused.code() == ErrorCode.NOT_LEADER
          || (lane.leader().isPresent() && refused.code() != ErrorCode.BUSY);
    }
    return failure instanceof ConnectionException && lane.leader().isPresent();
  }

  private void resume(Lane lane) {
    lane.resume().ifPresent(again -> engine.send(lane, again));
  }

  private void seek(Lane lane) {
    seeking.add(lane);
    if (!isReading) {
      read();
    }
  }

  /** A map that was asked for before a lane failed may be older than its failure. */
  private void read() {
    isReading = true;
    List<Lane> asking = List.copyOf(seeking);
    seeking.clear();
    engine.readMap((map, failure) -> arrived(map, failure, asking));
  }

  /** Without a map, the lanes find out again that they are wrong, until their deadline. */
  private void arrived(TableDescription map, Throwable failure, List<Lane> asking) {
    isReading = false;
    if (failure == null) {
      Map<Integer, Optional<Endpoint>> leaders = new HashMap<>();
      for (PartitionDescription partition : map.partitions()) {
        leaders.put(partition.id(), Endpoint.told(partition.leader()));
      }
      for (Lane lane : asking) {
        lane.ledBy(leaders.getOrDefault(lane.partition(), Optional.empty()));
      }
    }
    asking.forEach(this::resume);
    if (!seeking.isEmpty() && !isReading) {
      read();
    }
  }
}
