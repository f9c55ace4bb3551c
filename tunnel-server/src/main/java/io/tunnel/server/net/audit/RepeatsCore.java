package io.tunnel.server.net.audit;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Limits the lines of refusals: in each window of {@value #WINDOW_NANOS} ns a subject's first
 * refusals get a line each, and the rest is counted in one line when the window is over. Subjects
 * beyond {@code subjectsMax} share one nameless window. So the number of lines is bounded, however
 * many subjects are refused.
 *
 * <p>Not thread-safe.
 */
final class RepeatsCore {

  /** The length of a window: five minutes. */
  static final long WINDOW_NANOS = 300_000_000_000L;

  /** The name of the shared window. */
  static final String OTHERS = "";

  private final int subjectsMax;
  private final int linesMax;

  /** At most {@code subjectsMax} + 1 windows, in the order of their beginnings. */
  private final Map<String, Window> windowBySubject = new LinkedHashMap<>();

  /**
   * @param lines that were written, at most {@code linesMax}
   * @param counted refusals behind them
   */
  private record Window(long beganNanos, long beganMs, int lines, long counted) {
    boolean isOver(long nowNanos) {
      return nowNanos - beganNanos >= WINDOW_NANOS;
    }
  }

  /**
   * Refusals that were only counted.
   *
   * @param subject the refused subject, or {@link #OTHERS}
   * @param count the number of refusals
   * @param sinceMs when the window began, in milliseconds since 1970
   */
  record Repeated(String subject, long count, long sinceMs) {}

  /**
   * Without refusals.
   *
   * @param subjectsMax subjects with a window of their own
   * @param linesMax lines of a subject in a window
   */
  RepeatsCore(int subjectsMax, int linesMax) {
    this.subjectsMax = subjectsMax;
    this.linesMax = linesMax;
  }

  /** Counts a refusal, and returns whether it gets a line of its own. */
  boolean take(String subject, long nowNanos, long nowMs) {
    boolean hasOwn = windowBySubject.containsKey(subject) || windowBySubject.size() < subjectsMax;
    String counted = hasOwn ? subject : OTHERS;
    Window before =
        windowBySubject.getOrDefault(
            counted, new Window(nowNanos, nowMs, hasOwn ? 0 : linesMax, 0));
    boolean hasLine = before.lines() < linesMax;
    windowBySubject.put(
        counted,
        new Window(
            before.beganNanos(),
            before.beganMs(),
            before.lines() + (hasLine ? 1 : 0),
            before.counted() + (hasLine ? 0 : 1)));
    return hasLine;
  }

  /** The counts of windows that are over; forgets these windows. */
  List<Repeated> ended(long nowNanos) {
    List<Repeated> ended = new ArrayList<>();
    Iterator<Map.Entry<String, Window>> oldest = windowBySubject.entrySet().iterator();
    while (oldest.hasNext()) {
      Map.Entry<String, Window> each = oldest.next();
      if (!each.getValue().isOver(nowNanos)) {
        break;
      }
      note(each.getKey(), each.getValue(), ended);
      oldest.remove();
    }
    return ended;
  }

  /** The counts of all windows; forgets all windows. */
  List<Repeated> all() {
    List<Repeated> all = new ArrayList<>();
    windowBySubject.forEach((subject, window) -> note(subject, window, all));
    windowBySubject.clear();
    return all;
  }

  private static void note(String subject, Window window, List<Repeated> noted) {
    if (window.counted() > 0) {
      noted.add(new Repeated(subject, window.counted(), window.beganMs()));
    }
  }

  /** Windows that are open. */
  int size() {
    return windowBySubject.size();
  }
}
