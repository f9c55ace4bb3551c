package io.tunnel.sdk.delivery;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.Endpoint;
import io.tunnel.sdk.transport.BackoffCore;
import io.tunnel.sdk.transport.ReconnectCore;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The servers that deliver to one worker session or one reader: one connection to each server,
 * opened on first use, and the pauses of deliveries whose server failed.
 */
public final class DeliveryLinks {

  /** Pauses after a refusal of an overloaded server, which needs rest instead of a new leader. */
  private static final BackoffCore BUSY = BackoffCore.ofMillis(20, 10_000);

  /**
   * Each waiting delivery lengthens the pause by this time, so that all deliveries of a client
   * together send 100 to 200 requests a second to overloaded servers.
   */
  private static final long BUSY_SHARE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private final DeliveryThread thread;
  private final DeliveryLink.Watch watch;
  private final ReconnectCore reconnect;
  private final PausesCore<PartitionDelivery> pauses;
  private final Map<Endpoint, DeliveryLink> links = new HashMap<>();

  /** Deliveries that pause because a server is overloaded. */
  private int busy;

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

  /**
   * Lets the delivery pause as long as so many failures in a row require. Deliveries that lost
   * their server wake together and share the search for the next server; deliveries that wait for
   * an overloaded server wake one by one.
   */
  void pause(PartitionDelivery delivery, int failures, Throwable reason) {
    if (reason instanceof RefusedException refused && refused.code() == ErrorCode.BUSY) {
      pauseBusy(delivery, failures);
      return;
    }
    long longest = reconnect.longestNanos(failures);
    long drawn = reconnect.pauseNanos(failures, thread.chance());
    long now = thread.nowNanos();
    if (pauses.add(delivery, now, longest / 2, longest, drawn)) {
      thread.later(drawn, () -> pauses.wake(now + drawn).forEach(PartitionDelivery::pauseOver));
    }
  }

  private void pauseBusy(PartitionDelivery delivery, int failures) {
    busy++;
    double chance = thread.chance();
    long share = busy * BUSY_SHARE_NANOS;
    long pause = Math.max(BUSY.pauseNanos(failures, chance), share - (long) (share * chance / 2));
    thread.later(
        pause,
        () -> {
          busy--;
          delivery.pauseOver();
        });
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
