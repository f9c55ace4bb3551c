package io.tunnel.server.table;

import java.util.List;

/**
 * The time that has certainly passed, as of one reading of the clock. Rows and changes that were
 * dated in front of an accepted jump of the clock look older than they are by the jump, so the jump
 * counts only when all of them have lived their time.
 *
 * @param micros the time without regard to jumps, in microseconds since 1970
 * @param jumps the accepted jumps forward, oldest first
 */
public record PassedTime(long micros, List<Jump> jumps) {

  /**
   * A jump forward of the clock that was accepted.
   *
   * @param atMicros the time until which changes were dated without the jump
   * @param byMicros how far the time jumped then; positive
   */
  public record Jump(long atMicros, long byMicros) {
    /** Refuses a jump that is none. */
    public Jump {
      if (byMicros <= 0) {
        throw new IllegalArgumentException("a jump forward by " + byMicros + " us");
      }
    }
  }

  /** Copies the jumps. */
  public PassedTime {
    jumps = List.copyOf(jumps);
  }

  /** The time of a clock that never jumped. */
  public static PassedTime at(long micros) {
    return new PassedTime(micros, List.of());
  }

  /**
   * The time for what lives {@code lifeMicros}: a row that was committed {@code lifeMicros} earlier
   * has lived at least {@code lifeMicros}.
   */
  public long micros(long lifeMicros) {
    long passed = micros;
    for (int i = jumps.size() - 1; i >= 0; i--) {
      Jump jump = jumps.get(i);
      if (passed - jump.byMicros() - jump.atMicros() >= lifeMicros) {
        return passed;
      }
      passed -= jump.byMicros();
    }
    return passed;
  }
}
