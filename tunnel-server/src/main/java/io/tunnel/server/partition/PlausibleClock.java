package io.tunnel.server.partition;

import io.tunnel.server.catalog.ClockNote;
import io.tunnel.server.catalog.TunnelCatalog;
import io.tunnel.server.table.PassedTime;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The clock of a server without a cluster, which does not follow a wall clock that jumps: the shell
 * of {@link TimeCore}. Any thread may read it; {@link #tick} is for the control thread.
 */
public final class PlausibleClock implements Shard.Clock {

  private static final Logger LOGGER = LoggerFactory.getLogger(PlausibleClock.class);

  private final Shard.Clock machine;
  private final long acceptedMs;
  private TimeCore core;
  private TimeCore.State told = TimeCore.State.TRUSTED;

  /**
   * A clock that knows nothing yet.
   *
   * @param machine the wall clock and the monotonic clock of the machine
   * @param acceptedMs how long the wall clock has to insist on a jump before it is believed
   */
  public PlausibleClock(Shard.Clock machine, long acceptedMs) {
    this.machine = machine;
    this.acceptedMs = acceptedMs;
    this.core = core(ClockNote.NOTHING, 0);
  }

  private TimeCore core(ClockNote noted, long newestMicros) {
    return new TimeCore(
        noted,
        newestMicros,
        TimeUnit.MILLISECONDS.toNanos(acceptedMs),
        machine.epochMicros(),
        machine.nanos());
  }

  /**
   * Starts again from what is stored; before anything is committed.
   *
   * @param newestMicros no stored change was committed later
   */
  public void begin(TunnelCatalog catalog, long newestMicros) {
    synchronized (this) {
      core = core(catalog.clock(), newestMicros);
    }
    tick(catalog);
  }

  @Override
  public synchronized long epochMicros() {
    return core.micros(machine.epochMicros(), machine.nanos());
  }

  @Override
  public synchronized PassedTime passed() {
    return core.passed(machine.epochMicros(), machine.nanos());
  }

  @Override
  public long nanos() {
    return machine.nanos();
  }

  /** Wall clock minus time, in seconds, while the wall clock is not believed; 0 while it is. */
  public synchronized double doubtSeconds() {
    return core.doubtMicros() / 1e6;
  }

  /** What is wrong with the wall clock, while it is not believed. */
  public synchronized Optional<String> doubt() {
    return core.text();
  }

  /** Looks at the wall clock, notes a jump, and accepts one that is due; a few times a second. */
  public void tick(TunnelCatalog catalog) {
    long now = nanos();
    boolean accepts;
    ClockNote note;
    synchronized (this) {
      var unused = core.micros(machine.epochMicros(), now);
      tell();
      accepts = core.isAcceptable(now);
      note = accepts ? core.noteOfAcceptance(now) : core.note();
    }
    try {
      if (!note.equals(catalog.clock())) {
        catalog.note(note);
      }
    } catch (IOException e) {
      // The catalog says what is wrong with its disk; the next tick tries again.
      LOGGER.debug("cannot note a jump of the wall clock; will retry", e);
      return;
    }
    if (accepts) {
      synchronized (this) {
        core.accept(note, nanos());
        tell();
      }
    }
  }

  private void tell() {
    TimeCore.State state = core.state();
    if (state == told) {
      return;
    }
    if (state == TimeCore.State.TRUSTED) {
      LOGGER.warn("the wall clock is believed again: it is right, or has insisted for long enough");
    } else {
      LOGGER.warn(
          "{}: the server continues by its monotonic clock and lets nothing expire early; it"
              + " believes the wall clock when that is right again, or has been so for {} ms"
              + " (shard.clockJumpAcceptedMs)",
          core.text().orElseThrow(),
          acceptedMs);
    }
    told = state;
  }
}
