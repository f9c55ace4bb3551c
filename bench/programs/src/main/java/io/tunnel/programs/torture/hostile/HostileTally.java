package io.tunnel.programs.torture.hostile;

import com.google.gson.Gson;
import io.tunnel.terminal.Human;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import org.HdrHistogram.ConcurrentHistogram;

/** The attempts and their results. Safe for any thread. */
final class HostileTally {

  private static final Gson GSON = new Gson();
  static final int DIGITS = 3;
  private static final int FINDINGS_MAX = 20;

  /** An ordinary round of this length shows a slow machine, on which silence proves no fault. */
  private static final double SLOW_MS = RawConnection.ANSWER_MS_MAX / 4.0;

  private final long seed;
  private final Map<Attack, Integer> attempts = new EnumMap<>(Attack.class);
  private final Map<Attack, Integer> cutOff = new EnumMap<>(Attack.class);
  private final List<String> findings = new ArrayList<>();
  private final List<String> unanswered = new ArrayList<>();
  private int found;
  private int crowd;
  private int healthy;
  private int unhealthy;
  private OptionalLong memoryBytes = OptionalLong.empty();

  /** Of the ordinary client, in nanoseconds, while nobody attacks, and while somebody does. */
  final ConcurrentHistogram quiet = new ConcurrentHistogram(DIGITS);

  final ConcurrentHistogram attacked = new ConcurrentHistogram(DIGITS);

  HostileTally(long seed) {
    this.seed = seed;
  }

  /** One attack, as {@code --json} prints it. */
  private record Tried(String attack, int attempts, int cutOff) {}

  private record Summary(
      long seed,
      List<Tried> attacks,
      long attempts,
      int obtained,
      int unanswered,
      int crowd,
      int healthy,
      int unhealthy,
      Long memoryBytes,
      long memoryBytesMax,
      long rounds,
      double quietP50Ms,
      double attackedP50Ms,
      double quietP99Ms,
      double attackedP99Ms,
      double ratio,
      boolean verified,
      List<String> findings,
      long elapsedMs) {}

  /** A wave of attackers came. */
  synchronized void came(AttackProgram.Counts wave) {
    crowd += wave.crowd();
    wave.attempts().forEach((attack, count) -> attempts.merge(attack, count, Integer::sum));
    wave.cutOff().forEach((attack, count) -> cutOff.merge(attack, count, Integer::sum));
    wave.findings().forEach(this::found);
    unanswered.addAll(wave.unanswered());
    found += wave.found() - wave.findings().size();
  }

  /** Something is not as it must be. */
  synchronized void found(String what) {
    found++;
    if (findings.size() < FINDINGS_MAX) {
      findings.add(what);
    }
  }

  synchronized void health(boolean isUp) {
    healthy += isUp ? 1 : 0;
    unhealthy += isUp ? 0 : 1;
  }

  /** The most memory that the server had, and whether that is too much. */
  synchronized void memory(OptionalLong bytes, long bytesMax) {
    memoryBytes = bytes;
    if (bytes.orElse(0) > bytesMax) {
      found(
          "the server took " + Human.bytes(bytes.getAsLong()) + ", over " + Human.bytes(bytesMax));
    }
  }

  synchronized long attempts() {
    return attempts.values().stream().mapToLong(Integer::longValue).sum();
  }

  synchronized int found() {
    return found;
  }

  /**
   * Whether attackers waited in vain while the ordinary client never waited long: the server keeps
   * connections of attackers open. Where the ordinary client waited long too, the machine is slow.
   */
  private boolean isHanging() {
    return !unanswered.isEmpty() && waitedMostMs() < SLOW_MS;
  }

  private double waitedMostMs() {
    return Math.max(quiet.getMaxValue(), attacked.getMaxValue()) / 1e6;
  }

  synchronized boolean isClean() {
    return found == 0 && !isHanging() && unhealthy == 0 && healthy > 0 && !attempts.isEmpty();
  }

  private static double p50Ms(ConcurrentHistogram nanos) {
    return nanos.getValueAtPercentile(50) / 1e6;
  }

  private static double p99Ms(ConcurrentHistogram nanos) {
    return nanos.getValueAtPercentile(99) / 1e6;
  }

  private double ratio() {
    return quiet.getTotalCount() == 0 ? 0 : p99Ms(attacked) / p99Ms(quiet);
  }

  synchronized String json(long elapsedMs) {
    return GSON.toJson(
        new Summary(
            seed,
            attempts.keySet().stream()
                .map(one -> new Tried(one.text(), attempts.get(one), cutOff.getOrDefault(one, 0)))
                .toList(),
            attempts(),
            found,
            unanswered.size(),
            crowd,
            healthy,
            unhealthy,
            memoryBytes.isPresent() ? memoryBytes.getAsLong() : null,
            HostileServer.memoryBytesMax(),
            quiet.getTotalCount() + attacked.getTotalCount(),
            p50Ms(quiet),
            p50Ms(attacked),
            p99Ms(quiet),
            p99Ms(attacked),
            ratio(),
            isClean(),
            findings,
            elapsedMs));
  }

  /** For people. */
  synchronized List<String> lines(long elapsedMs) {
    List<String> lines = new ArrayList<>();
    attempts.forEach(
        (attack, count) ->
            lines.add(
                attack.text()
                    + ": tried "
                    + Human.counted(count, "time")
                    + ", "
                    + cutOff.getOrDefault(attack, 0)
                    + " cut off"));
    lines.add(Human.count(crowd) + " strangers came and stayed as long as they were let");
    findings.forEach(finding -> lines.add("FOUND: " + finding));
    if (!unanswered.isEmpty()) {
      lines.add(
          (isHanging() ? "HANGS: " : "too slow to tell: ")
              + Human.counted(unanswered.size(), "attempt")
              + " without an answer, such as "
              + unanswered.get(0)
              + "; the ordinary client waited "
              + String.format(Locale.ROOT, "%.1f s at most", waitedMostMs() / 1e3));
    }
    lines.add(
        "health: up "
            + Human.counted(healthy, "time")
            + ", not up "
            + Human.counted(unhealthy, "time"));
    lines.add(
        "memory: "
            + (memoryBytes.isPresent() ? Human.bytes(memoryBytes.getAsLong()) : "not measured")
            + ", at most "
            + Human.bytes(HostileServer.memoryBytesMax()));
    lines.add(
        String.format(
            Locale.ROOT,
            "ordinary client: %s rounds; p50 %.1f ms in quiet, %.1f ms under attack;"
                + " p99 %.1f ms in quiet, %.1f ms under attack, ratio %.1f",
            Human.count(quiet.getTotalCount() + attacked.getTotalCount()),
            p50Ms(quiet),
            p50Ms(attacked),
            p99Ms(quiet),
            p99Ms(attacked),
            ratio()));
    lines.add(
        Human.count(attempts())
            + " attempts in "
            + Human.duration(elapsedMs)
            + ", seed "
            + seed
            + ": "
            + (isClean() ? "nothing was obtained" : "NOT AS IT MUST BE"));
    return lines;
  }
}
