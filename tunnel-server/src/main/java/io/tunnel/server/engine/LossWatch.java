package io.tunnel.server.engine;

import io.tunnel.model.ChannelType;
import io.tunnel.server.changes.LogFigures;
import io.tunnel.server.session.TunnelHost;
import io.tunnel.server.session.TunnelHosts;
import io.tunnel.wire.control.Control.TunnelInfo;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts and logs the changes that channels lost to the retention of their tables: if a channel has
 * no worker, nothing else would report the loss. A worker may still process changes that it
 * received and the table no longer keeps; they are lost when the channel loses this worker.
 */
public final class LossWatch {

  private static final Logger LOGGER = LoggerFactory.getLogger(LossWatch.class);

  private final TunnelHosts hosts;
  private final LogFigures log;
  private final LongSupplier nanos;
  private final LongConsumer counter;

  /** By host; only the host's thread uses the core. */
  private final Map<TunnelHost, LossCore> cores = new ConcurrentHashMap<>();

  /**
   * A watch over the tunnels that this server coordinates.
   *
   * @param counter takes the number of changes that were lost; any host's thread calls it
   */
  public LossWatch(Ports.Tunnels tunnels, LongSupplier nanos, LongConsumer counter) {
    hosts = tunnels.hosts();
    log = tunnels.figures();
    this.nanos = nanos;
    this.counter = counter;
  }

  /** Posts a look to the thread of each host. */
  public void look() {
    Set<TunnelHost> now = Set.copyOf(hosts.all());
    cores.keySet().retainAll(now);
    for (TunnelHost host : now) {
      LossCore core = cores.computeIfAbsent(host, unused -> new LossCore(nanos.getAsLong()));
      try {
        host.control().execute(() -> look(host, core));
      } catch (RejectedExecutionException e) {
        // The host has moved to another node, or the server stops.
        cores.remove(host);
      }
    }
  }

  /** A lost channel, with its tunnel. */
  private record Channel(TunnelInfo tunnel, int partition) {}

  private void look(TunnelHost host, LossCore core) {
    Map<String, Channel> channels = new HashMap<>();
    List<LossCore.Lost> lost = new ArrayList<>();
    for (TunnelInfo tunnel : host.catalog().tunnels(Optional.empty())) {
      host.catalog()
          .channels(tunnel)
          .forEach(
              (key, state) -> {
                if (key.type() != ChannelType.Stream
                    || !log.isLost(key.partition(), state.checkpointed(), state.end())) {
                  return;
                }
                long checkpointed = state.checkpointed();
                long received =
                    Math.max(
                        checkpointed,
                        host.coordinator().received(tunnel.tunnelId(), key).orElse(checkpointed));
                long last =
                    Math.min(
                        log.firstPosition(key.partition()) - 1, state.end().orElse(Long.MAX_VALUE));
                if (received < last) {
                  String channel = key.channelId(tunnel.tunnelId());
                  channels.put(channel, new Channel(tunnel, key.partition()));
                  lost.add(new LossCore.Lost(channel, received + 1, last));
                }
              });
    }
    LossCore.Found found = core.look(lost, nanos.getAsLong());
    counter.accept(found.changes());
    found.lines().forEach(line -> log(line, channels.get(line.lost().channel())));
    if (found.rest().channels() > 0) {
      LOGGER.warn(
          "{} more channels lost {} changes that their tables no longer keep; lines on them follow,"
              + " {} a minute; the meter tunnel_channels_lost has all tunnels",
          found.rest().channels(),
          found.rest().changes(),
          LossCore.LINES_MAX);
    }
  }

  private static void log(LossCore.Line line, Channel channel) {
    LossCore.Lost lost = line.lost();
    if (line.isFirst()) {
      LOGGER.warn(
          "tunnel {} of table {} lost changes {} to {} of partition {}: the table no longer keeps"
              + " them, and the tunnel had not processed them; channel {} stops: 'tunnel tunnels"
              + " seek --to earliest' moves it to what is kept, then 'tunnel tunnels resume' lets"
              + " it continue",
          channel.tunnel().tunnel(),
          channel.tunnel().table(),
          lost.first(),
          lost.last(),
          channel.partition(),
          lost.channel());
    } else {
      LOGGER.warn(
          "tunnel {} of table {} lost {} more changes of partition {}, now {} to {}: channel {} is"
              + " where it was, and the table keeps changes for a limited time",
          channel.tunnel().tunnel(),
          channel.tunnel().table(),
          line.changes(),
          channel.partition(),
          lost.first(),
          lost.last(),
          lost.channel());
    }
  }
}
