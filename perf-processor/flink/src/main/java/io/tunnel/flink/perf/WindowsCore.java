package io.tunnel.flink.perf;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Adds up what readers counted, and says which windows are complete. A window is complete when the
 * watermark has passed it, or when nobody told anything for a while: partitions without changes
 * have no watermark. Each row is in exactly one window; one that is read when its window is
 * complete is in the first that is not, and counted as late there. Used by one thread.
 */
final class WindowsCore {

  /**
   * Older windows without rows are left out, and so are those before we were started: nobody waits
   * for them.
   */
  static final long EMPTY_SHOWN_MS = 60_000;

  private static final long NONE = Long.MIN_VALUE;

  private final long intervalMs;
  private final long quietMs;
  private final long startedMs;
  private final TreeMap<Long, WindowCounts> open = new TreeMap<>();
  private final Map<String, Usage> usageByProcess = new HashMap<>();
  private long completeUpToMs;
  private long toldMs;

  private record Usage(long cpuNanos, long heapUsedBytes) {}

  /**
   * With windows that are open and the end of those that are complete, as of an earlier run.
   *
   * @param quietMs how long nobody tells anything before windows are complete by the clock
   * @param nowMs milliseconds since 1970
   */
  WindowsCore(long intervalMs, long quietMs, State state, long nowMs) {
    this.intervalMs = intervalMs;
    this.quietMs = quietMs;
    this.completeUpToMs = state.completeUpToMs();
    this.startedMs = nowMs;
    this.toldMs = nowMs;
    state.open().forEach(counts -> open.put(counts.startMs, counts));
  }

  /** What a checkpoint has to keep. */
  record State(List<WindowCounts> open, long completeUpToMs) {

    static final State NEW = new State(List.of(), NONE);

    State {
      open = List.copyOf(open);
    }
  }

  State state() {
    return new State(List.copyOf(open.values()), completeUpToMs);
  }

  /** A reader has told what it counted. */
  void add(LocalCounts told, long nowMs) {
    toldMs = nowMs;
    WindowCounts counts = told.counts;
    Usage before = usageByProcess.getOrDefault(told.process, new Usage(0, 0));
    // All readers of a process tell its CPU time; one that was started later tells less.
    long cpuNanos = Math.max(before.cpuNanos(), told.cpuNanos);
    counts.cpuNanos = cpuNanos - before.cpuNanos();
    usageByProcess.put(told.process, new Usage(cpuNanos, told.heapUsedBytes));
    if (counts.startMs < completeUpToMs) {
      counts.late = counts.rows();
      counts.startMs = completeUpToMs;
    }
    open.merge(counts.startMs, counts, WindowCounts::add);
  }

  /** The windows that became complete, in order. */
  List<WindowCounts> complete(long watermarkMs, long nowMs) {
    List<WindowCounts> complete = new ArrayList<>();
    long upToMs = upTo(watermarkMs, nowMs);
    while (hasNext(upToMs, nowMs)) {
      WindowCounts counts = open.remove(completeUpToMs);
      complete.add(finished(counts == null ? empty(completeUpToMs) : counts));
      completeUpToMs += intervalMs;
    }
    return complete;
  }

  /** Whether the next window is complete, after those without rows that are not shown. */
  private boolean hasNext(long upToMs, long nowMs) {
    if (completeUpToMs == NONE) {
      if (open.isEmpty() || open.firstKey() + intervalMs > upToMs) {
        return false;
      }
      completeUpToMs = open.firstKey();
    }
    boolean isEnd = upToMs == Long.MAX_VALUE;
    long shownFromMs = isEnd ? upToMs : floor(Math.max(startedMs, nowMs - EMPTY_SHOWN_MS));
    long nextMs = open.isEmpty() ? upToMs : Math.min(upToMs, open.firstKey());
    if (!isEnd || !open.isEmpty()) {
      completeUpToMs = Math.max(completeUpToMs, Math.min(nextMs, shownFromMs));
    }
    return isEnd ? !open.isEmpty() : completeUpToMs + intervalMs <= upToMs;
  }

  private long upTo(long watermarkMs, long nowMs) {
    if (watermarkMs == Long.MAX_VALUE) {
      return Long.MAX_VALUE;
    }
    long passed = watermarkMs == Long.MIN_VALUE ? Long.MIN_VALUE : floor(watermarkMs + 1);
    return nowMs - toldMs < quietMs ? passed : Math.max(passed, floor(nowMs - quietMs));
  }

  private long floor(long ms) {
    return ms - Math.floorMod(ms, intervalMs);
  }

  private WindowCounts empty(long startMs) {
    WindowCounts counts = new WindowCounts();
    counts.startMs = startMs;
    return counts;
  }

  private WindowCounts finished(WindowCounts counts) {
    counts.heapUsedBytes = usageByProcess.values().stream().mapToLong(Usage::heapUsedBytes).sum();
    return counts;
  }
}
