package io.tunnel.server.session;

import io.tunnel.model.ChannelType;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.TunnelCatalog;
import io.tunnel.server.catalog.tunnel.ChannelKey;
import io.tunnel.server.catalog.tunnel.ChannelState;
import io.tunnel.server.changes.ChangeReader;
import io.tunnel.wire.control.Control.TunnelInfo;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Changes written without a sync may be delivered and processed, and then lost with the power.
 * Their positions are given to new changes, which a checkpoint beyond them would skip, and which do
 * not belong in front of an end that was found beyond them. A base channel has nothing to take
 * back: it goes on behind a key, whether that row is still there or not.
 */
final class LostChanges {

  private static final Logger LOGGER = LoggerFactory.getLogger(LostChanges.class);

  private LostChanges() {}

  /** The catalog, whose checkpoints are taken back to lie in front of what {@code changes} has. */
  static TunnelCatalog takenBack(TunnelCatalog catalog, ChangeReader changes) throws IOException {
    for (TunnelInfo tunnel : catalog.tunnels(Optional.empty())) {
      takeBack(catalog, changes, tunnel);
    }
    return catalog;
  }

  private static void takeBack(TunnelCatalog catalog, ChangeReader changes, TunnelInfo tunnel)
      throws IOException {
    Map<ChannelKey, ChannelState> takenBack = new LinkedHashMap<>();
    catalog
        .channels(tunnel)
        .forEach(
            (key, state) -> {
              long committed = changes.committed(key.partition());
              boolean isStream = key.type() == ChannelType.Stream;
              if (isStream && Math.max(state.checkpointed(), state.end().orElse(0L)) > committed) {
                LOGGER.warn(
                    "changes {} to {} of partition {} were lost after tunnel {} had processed them;"
                        + " it goes on behind {}",
                    committed + 1,
                    state.checkpointed(),
                    key.partition(),
                    tunnel.tunnel(),
                    committed);
                takenBack.put(key, takenBack(state, committed));
              }
            });
    catalog.store(tunnel.tunnelId(), takenBack);
  }

  /** The state of a channel that goes on behind the last change that there is. */
  static ChannelState takenBack(ChannelState state, long committed) {
    ChannelState now = state.withProgress(Math.min(state.checkpointed(), committed), Bytes.EMPTY);
    return state.end().orElse(0L) > committed ? now.withEnd(Optional.empty(), false) : now;
  }
}
