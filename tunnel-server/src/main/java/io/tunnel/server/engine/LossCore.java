package io.tunnel.server.engine;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Counts the changes that channels lost, each once, and decides which losses the log shows. A look
 * has all channels that are lost now. A channel that loses more changes has one line a minute; all
 * channels together have {@value #LINES_MAX} lines a minute, and one line for the rest.
 *
 * <p>The first look only notes what was lost before: an earlier process, or the former leader of
 * the tunnels, counted these changes.
 */
final class LossCore {

  static final long LINE_NANOS = TimeUnit.MINUTES.toNanos(1);
  static final int LINES_MAX = 10;

  private final Map<String, Known> knownByChannel = new HashMap<>();
  private boolean hasLooked;

  /** When the present minute of lines began; a minute ago before the first line. */
  private long minuteNanos;

  /** Lines of the present minute, without the line for the rest. */
  private int lines;

  private boolean isRestTold;

  LossCore(long nowNanos) {
    minuteNanos = nowNanos - LINE_NANOS;
  }

  /**
   * Changes that a channel lost.
   *
   * @param channel id of the channel
   * @param first position of the first lost change
   * @param last position of the last lost change
   */
  record Lost(String channel, long first, long last) {
    Lost {
      if (first > last) {
        throw new IllegalArgumentException("no changes are from " + first + " to " + last);
      }
    }

    long changes() {
      return last - first + 1;
    }

    private long shared(Lost other) {
      return Math.max(0, Math.min(last, other.last) - Math.max(first, other.first) + 1);
    }
  }

  /**
   * A line of the log.
   *
   * @param changes lost changes that no line has shown
   * @param isFirst whether this is the first line of the loss
   */
  record Line(Lost lost, long changes, boolean isFirst) {}

  /**
   * Lost channels without a line of their own, because there were too many.
   *
   * @param changes lost changes that no line has shown
   */
  record Rest(int channels, long changes) {
    static final Rest NONE = new Rest(0, 0);
  }

  /**
   * The outcome of a look.
   *
   * @param changes changes that were lost since the last look
   * @param lines lines to log now
   * @param rest one more line to log now, unless it has no channels
   */
  record Found(long changes, List<Line> lines, Rest rest) {
    Found {
      lines = List.copyOf(lines);
    }
  }

  /** What is known of a lost channel. */
  private static final class Known {

    /** All lost changes that are counted. */
    private Lost counted;

    /** Counted changes that no line has shown. */
    private long unshown;

    private boolean isShown;

    /** When the last line was logged, if one was. */
    private long shownNanos;

    Known(Lost counted) {
      this.counted = counted;
      this.unshown = counted.changes();
    }

    /** Counts what was not counted before; returns the number of these changes. */
    long add(Lost now) {
      long shared = now.shared(counted);
      long more = now.changes() - shared;
      counted =
          shared == 0
              ? now
              : new Lost(
                  now.channel(),
                  Math.min(now.first(), counted.first()),
                  Math.max(now.last(), counted.last()));
      unshown += more;
      return more;
    }

    boolean isDue(long nowNanos) {
      return unshown > 0 && (!isShown || nowNanos - shownNanos >= LINE_NANOS);
    }

    Line show(Lost now, long nowNanos) {
      Line line = new Line(now, unshown, !isShown);
      unshown = 0;
      isShown = true;
      shownNanos = nowNanos;
      return line;
    }
  }

  /** A look at all channels that are lost now; a channel that is missing was moved, or is gone. */
  Found look(List<Lost> lost, long nowNanos) {
    long changes = 0;
    Map<String, Known> still = new HashMap<>();
    for (Lost now : lost) {
      Known known = knownByChannel.get(now.channel());
      if (known == null) {
        known = new Known(now);
        changes += now.changes();
      } else {
        changes += known.add(now);
      }
      still.put(now.channel(), known);
    }
    knownByChannel.clear();
    knownByChannel.putAll(still);
    if (!hasLooked) {
      hasLooked = true;
      changes = 0;
    }
    if (nowNanos - minuteNanos >= LINE_NANOS) {
      minuteNanos = nowNanos;
      lines = 0;
      isRestTold = false;
    }
    return shown(lost, changes, nowNanos);
  }

  private Found shown(List<Lost> lost, long changes, long nowNanos) {
    List<Line> now = new ArrayList<>();
    int restChannels = 0;
    long restChanges = 0;
    for (Lost one : lost) {
      Known known = knownByChannel.get(one.channel());
      if (!known.isDue(nowNanos)) {
        continue;
      }
      if (lines < LINES_MAX) {
        lines++;
        now.add(known.show(one, nowNanos));
      } else {
        restChannels++;
        restChanges += known.unshown;
      }
    }
    boolean isRestDue = restChannels > 0 && !isRestTold;
    isRestTold |= isRestDue;
    return new Found(changes, now, isRestDue ? new Rest(restChannels, restChanges) : Rest.NONE);
  }
}
