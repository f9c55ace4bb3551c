package io.tunnel.server.net;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.net.NetMeter.Farewell;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The places for connections, of which each network has a part at most. When all are taken, or as
 * many as its network may have, a new connection gets that of the one which has waited longest
 * without a greeting, of all or of its network; when all of these have greeted, it is refused.
 *
 * <p>Its monitor guards its fields and is held for no call.
 */
final class Places {

  /** Connections that are told why they are refused, at the same time; others are just closed. */
  static final int REFUSED_MAX = 64;

  private final int placesMax;
  private final int ofNetworkMax;

  /** Of those that have a place. */
  private final Map<Holder, Bytes> networkByHolder = new HashMap<>();

  /** As many as {@code networkByHolder} has of each; none that is 0. */
  private final Map<Bytes, Integer> countByNetwork = new HashMap<>();

  private final Set<Holder> greeted = new LinkedHashSet<>();
  private final Set<Holder> notGreeted = new LinkedHashSet<>();
  private final Set<Holder> refused = new LinkedHashSet<>();

  /** A connection. */
  interface Holder {

    /** Closes it without a word. Called by any thread. */
    void closeAtOnce(Farewell why);
  }

  /** What becomes of a new connection. */
  enum Entry {
    /** It has a place. */
    ADMITTED,
    /** It has none, and is told so. */
    REFUSED,
    /** It has none because its network has as many as it may, and is told so. */
    CROWDED,
    /** It has none, and is closed. */
    CLOSED
  }

  /**
   * So many places, all free.
   *
   * @param ofNetworkMax those that one network may have
   */
  Places(int placesMax, int ofNetworkMax) {
    this.placesMax = placesMax;
    this.ofNetworkMax = ofNetworkMax;
  }

  /**
   * A new connection; may close another one for it.
   *
   * @param network whose connections are counted together
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
    boolean unused = greeted.remove(holder) || notGreeted.remove(holder) || refused.remove(holder);
  }

  /** Keeps its place from now on. */
  synchronized void greeted(Holder holder) {
    if (notGreeted.remove(holder)) {
      greeted.add(holder);
    }
  }

  /** Is gone. */
  synchronized void left(Holder holder) {
    free(holder);
  }
}
