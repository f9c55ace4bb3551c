package io.tunnel.terminal;

import io.tunnel.terminal.ProgressCore.Reading;

/**
 * The lines of a progress bar.
 *
 * @param label what is being done, such as {@code writing}
 * @param unit what is counted, in the plural
 */
record ProgressText(String label, String unit) {

  private static final int BAR_MIN = 8;
  private static final int BAR_MAX = 40;

  /** The redrawn line, at most {@code columns} wide. */
  String bar(Reading at, int columns) {
    String left = label + " ";
    String right = at.total().isPresent() ? figures(at) : " " + figures(at);
    int room = Math.min(BAR_MAX, columns - left.length() - right.length() - 3);
    String line = left + right.strip();
    if (at.total().isPresent() && room >= BAR_MIN) {
      String bar = Bar.onTrack(at.done(), at.total().getAsLong(), room);
      line = left + "[" + bar + "] " + right;
    }
    return line.length() <= columns ? line : line.substring(0, Math.max(0, columns));
  }

  /** The line of a log. */
  String plain(Reading at) {
    return label + ": " + figures(at);
  }

  /** The last line; without a rate where the rate says nothing, as when nothing was done. */
  String summary(Reading at) {
    long perSecond = Math.round(at.overallPerSecond());
    return String.format(
            "%s: %s %s in %s", label, Human.count(at.done()), unit, Human.duration(at.elapsedMs()))
        + (perSecond == 0 ? "" : String.format(", %s %s/s", Human.count(perSecond), unit));
  }

  private String figures(Reading at) {
    StringBuilder figures = new StringBuilder();
    at.percent().ifPresent(percent -> figures.append(percent).append("%  "));
    figures.append(Human.count(at.done()));
    at.total().ifPresent(total -> figures.append('/').append(Human.count(total)));
    figures.append(' ').append(unit).append("  ");
    figures.append(Human.shortCount(at.perSecond())).append("/s");
    at.etaMs().ifPresent(eta -> figures.append("  ETA ").append(Human.duration(eta)));
    return figures.toString();
  }
}
