package io.tunnel.sdk.worker;

import io.tunnel.sdk.Endpoint;
import io.tunnel.sdk.transport.Link;
import io.tunnel.sdk.transport.ReconnectCore;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The feeds of one session's channels, and the connections that they share: the session's own, and
 * one to each other node that serves a partition of theirs. On the worker's thread.
 */
final class Feeds {

  private final WorkerRuntime runtime;
  private final ChannelPort session;
  private final DataLink own;
  private final Map<ChannelRunner, Feed> feeds = new LinkedHashMap<>();
  private final Map<Endpoint, DataLink> links = new HashMap<>();
  private final PausesCore<Feed> pauses;

  Feeds(WorkerRuntime runtime, ChannelPort session, Link link) {
    this.runtime = runtime;
    this.session = session;
    this.own = DataLink.ofSession(runtime, link);
    this.pauses = new PausesCore<>(runtime.nowNanos());
  }

  void add(ChannelRunner channel) {
    feeds.put(channel, new Feed(channel, session, this, runtime));
  }

  /** The channel can be delivered to, or to more. */
  void granted(ChannelRunner channel) {
    Feed feed = feeds.get(channel);
    if (feed != null) {
      feed.granted();
    }
  }

  /** Where the channel ends is known now. */
  void limit(ChannelRunner channel, long end) {
    Feed feed = feeds.get(channel);
    if (feed != null) {
      feed.limit(end);
    }
  }

  /** The channel is over. */
  void remove(ChannelRunner channel) {
    Feed feed = feeds.remove(channel);
    if (feed != null) {
      feed.end();
    }
  }

  /** The session is over. */
  void end() {
    List.copyOf(feeds.values()).forEach(Feed::end);
    feeds.clear();
    List.copyOf(links.values()).forEach(DataLink::close);
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
  DataLink own() {
    return own;
  }

  DataLink linkTo(Endpoint node) {
    DataLink known = links.get(node);
    if (known != null) {
      return known;
    }
    DataLink[] link = new DataLink[1];
    link[0] = new DataLink(runtime, () -> links.remove(node, link[0]));
    links.put(node, link[0]);
    link[0].open(runtime.ports().links().open(node, link[0]));
    return link[0];
  }
}
