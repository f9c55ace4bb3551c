package io.tunnel.server.session;

import io.tunnel.model.ChannelType;
import io.tunnel.server.log.ChangeReader;
import io.tunnel.wire.Control.ChannelDescription;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * A channel at one moment, as far as the control thread knows it; the rest is added by {@link
 * #describe}.
 */
public final class ChannelView {

  private final String channelId;
  private final TunnelCore.View view;
  private final long delivered;

  ChannelView(String channelId, TunnelCore.View view, long delivered) {
    this.channelId = channelId;
    this.view = view;
    this.delivered = delivered;
  }

  /** The partition. */
  public int partition() {
    return view.partition();
  }

  /** Adds where the log is, and so how far the channel lags behind. May be called by any thread. */
  public ChannelDescription describe(ChangeReader changes, long nowMicros) throws IOException {
    long checkpointed = view.checkpointed();
    long committed = Math.max(changes.committed(view.partition()), delivered);
    long oldestMicros = changes.commitMicrosAfter(view.partition(), checkpointed);
    long lagMs =
        oldestMicros == 0
            ? 0
            : Math.max(0, TimeUnit.MICROSECONDS.toMillis(nowMicros - oldestMicros));
    return new ChannelDescription(
        channelId,
        view.partition(),
        view.status(),
        view.owner(),
        view.clientTag(),
        view.epoch(),
        checkpointed,
        delivered,
        committed,
        committed - checkpointed,
        changes.bytesAfter(view.partition(), checkpointed),
        lagMs,
        ChannelType.Stream,
        false,
        Optional.empty(),
        Optional.empty(),
        List.of(),
        Optional.empty());
  }
}
