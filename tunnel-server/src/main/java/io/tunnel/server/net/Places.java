package io.tunnel.server.net;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.net.NetMeter.Farewell;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Limits connections, in total and by network. When the server or the network has its limit of
 * connections, a new connection replaces the oldest one without a greeting (of the server or the
 * network); when all connections have greeted, the new one is refused.
 *
 * <p>The monitor guards the fields; no other object is called under it.
 */
final class Places {

  /** Refused connections that get a message at the same time; further ones are just closed. */
  static final int REFUSED_MAX = 64;

  private final int placesMax;
  private final int ofNetworkMax;

  /** The networks of admitted connections. */
  private final Map<Holder, Bytes> networkByHolder = new HashMap<>();

  /** The number of connections in {@code networkByHolder} by network; never 0. */
  private final Map<Bytes, Integer> countByNetwork = new HashMap<>();

  private final Set<Holder> greeted = new LinkedHashSet<>();
  private final Set<Holder> notGreeted = new LinkedHashSet<>();
  private final Set<Holder> refused = new LinkedHashSet<>();

  /** Connections that lost their place to newer ones, and are being closed. */
  private final Set<Holder> evicted = new LinkedHashSet<>();

  /** A connection. */
  interface Holder {

    /** Closes the connection without a message. Called by any thread. */
    void closeAtOnce(Farewell why);
  }

  /** The decision about a new connection. */
  enum Entry {
    /** The connection has a place. */
    ADMITTED,
    /** No place; the client gets a message. */
    REFUSED,
    /** The network has no place; the client gets a message. */
    CROWDED,
    /** No place; closed without a message. */
    CLOSED
  }

  /**
   * Free places.
   *
   * @param ofNetworkMax places of one network
   */
  Places(int placesMax, int ofNetworkMax) {
    this.placesMax = placesMax;
    this.ofNetworkMax = ofNetworkMax;
  }

  /**
   * Decides about a new connection; may close an older one for it.
   *
   * @param network the network whose connections are counted together
   */
  Entry enter(Holder holder, Bytes network) {
    Optional<Holder> replaced;
    synchronized (this) {
      boolean isCrowded = countByNetwork.getOrDefault(network, 0) >= ofNetworkMax;
      boolean isFull = networkByHolder.size() >= placesMax;
      replaced =
          isCrowded
              ? oldestOf(network)
              : isFull ? notGreeted.stream().findFirst() : Optional.empty();
      if ((isCrowded || isFull) && replaced.isEmpty()) {
        return refuse(holder, isCrowded);
      }
      replaced.ifPresent(this::free);
      replaced.ifPresent(evicted::add);
      notGreeted.add(holder);
      networkByHolder.put(holder, network);
      countByNetwork.merge(network, 1, Integer::sum);
    }
    replaced.ifPresent(other -> other.closeAtOnce(Farewell.NOT_GREETED));
    return Entry.ADMITTED;
  }

  private Entry refuse(Holder holder, boolean isCrowded) {
    if (refused.size() >= REFUSED_MAX) {
      return Entry.CLOSED;
    }
    refused.add(holder);
    return isCrowded ? Entry.CROWDED : Entry.REFUSED;
  }

  private Optional<Holder> oldestOf(Bytes network) {
    return notGreeted.stream()
        .filter(holder -> networkByHolder.get(holder).equals(network))
        .findFirst();
  }

  private void free(Holder holder) {
    Bytes network = networkByHolder.remove(holder);
    if (network != null) {
      countByNetwork.computeIfPresent(network, (unused, count) -> count > 1 ? count - 1 : null);
    }
    boolean unused =
        greeted.remove(holder)
            || notGreeted.remove(holder)
            || refused.remove(holder)
            || evicted.remove(holder);
  }

  /**
   * The connection has greeted, and keeps its place.
   *
   * @return false when the connection is being closed: it was refused, or a newer connection
   *     replaced it
   */
  synchronized boolean greeted(Holder holder) {
    if (notGreeted.remove(holder)) {
      greeted.add(holder);
    }
    return !evicted.contains(holder) && !refused.contains(holder);
  }

  /** The connection is closed. */
  synchronized void left(Holder holder) {
    free(holder);
  }
}
