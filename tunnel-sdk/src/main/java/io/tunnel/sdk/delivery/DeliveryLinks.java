package io.tunnel.sdk.delivery;

import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.Endpoint;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Connections to servers of partitions: one to each, opened for who needs it first. */
public final class DeliveryLinks {

  private final DeliveryThread thread;
  private final DeliveryLink.Watch watch;
  private final Map<Endpoint, DeliveryLink> links = new HashMap<>();

  /** None yet; each will be watched like that. */
  public DeliveryLinks(DeliveryThread thread, DeliveryLink.Watch watch) {
    this.thread = thread;
    this.watch = watch;
  }

  /** The connection to that server, which may yet have to open. */
  public DeliveryLink to(Endpoint node) {
    DeliveryLink known = links.get(node);
    if (known != null) {
      return known;
    }
    DeliveryLink link =
        new DeliveryLink(Optional.of(node), thread, Optional.of(watch), () -> links.remove(node));
    links.put(node, link);
    link.open(thread.open(node, link));
    return link;
  }

  /** Whether there is a connection to that server. */
  public boolean has(Endpoint node) {
    return links.containsKey(node);
  }

  /** Closes all of them: what waits for them fails for that reason. */
  public void end(ConnectionException reason) {
    List.copyOf(links.values()).forEach(link -> link.end(reason));
  }
}
