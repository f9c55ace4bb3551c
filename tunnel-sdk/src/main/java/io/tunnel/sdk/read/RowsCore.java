package io.tunnel.sdk.read;

import io.tunnel.model.value.Bytes;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * Which changes the rows of a partition include. Rows are read in the order of their keys, a page
 * at a time, and each page says up to which position its rows, and the gaps between them, include
 * every change. Pages may be of different moments.
 */
final class RowsCore {

  /** By the last key of a page, the position of the page; only where the position changes. */
  private final TreeMap<Bytes, Long> byLastKey = new TreeMap<>();

  /** The position of all keys behind the last page; empty before the end. */
  private OptionalLong end = OptionalLong.empty();

  private long first = Long.MAX_VALUE;
  private long last;

  /** Without a page. */
  RowsCore() {}

  /** Notes a page whose rows are those at {@code position}. */
  void page(Bytes lastKey, long position) {
    Map.Entry<Bytes, Long> former = byLastKey.lastEntry();
    if (former != null && former.getValue() == position) {
      byLastKey.remove(former.getKey());
    }
    byLastKey.put(lastKey, position);
    note(position);
  }

  /** Notes that there was no further row at {@code position}. */
  void end(long position) {
    end = OptionalLong.of(position);
    note(position);
  }

  private void note(long position) {
    first = Math.min(first, position);
    last = Math.max(last, position);
  }

  /** Rows include all changes up to here; call after {@link #end}. */
  long first() {
    return first;
  }

  /** No row includes a change behind this position. */
  long last() {
    return last;
  }

  /** Whether the rows include a change of a key; call after {@link #end}. */
  boolean includes(Bytes key, long position) {
    if (position > last) {
      return false;
    }
    Map.Entry<Bytes, Long> page = byLastKey.ceilingEntry(key);
    return position <= (page == null ? end.orElseThrow() : page.getValue());
  }
}
