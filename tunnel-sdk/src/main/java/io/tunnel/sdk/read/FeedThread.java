package io.tunnel.sdk.read;

import io.tunnel.sdk.delivery.DeliveryLink;
import io.tunnel.sdk.delivery.DeliveryLinks;
import io.tunnel.sdk.transport.ReconnectCore;
import java.time.Duration;
import java.util.Optional;

/**
 * The thread of feeds, and their connections: one to each node.
 *
 * @param isShared whether other feeds use them too, and they stay when one set of feeds is closed
 */
public record FeedThread(ReadPort port, DeliveryLinks links, boolean isShared) {

  private static final ReconnectCore RECONNECT = ReconnectCore.ofMillis(1_000);
  private static final DeliveryLink.Watch WATCH =
      new DeliveryLink.Watch(Duration.ofSeconds(10), Optional.empty());

  /** Of one set of feeds. */
  public static FeedThread own(ReadPort port) {
    return new FeedThread(port, new DeliveryLinks(port, WATCH, RECONNECT), false);
  }

  /** Of any number of feeds; whoever made it closes it. */
  public static FeedThread shared(ReadPort port) {
    return new FeedThread(port, new DeliveryLinks(port, WATCH, RECONNECT), true);
  }

  /** Closes the connections and ends the thread; for any thread. */
  public void close() {
    port.execute(() -> links.end(Feeds.closed()));
    port.close();
  }
}
