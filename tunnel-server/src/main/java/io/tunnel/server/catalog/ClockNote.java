package io.tunnel.server.catalog;

import io.tunnel.server.table.PassedTime.Jump;
import java.util.List;

/**
 * What a single server notes of its wall clock, so that a restart does not forget a jump.
 *
 * @param jumps the accepted jumps forward that still count, oldest first
 * @param doubtMicros how far the wall clock is ahead and not believed; 0 when it is believed
 */
public record ClockNote(List<Jump> jumps, long doubtMicros) {

  /** Jumps that are distinguished; older ones are joined. */
  public static final int JUMPS_MAX = 16;

  /** Of a clock that never jumped. */
  public static final ClockNote NOTHING = new ClockNote(List.of(), 0);

  /** Refuses what no server notes. */
  public ClockNote {
    jumps = List.copyOf(jumps);
    if (jumps.size() > JUMPS_MAX || doubtMicros < 0) {
      throw new IllegalArgumentException(
          "a note of " + jumps.size() + " jumps and of a doubt of " + doubtMicros + " us");
    }
  }
}
