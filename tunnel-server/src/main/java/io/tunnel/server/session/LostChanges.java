package io.tunnel.server.session;

import io.tunnel.core.ChannelKey;
import io.tunnel.core.ChannelState;
import io.tunnel.model.ChannelType;
import io.tunnel.server.catalog.TunnelCatalog;
import io.tunnel.server.changes.ChangeReader;
import io.tunnel.wire.control.Control.TunnelInfo;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rolls checkpoints back to before lost changes. Changes without a sync may be delivered and
 * processed, and then lost in a power failure. New changes get their positions: a checkpoint beyond
 * them would skip these, and an end beyond them would include changes that come later. A base
 * channel needs no rollback: it continues after a key, whether the row still exists or not.
 */
final class LostChanges {

  private static final Logger LOGGER = LoggerFactory.getLogger(LostChanges.class);

  private LostChanges() {}

  /** The catalog, after rolling checkpoints back to the last change that {@code changes} has. */
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
                    "changes {} to {} of partition {} were lost after tunnel {} had processed"
                        + " them; the channel continues after {}",
                    committed + 1,
                    state.checkpointed(),
                    key.partition(),
                    tunnel.tunnel(),
                    committed);
                takenBack.put(key, state.rolledBack(committed));
              }
            });
    catalog.store(tunnel.tunnelId(), takenBack);
  }
}
