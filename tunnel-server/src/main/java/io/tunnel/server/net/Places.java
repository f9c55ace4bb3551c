package io.tunnel.server.net;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.net.NetMeter.Farewell;
import io.tunnel.server.net.access.Budget;
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
 * <p>The monitor guards the fields; only the budget is called under it.
 */
final class Places {

  /** Refused connections that get a message at the same time; further ones are just closed. */
  static final int REFUSED_MAX = 64;

  private final int ofNetworkMax;

  /** The places, by network; those of admitted connections are taken. */
  private final Budget<Bytes> places;

  /** The networks of admitted connections. */
  private final Map<Holder, Bytes> networkByHolder = new HashMap<>();

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
  enum Admission {
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
    this.places = new Budget<>(placesMax, ofNetworkMax);
    this.ofNetworkMax = ofNetworkMax;
  }

  /**
   * Decides about a new connection; may close an older one for it.
   *
   * @param network the network whose connections are counted together
   */
  Admission enter(Holder holder, Bytes network) {
    Optional<Holder> replaced = Optional.empty();
    synchronized (this) {
      if (!places.tryTake(network, 1)) {
        boolean isCrowded = places.of(network) >= ofNetworkMax;
        replaced = isCrowded ? oldestOf(network) : notGreeted.stream().findFirst();
        if (replaced.isEmpty()) {
          return refuse(holder, isCrowded);
        }
        free(replaced.get());
        evicted.add(replaced.get());
        places.take(network, 1);
      }
      notGreeted.add(holder);
      networkByHolder.put(holder, network);
    }
    replaced.ifPresent(other -> other.closeAtOnce(Farewell.NOT_GREETED));
    return Admission.ADMITTED;
  }

  private Admission refuse(Holder holder, boolean isCrowded) {
    if (refused.size() >= REFUSED_MAX) {
      return Admission.CLOSED;
    }
    refused.add(holder);
    return isCrowded ? Admission.CROWDED : Admission.REFUSED;
  }

  private Optional<Holder> oldestOf(Bytes network) {
    return notGreeted.stream()
        .filter(holder -> networkByHolder.get(holder).equals(network))
        .findFirst();
  }

  private void free(Holder holder) {
    Bytes network = networkByHolder.remove(holder);
    if (network != null) {
      places.give(network, 1);
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
