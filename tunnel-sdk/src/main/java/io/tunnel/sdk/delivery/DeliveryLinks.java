package io.tunnel.sdk.delivery;

import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.Endpoint;
import io.tunnel.sdk.transport.ReconnectCore;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The servers that deliver to one worker session or one reader: one connection to each server,
 * opened on first use, and the pauses of deliveries whose server failed.
 */
public final class DeliveryLinks {

  private final DeliveryThread thread;
  private final DeliveryLink.Watch watch;
  private final ReconnectCore reconnect;
  private final PausesCore<PartitionDelivery> pauses;
  private final Map<Endpoint, DeliveryLink> links = new HashMap<>();

  /**
   * No connections yet.
   *
   * @param watch how each connection detects a dead server
   * @param reconnect pauses between attempts to find the server of a partition
   */
  public DeliveryLinks(DeliveryThread thread, DeliveryLink.Watch watch, ReconnectCore reconnect) {
    this.thread = thread;
    this.watch = watch;
    this.reconnect = reconnect;
    this.pauses = new PausesCore<>(thread.nowNanos());
  }

  DeliveryThread thread() {
    return thread;
  }

  /** The connection to {@code node}, which may still be opening. */
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

  /** True when there is a connection to {@code node}. */
  public boolean has(Endpoint node) {
    return links.containsKey(node);
  }

  /** Lets the delivery pause as long as so many failures in a row require. */
  void pause(PartitionDelivery delivery, int failures) {
    long longest = reconnect.longestNanos(failures);
    long drawn = reconnect.pauseNanos(failures, thread.chance());
    long now = thread.nowNanos();
    if (pauses.add(delivery, now, longest / 2, longest, drawn)) {
      thread.later(drawn, () -> pauses.wake(now + drawn).forEach(PartitionDelivery::pauseOver));
    }
  }

  /** Closes the connections that only {@code user} has joined. */
  public void leave(Object user) {
    List.copyOf(links.values()).forEach(link -> link.leave(user));
  }

  /** Closes all connections; requests that wait for a connection fail with {@code reason}. */
  public void end(ConnectionException reason) {
    List.copyOf(links.values()).forEach(link -> link.end(reason));
  }
}
