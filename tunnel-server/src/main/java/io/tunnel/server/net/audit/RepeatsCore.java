package io.tunnel.server.net.audit;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How often somebody is refused before that is only counted: the first refusals of each window of
 * {@value #WINDOW_NANOS} ns have a line each, and all further ones together have one when the
 * window is over. More than {@code subjectsMax} at the same time are counted as one that has no
 * name. So lines of refusals are bounded, however many subjects are refused.
 *
 * <p>For one thread, or behind the lock of those who share it.
 */
final class RepeatsCore {

  /** How long is counted: five minutes. */
  static final long WINDOW_NANOS = 300_000_000_000L;

  /** Stands for all that have no window of their own. */
  static final String OTHERS = "";

  private final int subjectsMax;
  private final int linesMax;

  /** In the order in which the windows began, at most {@code subjectsMax} and one. */
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
   * Refusals that have no line of their own.
   *
   * @param subject who was refused, or {@link #OTHERS}
   * @param count how many of them
   * @param sinceMs when the window began, in milliseconds since 1970
   */
  record Repeated(String subject, long count, long sinceMs) {}

  /**
   * Of nobody yet.
   *
   * @param subjectsMax who have a window of their own at the same time
   * @param linesMax lines of one of them in a window
   */
  RepeatsCore(int subjectsMax, int linesMax) {
    this.subjectsMax = subjectsMax;
    this.linesMax = linesMax;
  }

  /** Somebody was refused; whether that has a line of its own. */
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

  /** What was only counted in windows that are over. */
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

  /** What was only counted until now; begins anew. */
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
