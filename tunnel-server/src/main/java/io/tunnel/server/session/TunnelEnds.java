package io.tunnel.server.session;

import io.tunnel.core.ChannelKey;
import io.tunnel.core.ChannelState;
import io.tunnel.model.ChannelType;
import io.tunnel.model.RefusedException;
import io.tunnel.server.catalog.TunnelCatalog;
import io.tunnel.server.changes.LogBounds;
import io.tunnel.wire.control.Control.TunnelInfo;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the end positions of tunnels that end at a point in time. When the time has passed and all
 * changes in flight are committed, no later change can belong to the tunnel; the last position
 * before the time is stored. Until then every start of the server searches again.
 */
final class TunnelEnds {

  private static final Logger LOGGER = LoggerFactory.getLogger(TunnelEnds.class);
  private static final long AGAIN_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final TunnelCatalog catalog;
  private final LogBounds bounds;
  private final Surroundings surroundings;
  private final Listener listener;

  /** Tunnels with unknown ends whose search has not begun. */
  private final Map<String, Waiting> waiting = new LinkedHashMap<>();

  /** Searches that are under way. */
  private final Map<String, Search> underWay = new LinkedHashMap<>();

  /** A tunnel whose search begins when its time has passed, and not before {@code fromNanos}. */
  private record Waiting(TunnelInfo tunnel, long fromNanos) {}

  /** One search for the ends of a tunnel's channels. */
  private static final class Search {
    private final TunnelInfo tunnel;
    private final List<ChannelKey> keys;
    private int barriersLeft;

    Search(TunnelInfo tunnel, List<ChannelKey> keys) {
      this.tunnel = tunnel;
      this.keys = keys;
      this.barriersLeft = keys.size();
    }

    List<Integer> partitions() {
      return keys.stream().map(ChannelKey::partition).toList();
    }
  }

  /** Called for each end that was found and stored. */
  @FunctionalInterface
  interface Listener {
    /** The channel ends after {@code end}. */
    void endKnown(TunnelInfo tunnel, ChannelKey key, long end);
  }

  TunnelEnds(
      TunnelCatalog catalog, LogBounds bounds, Surroundings surroundings, Listener listener) {
    this.catalog = catalog;
    this.bounds = bounds;
    this.surroundings = surroundings;
    this.listener = listener;
  }

  /** Searches for the ends of a tunnel, if it has unknown ones. */
  void watch(TunnelInfo tunnel) {
    if (tunnel.endMs().isPresent() && !endless(tunnel).isEmpty()) {
      waiting.put(tunnel.tunnelId(), new Waiting(tunnel, surroundings.nanos()));
    }
  }

  private List<ChannelKey> endless(TunnelInfo tunnel) {
    return catalog.channels(tunnel).entrySet().stream()
        .filter(channel -> channel.getKey().type() == ChannelType.Stream)
        .filter(channel -> channel.getValue().end().isEmpty())
        .map(Map.Entry::getKey)
        .toList();
  }

  /** The tunnel was deleted. */
  void forget(String tunnelId) {
    waiting.remove(tunnelId);
    underWay.remove(tunnelId);
  }

  /** Begins searches that are due. */
  void tick() {
    for (Waiting one : List.copyOf(waiting.values())) {
      boolean isDue = surroundings.nanos() - one.fromNanos() >= 0;
      if (isDue && endMicros(one.tunnel()) <= surroundings.passedMicros()) {
        waiting.remove(one.tunnel().tunnelId());
        begin(one.tunnel());
      }
    }
  }

  private void begin(TunnelInfo tunnel) {
    Search search = new Search(tunnel, endless(tunnel));
    underWay.put(tunnel.tunnelId(), search);
    search
        .partitions()
        .forEach(
            partition ->
                surroundings.passBarrier(partition, endMicros(tunnel), () -> passed(search)));
  }

  private boolean isUnderWay(Search search) {
    return underWay.get(search.tunnel.tunnelId()) == search;
  }

  private void passed(Search search) {
    search.barriersLeft--;
    if (search.barriersLeft > 0 || !isUnderWay(search)) {
      return;
    }
    bounds.look(
        search.partitions(),
        Set.of(endMicros(search.tunnel)),
        new LogBounds.Looked() {
          @Override
          public void found(Map<Integer, LogBounds.Look> lookByPartition) {
            TunnelEnds.this.found(search, lookByPartition);
          }

          @Override
          public void failed(Exception reason) {
            again(search, surroundings.nanos(), reason);
          }
        });
  }

  private void found(Search search, Map<Integer, LogBounds.Look> lookByPartition) {
    if (!isUnderWay(search)) {
      return;
    }
    String tunnelId = search.tunnel.tunnelId();
    Map<ChannelKey, ChannelState> ended = new LinkedHashMap<>();
    for (ChannelKey key : search.keys) {
      LogBounds.Moment moment =
          lookByPartition.get(key.partition()).moment(endMicros(search.tunnel));
      if (moment.isPassed()) {
        ChannelState state = catalog.channel(tunnelId, key);
        // A cluster's log may have stamped changes late that a worker has processed.
        long end = Math.max(moment.before(), state.checkpointed());
        ended.put(key, state.withEnd(Optional.of(end), false));
      }
    }
    try {
      catalog.store(tunnelId, ended);
    } catch (IOException | RefusedException e) {
      again(search, surroundings.nanos(), e);
      return;
    }
    underWay.remove(tunnelId);
    if (ended.size() < search.keys.size()) {
      waiting.put(tunnelId, new Waiting(search.tunnel, surroundings.nanos() + AGAIN_NANOS));
    }
    ended.forEach((key, state) -> listener.endKnown(search.tunnel, key, state.end().orElseThrow()));
  }

  private void again(Search search, long fromNanos, Exception reason) {
    if (isUnderWay(search)) {
      String tunnelId = search.tunnel.tunnelId();
      LOGGER.warn(
          "cannot find or store the ends of the channels of tunnel {} of table {}: {}; will retry",
          search.tunnel.tunnel(),
          search.tunnel.table(),
          reason.getMessage());
      underWay.remove(tunnelId);
      waiting.put(tunnelId, new Waiting(search.tunnel, fromNanos));
    }
  }

  private static long endMicros(TunnelInfo tunnel) {
    return TimeUnit.MILLISECONDS.toMicros(tunnel.endMs().orElseThrow());
  }
}
