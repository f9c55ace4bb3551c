package io.tunnel.cli.ping;

import com.google.gson.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** The round trips of one run, in memory that does not grow with their number. */
final class RoundTrips {

  private static final long NANOS_MAX = TimeUnit.HOURS.toNanos(1);
  private static final int DIGITS = 3;
  private static final double NANOS_PER_MS = 1e6;

  /** Digits behind the point of a number in JSON: nanoseconds. */
  private static final double FRACTION = 1e6;

  private final Histogram nanos = new Histogram(NANOS_MAX, DIGITS);
  private long lost;

  void answered(Duration tookTime) {
    nanos.recordValue(Math.min(NANOS_MAX, Math.max(0, tookTime.toNanos())));
  }

  void lost() {
    lost++;
  }

  long answeredCount() {
    return nanos.getTotalCount();
  }

  long lostCount() {
    return lost;
  }

  /** Milliseconds for people. */
  static String text(double ms) {
    return String.format(Locale.ROOT, "%.3f", ms);
  }

  private double percentileMs(double percentile) {
    return nanos.getValueAtPercentile(percentile) / NANOS_PER_MS;
  }

  /** The summary for people. */
  List<String> lines() {
    String counts =
        (answeredCount() + lost)
            + (answeredCount() + lost == 1 ? " ping, " : " pings, ")
            + answeredCount()
            + " answered, "
            + lost
            + " lost";
    if (answeredCount() == 0) {
      return List.of(counts);
    }
    return List.of(
        counts,
        "round trip in ms: min "
            + text(nanos.getMinValue() / NANOS_PER_MS)
            + ", average "
            + text(nanos.getMean() / NANOS_PER_MS)
            + ", p50 "
            + text(percentileMs(50))
            + ", p90 "
            + text(percentileMs(90))
            + ", p99 "
            + text(percentileMs(99))
            + ", p99.9 "
            + text(percentileMs(99.9))
            + ", max "
            + text(nanos.getMaxValue() / NANOS_PER_MS));
  }

  /** The summary for programs; without times when nothing was answered. */
  JsonObject json() {
    JsonObject json = new JsonObject();
    json.addProperty("sent", answeredCount() + lost);
    json.addProperty("answered", answeredCount());
    json.addProperty("lost", lost);
    if (answeredCount() > 0) {
      add(json, "minMs", nanos.getMinValue() / NANOS_PER_MS);
      add(json, "averageMs", nanos.getMean() / NANOS_PER_MS);
      add(json, "p50Ms", percentileMs(50));
      add(json, "p90Ms", percentileMs(90));
      add(json, "p99Ms", percentileMs(99));
      add(json, "p999Ms", percentileMs(99.9));
      add(json, "maxMs", nanos.getMaxValue() / NANOS_PER_MS);
    }
    return json;
  }

  private static void add(JsonObject json, String name, double ms) {
    json.addProperty(name, Math.rint(ms * FRACTION) / FRACTION);
  }
}
