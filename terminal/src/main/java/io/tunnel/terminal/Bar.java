package io.tunnel.terminal;

/** A horizontal bar of ASCII, so that it looks right in every terminal and log. */
public final class Bar {

  private Bar() {}

  /**
   * A bar of up to {@code width} characters for {@code value}, the full width being {@code max}. A
   * value above 0 has at least one character, so that little and nothing look different.
   */
  public static String of(long value, long max, int width) {
    return "#".repeat(filled(value, max, width));
  }

  /** A bar on a track of dots that shows the full width. */
  public static String onTrack(long value, long max, int width) {
    int filled = filled(value, max, width);
    return "#".repeat(filled) + ".".repeat(width - filled);
  }

  private static int filled(long value, long max, int width) {
    if (value <= 0 || max <= 0) {
      return 0;
    }
    return (int) Math.max(1, Math.min(width, Math.round((double) value / max * width)));
  }
}
