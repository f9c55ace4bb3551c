package io.tunnel.server.catalog.tunnel;

import io.tunnel.core.FairShares;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Bounds the skipped changes of all tunnels in bytes. Over the bound, the principal that created
 * tunnels with most bytes loses its oldest skipped change; the tunnel still counts the change. A
 * tunnel without a creator shares with the other ones of its table. The store follows later: the
 * next write of skipped changes has {@link #outdated} too, so the store has at most the changes of
 * one request more than the memory has, and a start drops those again.
 */
final class SkippedMemory {

  /** Bytes of the skipped changes of all tunnels of a server. */
  static final long BYTES_MAX = 32L << 20;

  /** What a skipped change takes in addition to the characters of its text. */
  private static final int CHANGE_BYTES = 400;

  private final FairShares<String, KeptSkip> shares;
  private final Map<String, Optional<String>> outdated = new LinkedHashMap<>();

  /**
   * A skipped change of a tunnel.
   *
   * @param owner who created the tunnel
   * @param of the tunnel's changes
   * @param bytes at most so many
   */
  record KeptSkip(String owner, SkippedRecords of, long ordinal, long skippedMs, long bytes)
      implements Comparable<KeptSkip> {

    private static final Comparator<KeptSkip> BY_AGE =
        Comparator.comparingLong(KeptSkip::skippedMs)
            .thenComparing(kept -> kept.of().tunnelId())
            .thenComparingLong(KeptSkip::ordinal);

    @Override
    public int compareTo(KeptSkip other) {
      return BY_AGE.compare(this, other);
    }
  }

  /**
   * No changes yet.
   *
   * @param bytesMax the bound
   */
  SkippedMemory(long bytesMax) {
    this.shares = new FairShares<>(bytesMax);
  }

  /** The bytes of a change with this text: two for a character, as a string may take. */
  static long bytes(String text) {
    return CHANGE_BYTES + 2L * text.length();
  }

  void add(KeptSkip change) {
    shares.add(change.owner(), change, change.bytes());
  }

  void remove(KeptSkip change) {
    shares.remove(change.owner(), change, change.bytes());
  }

  /** Drops changes until the rest is within the bound. */
  void fit() {
    for (Optional<KeptSkip> oldest = shares.surplus();
        oldest.isPresent();
        oldest = shares.surplus()) {
      oldest.get().of().drop(oldest.get().ordinal());
    }
  }

  /** The next write gives {@code name} this text, or none. */
  void outdate(String name, Optional<String> text) {
    outdated.put(name, text);
  }

  /** A write gave {@code name} a text, or none. */
  void written(String name) {
    outdated.remove(name);
  }

  /** A write removed all texts whose names have this prefix. */
  void removed(String prefix) {
    outdated.keySet().removeIf(name -> name.startsWith(prefix));
  }

  /** What the store has and the memory has no more, by name, with the texts to store instead. */
  Map<String, Optional<String>> outdated() {
    return outdated;
  }
}
