package io.tunnel.it.sim.truth;

import io.tunnel.model.Direction;
import io.tunnel.model.value.Bytes;
import io.tunnel.wire.RangeRequest;
import io.tunnel.wire.RowPage;
import java.util.NavigableMap;

/**
 * The keys of which a page shows all rows.
 *
 * @param from the first of them; empty for an open end
 * @param to behind the last of them; empty for an open end
 */
public record PageRange(Bytes from, Bytes to) {

  /** The range that a page covers. */
  public static PageRange of(RangeRequest asked, RowPage page) {
    boolean isForward = asked.direction() == Direction.FORWARD;
    return new PageRange(
        isForward ? asked.from() : page.next().orElse(asked.from()),
        isForward ? page.next().orElse(asked.to()) : asked.to());
  }

  /** What of a map by keys is in it. */
  public <T> NavigableMap<Bytes, T> in(NavigableMap<Bytes, T> all) {
    NavigableMap<Bytes, T> behind = all.tailMap(from, true);
    return to.length() == 0 ? behind : behind.headMap(to, false);
  }
}
