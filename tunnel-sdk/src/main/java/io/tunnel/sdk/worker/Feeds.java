package io.tunnel.sdk.worker;

import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.Endpoint;
import io.tunnel.sdk.delivery.DeliveryLink;
import io.tunnel.sdk.delivery.DeliveryLinks;
import io.tunnel.sdk.transport.Link;
import io.tunnel.sdk.transport.ReconnectCore;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The feeds of one session's channels, and the connections that they share: the session's own, and
 * one to each other node that serves a partition of theirs. On the worker's thread.
 */
final class Feeds {

  /** Between an answer of another node and the next question at most. */
  private static final Duration ASK_PAUSE_MAX = Duration.ofSeconds(1);

  /** How long another node may say nothing at all: by then others may have taken its place. */
  private static final Duration SILENCE_MAX = Duration.ofSeconds(3);

  private final WorkerRuntime runtime;
  private final ChannelPort session;
  private final DeliveryLink own;
  private final Map<ChannelRunner, Feed> feeds = new LinkedHashMap<>();
  private final DeliveryLinks links;
  private final PausesCore<Feed> pauses;

  Feeds(WorkerRuntime runtime, ChannelPort session, Link link) {
    this.runtime = runtime;
    this.session = session;
    this.own = DeliveryLink.ofSession(runtime, link);
    this.links = new DeliveryLinks(runtime, watch());
    this.pauses = new PausesCore<>(runtime.nowNanos());
  }

  void add(ChannelRunner channel) {
    feeds.put(channel, new Feed(channel, session, this, runtime));
  }

  /** That of a channel, as long as neither is over. */
  Optional<Feed> of(ChannelRunner channel) {
    return Optional.ofNullable(feeds.get(channel));
  }

  /** The channel is over. */
  void remove(ChannelRunner channel) {
    of(channel).ifPresent(Feed::end);
    feeds.remove(channel);
  }

  /** The session is over. */
  void end() {
    List.copyOf(feeds.values()).forEach(Feed::end);
    feeds.clear();
    links.end(new ConnectionException("the session is over", false, null));
  }

  /** The feed goes on after the pause that follows that many failures. */
  void pause(Feed feed, int failures) {
    ReconnectCore reconnect = runtime.settings().session().reconnect();
    long longest = reconnect.longestNanos(failures);
    long drawn = reconnect.pauseNanos(failures, runtime.chance());
    long now = runtime.nowNanos();
    if (pauses.add(feed, now, longest / 2, longest, drawn)) {
      runtime.later(drawn, () -> pauses.wake(now + drawn).forEach(Feed::pauseOver));
    }
  }

  /** The connection of the session. */
  DeliveryLink own() {
    return own;
  }

  /** The connection to another node. */
  DeliveryLink linkTo(Endpoint node) {
    return links.to(node);
  }

  private DeliveryLink.Watch watch() {
    Duration heartbeat = runtime.settings().session().heartbeat();
    Duration pause = heartbeat.compareTo(ASK_PAUSE_MAX) < 0 ? heartbeat : ASK_PAUSE_MAX;
    return new DeliveryLink.Watch(pause, Optional.of(SILENCE_MAX));
  }
}
