package io.tunnel.programs.bench;

import io.tunnel.model.Limits;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A case of the whitepaper: channels of one tunnel, delivered to worker processes.
 *
 * @param channels as many as the table has partitions
 * @param processes each with one worker
 */
record WhitepaperCase(int channels, int processes) {

  static final int PROCESSES_MAX = 16;

  private static final Pattern TEXT = Pattern.compile("([0-9]{1,4})x([0-9]{1,4})");

  WhitepaperCase {
    if (channels < 1 || channels > Limits.TABLE_PARTITIONS_MAX) {
      throw new IllegalArgumentException(
          "a case has 1 to " + Limits.TABLE_PARTITIONS_MAX + " channels, not " + channels);
    }
    if (processes < 1 || processes > PROCESSES_MAX) {
      throw new IllegalArgumentException(
          "a case has 1 to " + PROCESSES_MAX + " worker processes, not " + processes);
    }
  }

  /** Reads {@code 64x2}. */
  static WhitepaperCase parse(String text) {
    Matcher matcher = TEXT.matcher(text.strip());
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "a case is CHANNELSxPROCESSES such as 64x2, not '" + text + "'");
    }
    return new WhitepaperCase(
        Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2)));
  }

  @Override
  public String toString() {
    return channels + "x" + processes;
  }
}
