package io.tunnel.server.engine;

import io.tunnel.model.ChannelType;
import io.tunnel.server.catalog.TunnelCatalog;
import io.tunnel.server.changes.LogFigures;
import io.tunnel.server.session.TunnelHost;
import io.tunnel.server.session.TunnelHosts;
import io.tunnel.wire.control.Control.TunnelInfo;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs each channel that lost changes to the retention of its table, once until the channel is
 * moved: if the channel has no worker, nothing else would report the loss.
 */
public final class LossWatch {

  private static final Logger LOGGER = LoggerFactory.getLogger(LossWatch.class);

  private final TunnelHosts hosts;
  private final LogFigures log;

  /** By host, ids of the channels that were logged; the host's thread replaces the set. */
  private final Map<TunnelHost, Set<String>> logged = new ConcurrentHashMap<>();

  /** A watch over the tunnels that this server coordinates. */
  public LossWatch(Ports.Tunnels tunnels) {
    hosts = tunnels.hosts();
    log = tunnels.figures();
  }

  /** Posts a look to the thread of each host. */
  public void look() {
    Set<TunnelHost> now = Set.copyOf(hosts.all());
    logged.keySet().retainAll(now);
    for (TunnelHost host : now) {
      try {
        host.control().execute(() -> look(host));
      } catch (RejectedExecutionException e) {
        // The host has moved to another node, or the server stops.
        logged.remove(host);
      }
    }
  }

  private void look(TunnelHost host) {
    Set<String> before = logged.getOrDefault(host, Set.of());
    Set<String> lost = new HashSet<>();
    for (TunnelInfo tunnel : host.catalog().tunnels(Optional.empty())) {
      look(host.catalog(), tunnel, before, lost);
    }
    logged.put(host, lost);
  }

  private void look(
      TunnelCatalog catalog, TunnelInfo tunnel, Set<String> before, Set<String> lost) {
    catalog
        .channels(tunnel)
        .forEach(
            (key, state) -> {
              if (key.type() != ChannelType.Stream
                  || !log.isLost(key.partition(), state.checkpointed(), state.end())) {
                return;
              }
              String channel = key.channelId(tunnel.tunnelId());
              lost.add(channel);
              if (!before.contains(channel)) {
                LOGGER.warn(
                    "tunnel {} of table {} lost changes {} to {} of partition {}: the table no"
                        + " longer keeps them, and the tunnel had not processed them; channel {}"
                        + " stops: 'tunnel tunnels seek --to earliest' moves it to what is kept,"
                        + " then 'tunnel tunnels resume' lets it go on",
                    tunnel.tunnel(),
                    tunnel.table(),
                    state.checkpointed() + 1,
                    Math.min(
                        log.firstPosition(key.partition()) - 1, state.end().orElse(Long.MAX_VALUE)),
                    key.partition(),
                    channel);
              }
            });
  }
}
