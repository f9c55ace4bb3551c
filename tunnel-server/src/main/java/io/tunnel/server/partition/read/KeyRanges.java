package io.tunnel.server.partition.read;

import io.tunnel.model.value.Bytes;
import io.tunnel.wire.KeyTerms;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The ranges of encoded keys that terms match, in order and apart from each other: a scan visits
 * the rows of the ranges, and none between.
 */
record KeyRanges(List<Range> ranges) {

  /** All keys. */
  static final KeyRanges ALL = new KeyRanges(List.of(new Range(Bytes.EMPTY, Optional.empty())));

  /**
   * Keys from one on, and below another.
   *
   * @param to empty for all keys from {@code from} on
   */
  record Range(Bytes from, Optional<Bytes> to) {

    boolean has(Bytes key) {
      return to.isEmpty() || key.compareTo(to.get()) < 0;
    }

    /** Whether the range begins where this one is not over yet. */
    private boolean reaches(Range later) {
      return to.isEmpty() || later.from.compareTo(to.get()) <= 0;
    }

    private Range with(Range later) {
      boolean isLonger =
          to.isPresent() && (later.to.isEmpty() || later.to.get().compareTo(to.get()) > 0);
      return isLonger ? new Range(from, later.to) : this;
    }
  }

  /** Copies the list. */
  KeyRanges {
    ranges = List.copyOf(ranges);
  }

  /** The ranges of keys that match. */
  static KeyRanges of(KeyTerms terms) {
    List<Range> all = new ArrayList<>();
    terms.keys().forEach(key -> all.add(new Range(key, Optional.of(behind(key)))));
    terms.prefixes().forEach(prefix -> all.add(new Range(prefix, behindPrefix(prefix))));
    all.sort(Comparator.comparing(Range::from));
    List<Range> apart = new ArrayList<>();
    for (Range next : all) {
      int last = apart.size() - 1;
      if (last >= 0 && apart.get(last).reaches(next)) {
        apart.set(last, apart.get(last).with(next));
      } else {
        apart.add(next);
      }
    }
    return new KeyRanges(apart);
  }

  /** The lowest bytes above a key. */
  static Bytes behind(Bytes key) {
    byte[] longer = new byte[key.length() + 1];
    key.copyInto(longer, 0);
    return Bytes.copyOf(longer);
  }

  /** The lowest bytes above all that begin with a prefix; empty when there are none. */
  private static Optional<Bytes> behindPrefix(Bytes prefix) {
    byte[] next = prefix.toByteArray();
    for (int at = next.length - 1; at >= 0; at--) {
      if (next[at] != (byte) 0xff) {
        next[at]++;
        return Optional.of(Bytes.copyOf(next, 0, at + 1));
      }
    }
    return Optional.empty();
  }
}
