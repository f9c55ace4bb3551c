package io.tunnel.server.console;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Decides when other nodes are asked for their figures, and what is known of each. A node is asked
 * at most once in {@value #EVERY_MS} ms, and after a failure once in {@value #AFTER_FAILURE_MS} ms;
 * one request for a node is open at a time, and {@value #OPEN_MAX} in all. Figures count for
 * {@value #FRESH_MS} ms; then the node is missing. Times are of a clock that never goes back. Not
 * thread-safe.
 *
 * @param <F> figures of a node
 */
final class PeersCore<F> {

  static final int OPEN_MAX = 8;

  /** Nodes that are asked; further ones are never asked, and so are missing. */
  static final int NODES_MAX = 256;

  static final long EVERY_MS = 1_000;
  static final long AFTER_FAILURE_MS = 5_000;
  static final long FRESH_MS = 5_000;

  /** By name; at most NODES_MAX. */
  private final Map<String, Peer<F>> peers = new LinkedHashMap<>();

  /** Names of nodes whose requests are open, also of nodes that have left; at most OPEN_MAX. */
  private final Set<String> open = new HashSet<>();

  private static final class Peer<F> {
    /** The last answer, or the first moment that the node is known. */
    private long heardMs;

    private long dueMs;
    private Optional<F> figures = Optional.empty();
    private Optional<String> why = Optional.empty();

    private Peer(long nowMs) {
      heardMs = nowMs;
      dueMs = nowMs;
    }
  }

  /**
   * What is known of a node.
   *
   * @param figures of the last {@value #FRESH_MS} ms
   * @param missingForMs time since the last answer, when that is too long ago
   * @param why the last failure, of a node that is missing
   */
  record Known<F>(Optional<F> figures, Optional<Long> missingForMs, Optional<String> why) {}

  /** Forgets all answers: nobody has asked for a while. Open requests stay open. */
  void begin() {
    peers.clear();
  }

  /** These are the other nodes now. */
  void members(Collection<String> names, long nowMs) {
    peers.keySet().retainAll(new HashSet<>(names));
    for (String name : names) {
      if (peers.size() < NODES_MAX) {
        peers.computeIfAbsent(name, unused -> new Peer<>(nowMs));
      }
    }
  }

  /** The nodes to ask now, those that wait longest first. Their requests are open. */
  List<String> due(long nowMs) {
    List<String> names = new ArrayList<>();
    Map<String, Long> dues = new HashMap<>();
    peers.forEach(
        (name, peer) -> {
          if (peer.dueMs <= nowMs && !open.contains(name)) {
            names.add(name);
            dues.put(name, peer.dueMs);
          }
        });
    names.sort((one, other) -> Long.compare(dues.get(one), dues.get(other)));
    List<String> asked = names.subList(0, Math.min(names.size(), OPEN_MAX - open.size()));
    for (String name : asked) {
      open.add(name);
      peers.get(name).dueMs = nowMs + EVERY_MS;
    }
    return List.copyOf(asked);
  }

  /** A node has answered. */
  void answered(String name, F figures, long nowMs) {
    open.remove(name);
    Peer<F> peer = peers.get(name);
    if (peer != null) {
      peer.figures = Optional.of(figures);
      peer.heardMs = nowMs;
      peer.why = Optional.empty();
    }
  }

  /** A node has not answered, or not with figures. */
  void failed(String name, String why, long nowMs) {
    open.remove(name);
    Peer<F> peer = peers.get(name);
    if (peer != null) {
      peer.why = Optional.of(why);
      peer.dueMs = nowMs + AFTER_FAILURE_MS;
    }
  }

  /** What is known of a node; without figures and not missing while its first answer may come. */
  Known<F> known(String name, long nowMs) {
    Peer<F> peer = peers.get(name);
    if (peer == null) {
      return new Known<>(
          Optional.empty(), Optional.of(0L), Optional.of("this server asks no more nodes"));
    }
    long silentMs = nowMs - peer.heardMs;
    if (silentMs < FRESH_MS) {
      return new Known<>(peer.figures, Optional.empty(), Optional.empty());
    }
    return new Known<>(
        Optional.empty(),
        Optional.of(silentMs),
        Optional.of(peer.why.orElse("no answer has come yet")));
  }

  /** Open requests. */
  int open() {
    return open.size();
  }
}
