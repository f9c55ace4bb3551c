package io.tunnel.server.session;

import io.tunnel.model.ChannelType;
import io.tunnel.server.catalog.ChannelKey;
import io.tunnel.server.catalog.ChannelState;
import io.tunnel.server.catalog.TunnelCatalog;
import io.tunnel.server.log.ChangeReader;
import io.tunnel.wire.Control.TunnelInfo;
import java.io.IOException;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the positions at which tunnels end that end at a moment in time. When the moment has passed
 * and what was being written then is committed, no further change can belong to the tunnel; the
 * last position that does is stored. Until it is, every start of the server looks again.
 */
final class TunnelEnds {

  private static final Logger LOGGER = LoggerFactory.getLogger(TunnelEnds.class);

  private final TunnelCatalog catalog;
  private final ChangeReader changes;
  private final Surroundings surroundings;
  private final Listener listener;

  /** Tunnels whose moment has not passed. */
  private final Map<String, TunnelInfo> waiting = new LinkedHashMap<>();

  /** Channels that are being looked at, and those that could not be stored. */
  private final Set<Search> underWay = new HashSet<>();

  private final Set<Search> failed = new LinkedHashSet<>();

  private record Search(TunnelInfo tunnel, ChannelKey key) {}

  /** Is told of an end that was found and stored. */
  @FunctionalInterface
  interface Listener {
    /** The channel ends behind {@code end}. */
    void endKnown(TunnelInfo tunnel, ChannelKey key, long end);
  }

  TunnelEnds(
      TunnelCatalog catalog, ChangeReader changes, Surroundings surroundings, Listener listener) {
    this.catalog = catalog;
    this.changes = changes;
    this.surroundings = surroundings;
    this.listener = listener;
  }

  /** From now on looks for the ends of a tunnel, if it has any that are not known. */
  void watch(TunnelInfo tunnel) {
    if (tunnel.endMs().isPresent() && !endless(tunnel).isEmpty()) {
      waiting.put(tunnel.tunnelId(), tunnel);
    }
  }

  private List<ChannelKey> endless(TunnelInfo tunnel) {
    return catalog.channels(tunnel).entrySet().stream()
        .filter(channel -> channel.getKey().type() == ChannelType.Stream)
        .filter(channel -> channel.getValue().end().isEmpty())
        .map(Map.Entry::getKey)
        .toList();
  }

  /** The tunnel is gone. */
  void forget(String tunnelId) {
    waiting.remove(tunnelId);
    failed.removeIf(search -> search.tunnel().tunnelId().equals(tunnelId));
    underWay.removeIf(search -> search.tunnel().tunnelId().equals(tunnelId));
  }

  /** Looks at the clock. */
  void tick() {
    List<Search> again = List.copyOf(failed);
    failed.clear();
    again.forEach(this::begin);
    for (TunnelInfo tunnel : List.copyOf(waiting.values())) {
      if (endMicros(tunnel) <= surroundings.epochMicros()) {
        waiting.remove(tunnel.tunnelId());
        endless(tunnel).forEach(key -> begin(new Search(tunnel, key)));
      }
    }
  }

  private void begin(Search search) {
    underWay.add(search);
    surroundings.passBarrier(search.key().partition(), () -> find(search));
  }

  private void find(Search search) {
    if (!underWay.remove(search)) {
      return;
    }
    String tunnelId = search.tunnel().tunnelId();
    try {
      ChannelState state = catalog.channel(tunnelId, search.key());
      long before = changes.positionBefore(search.key().partition(), endMicros(search.tunnel()));
      // A clock that was set back may have let changes through that are behind the end.
      long end = Math.max(before, state.checkpointed());
      catalog.store(tunnelId, Map.of(search.key(), state.withEnd(Optional.of(end), false)));
      listener.endKnown(search.tunnel(), search.key(), end);
    } catch (IOException e) {
      LOGGER.warn("cannot find or store where {} of {} ends", search.key(), tunnelId, e);
      failed.add(search);
    }
  }

  private static long endMicros(TunnelInfo tunnel) {
    return TimeUnit.MILLISECONDS.toMicros(tunnel.endMs().orElseThrow());
  }
}
