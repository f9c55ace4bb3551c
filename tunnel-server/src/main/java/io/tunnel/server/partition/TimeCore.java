package io.tunnel.server.partition;

import io.tunnel.server.catalog.ClockNote;
import io.tunnel.server.table.PassedTime;
import io.tunnel.server.table.PassedTime.Jump;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The time of a server, from a wall clock that may jump. While the wall clock agrees with the
 * monotonic clock, it is the time. When it jumps, the time continues as the monotonic clock does,
 * until the wall clock is right again, or has insisted for a while and is accepted.
 *
 * <p>Rows and changes that were dated in front of an accepted jump forward, or while it was in
 * doubt, look older than they are by the jump. {@link PassedTime} therefore does not count the jump
 * before all of them have lived their time. A right jump ends no life early, and a wrong jump ends
 * one only after it was accepted.
 *
 * <p>Invariants: within {@link #TOLERANCE_MICROS}, what is passed is at most the time; the time
 * goes back only when a jump back is accepted.
 */
final class TimeCore {

  /** A difference that NTP or a busy machine explains; the wall clock is believed at once. */
  static final long TOLERANCE_MICROS = TimeUnit.SECONDS.toMicros(10);

  private final long acceptedNanos;

  /** Whether the wall clock is believed. */
  enum State {
    /** The wall clock agrees with the monotonic clock. */
    TRUSTED,
    /** The wall clock has jumped forward, and is not believed yet. */
    AHEAD,
    /** The wall clock has jumped back, or the log of the start ends in its future. */
    BEHIND
  }

  private State state = State.TRUSTED;

  /** The time was {@code anchorMicros} at {@code anchorNanos}, and has continued monotonically. */
  private long anchorMicros;

  private long anchorNanos;

  /** The time that was shown last; the time goes back before it when a jump back is accepted. */
  private long shownMicros = Long.MIN_VALUE;

  /** Wall clock minus time when the doubt began; 0 while TRUSTED. */
  private long doubtMicros;

  /** When the doubt began. */
  private long doubtNanos;

  /** Oldest first; at most {@link ClockNote#JUMPS_MAX}. */
  private final Deque<Jump> jumps = new ArrayDeque<>();

  /**
   * Begins, TRUSTED unless the wall clock contradicts what is stored.
   *
   * @param noted what an earlier run noted
   * @param newestMicros no stored change was committed later; 0 without changes
   * @param acceptedNanos how long the wall clock has to insist on a jump
   */
  TimeCore(ClockNote noted, long newestMicros, long acceptedNanos, long wallMicros, long nowNanos) {
    this.acceptedNanos = acceptedNanos;
    this.jumps.addAll(noted.jumps());
    long withoutJump = wallMicros - noted.doubtMicros();
    boolean isStillAhead =
        noted.doubtMicros() > 0 && withoutJump >= newestMicros - TOLERANCE_MICROS;
    long expected = Math.max(newestMicros, isStillAhead ? withoutJump : wallMicros);
    anchor(expected, nowNanos);
    if (isStillAhead) {
      doubt(wallMicros, nowNanos);
    }
    look(wallMicros, nowNanos);
  }

  private void anchor(long micros, long nowNanos) {
    anchorMicros = micros;
    anchorNanos = nowNanos;
  }

  private long steady(long nowNanos) {
    return anchorMicros + TimeUnit.NANOSECONDS.toMicros(nowNanos - anchorNanos);
  }

  State state() {
    return state;
  }

  /** Wall clock minus time, as it was when the wall clock jumped; 0 while it is believed. */
  long doubtMicros() {
    return doubtMicros;
  }

  /** The time, for commit times; also looks at the wall clock. */
  long micros(long wallMicros, long nowNanos) {
    look(wallMicros, nowNanos);
    shownMicros = steady(nowNanos);
    return shownMicros;
  }

  private void look(long wallMicros, long nowNanos) {
    long steady = steady(nowNanos);
    long drift = wallMicros - steady;
    if (Math.abs(drift) <= TOLERANCE_MICROS) {
      // A wall clock that is slightly behind lets the time stand still.
      anchor(Math.max(wallMicros, shownMicros), nowNanos);
      state = State.TRUSTED;
      doubtMicros = 0;
    } else if (state == State.TRUSTED || Math.abs(drift - doubtMicros) > TOLERANCE_MICROS) {
      doubt(wallMicros, nowNanos);
    }
  }

  private void doubt(long wallMicros, long nowNanos) {
    doubtMicros = wallMicros - steady(nowNanos);
    doubtNanos = nowNanos;
    state = doubtMicros > 0 ? State.AHEAD : State.BEHIND;
  }

  /** Whether the wall clock has insisted on its jump for long enough. */
  boolean isAcceptable(long nowNanos) {
    return state != State.TRUSTED && nowNanos - doubtNanos >= acceptedNanos;
  }

  /** What has to survive a restart now. */
  ClockNote note() {
    return new ClockNote(List.copyOf(jumps), Math.max(0, doubtMicros));
  }

  /** What has to be stored before {@link #accept}. */
  ClockNote noteOfAcceptance(long nowNanos) {
    return new ClockNote(List.copyOf(after(nowNanos)), 0);
  }

  /**
   * Believes the wall clock from now on, unless it has changed since {@code stored} was made, or
   * that was too long ago.
   */
  void accept(ClockNote stored, long nowNanos) {
    if (!isAcceptable(nowNanos) || steady(nowNanos) > latestDate(stored)) {
      return;
    }
    jumps.clear();
    jumps.addAll(stored.jumps());
    anchor(steady(nowNanos) + doubtMicros, nowNanos);
    shownMicros = anchorMicros;
    state = State.TRUSTED;
    doubtMicros = 0;
  }

  /** Until then the stored jump knows of changes that are dated without the jump. */
  private long latestDate(ClockNote stored) {
    return doubtMicros > 0
        ? stored.jumps().get(stored.jumps().size() - 1).atMicros()
        : Long.MAX_VALUE;
  }

  private Deque<Jump> after(long nowNanos) {
    Deque<Jump> after = new ArrayDeque<>(jumps);
    if (doubtMicros > 0) {
      // A little later: to store the note takes a while, in which further changes are dated.
      after.add(new Jump(steady(nowNanos) + TOLERANCE_MICROS, doubtMicros));
      if (after.size() > ClockNote.JUMPS_MAX) {
        Jump oldest = after.remove();
        Jump next = after.remove();
        // In the scale in front of both, changes up to the later jump lack both.
        after.addFirst(
            new Jump(next.atMicros() - oldest.byMicros(), oldest.byMicros() + next.byMicros()));
      }
      return after;
    }
    // A jump back takes earlier jumps forward back.
    long back = -doubtMicros;
    while (back > 0 && !after.isEmpty()) {
      Jump last = after.removeLast();
      if (last.byMicros() > back) {
        after.add(new Jump(last.atMicros(), last.byMicros() - back));
      }
      back -= last.byMicros();
    }
    return after;
  }

  /** Which time has certainly passed; also looks at the wall clock. */
  PassedTime passed(long wallMicros, long nowNanos) {
    long time = micros(wallMicros, nowNanos);
    return new PassedTime(
        state == State.BEHIND ? Math.min(time, wallMicros) : time, List.copyOf(jumps));
  }

  /** The jump in doubt, in words. */
  Optional<String> text() {
    long seconds = TimeUnit.MICROSECONDS.toSeconds(Math.abs(doubtMicros));
    return switch (state) {
      case TRUSTED -> Optional.empty();
      case AHEAD -> Optional.of("the wall clock is " + seconds + " s ahead");
      case BEHIND -> Optional.of("the wall clock is " + seconds + " s behind");
    };
  }
}
