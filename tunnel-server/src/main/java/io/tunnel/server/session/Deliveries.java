package io.tunnel.server.session;

import io.tunnel.model.ChannelType;
import io.tunnel.server.catalog.ChannelGrants;
import io.tunnel.server.catalog.ChannelKey;
import io.tunnel.server.catalog.ChannelState;
import io.tunnel.server.channel.Channel;
import io.tunnel.server.channel.Channels;
import io.tunnel.server.channel.Handles;
import io.tunnel.wire.Control.TunnelInfo;
import io.tunnel.wire.SessionControl.Assignment;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.LongConsumer;

/**
 * How the channels of sessions are delivered: on the session's own connection, or where the worker
 * attaches to them.
 */
public abstract sealed class Deliveries {

  private final Handles handles;

  private Deliveries(Handles handles) {
    this.handles = handles;
  }

  /** On the connection of the session. */
  public static Deliveries here(Channels channels) {
    return new Here(channels);
  }

  /**
   * By the node that leads the channel's partition.
   *
   * @param handles names all channels of this server, also those that others attach to here
   * @param grants prove to the other node that the channel was assigned
   */
  public static Deliveries attached(Handles handles, ChannelGrants grants) {
    return new Attached(handles, grants);
  }

  int nextHandle() {
    return handles.next();
  }

  /**
   * A channel for its new holder.
   *
   * @param whenRowsEnd is told where a base channel ends, by the connection's thread
   */
  abstract Channel channel(
      Wanted wanted, Channel.Hold hold, SessionPort port, LongConsumer whenRowsEnd);

  /** What the worker is told of it. */
  abstract Assignment assignment(Wanted wanted, Channel.Hold hold, String sessionId);

  /** A channel of a tunnel as it is stored. */
  record Wanted(TunnelInfo tunnel, ChannelKey key, ChannelState state) {

    OptionalLong end() {
      return state.end().isPresent() ? OptionalLong.of(state.end().get()) : OptionalLong.empty();
    }

    String channelId() {
      return key.channelId(tunnel.tunnelId());
    }
  }

  private static final class Here extends Deliveries {
    private final Channels channels;

    Here(Channels channels) {
      super(channels.handles());
      this.channels = channels;
    }

    @Override
    Channel channel(Wanted wanted, Channel.Hold hold, SessionPort port, LongConsumer whenRowsEnd) {
      return wanted.key().type() == ChannelType.BaseData
          ? channels.base(wanted.tunnel().tunnelId(), hold, wanted.state().key(), port, whenRowsEnd)
          : channels.stream(hold, wanted.end(), wanted.tunnel().endMs(), port);
    }

    @Override
    Assignment assignment(Wanted wanted, Channel.Hold hold, String sessionId) {
      return new Assignment(
          sessionId,
          wanted.channelId(),
          hold.partition(),
          hold.handle(),
          hold.epoch(),
          hold.checkpointed(),
          wanted.key().type());
    }
  }

  private static final class Attached extends Deliveries {
    private final ChannelGrants grants;

    Attached(Handles handles, ChannelGrants grants) {
      super(handles);
      this.grants = grants;
    }

    @Override
    Channel channel(Wanted wanted, Channel.Hold hold, SessionPort port, LongConsumer whenRowsEnd) {
      return new AttachedChannel(hold, wanted.end(), port);
    }

    @Override
    Assignment assignment(Wanted wanted, Channel.Hold hold, String sessionId) {
      boolean isStream = wanted.key().type() == ChannelType.Stream;
      return new Assignment(
          sessionId,
          wanted.channelId(),
          hold.partition(),
          hold.handle(),
          hold.epoch(),
          hold.checkpointed(),
          wanted.key().type(),
          true,
          wanted.state().key(),
          // Rows end where they end by then, also for those who got to an end before.
          isStream ? wanted.state().end() : Optional.empty(),
          wanted.tunnel().endMs(),
          grants.of(wanted.channelId(), hold.partition(), hold.epoch()),
          wanted.state().incarnation());
    }
  }
}
