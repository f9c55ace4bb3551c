package io.tunnel.terminal;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How a program ends. The numbers over 2 are those of BSD's sysexits.h, and 128 + 2 is what a shell
 * reports for a program that was interrupted.
 */
public final class ExitCode {

  /** Everything asked for was done, and everything checked was right. */
  public static final int OK = 0;

  /** The job failed: the server refused it, or what was verified was not as it must be. */
  public static final int FAILED = 1;

  /** The command line is wrong; nothing was done. */
  public static final int USAGE = 2;

  /** The server cannot be reached, or takes no requests now; trying again later may help. */
  public static final int UNAVAILABLE = 69;

  /** A fault of the program's own. */
  public static final int INTERNAL = 70;

  /** A file or a disk failed. */
  public static final int IO = 74;

  /** Interrupted, as by Ctrl-C. */
  public static final int INTERRUPTED = 130;

  private ExitCode() {}

  /** What each code means, in one line each, as the help of every command lists them. */
  static Map<String, String> help() {
    Map<String, String> lines = new LinkedHashMap<>();
    lines.put(Integer.toString(OK), "done");
    lines.put(Integer.toString(FAILED), "the job failed, or the server refused it");
    lines.put(Integer.toString(USAGE), "the command line is wrong, nothing was done");
    lines.put(
        Integer.toString(UNAVAILABLE), "the server is not reachable or takes no requests now");
    lines.put(Integer.toString(INTERNAL), "a fault of this program");
    lines.put(Integer.toString(IO), "a file or a disk failed");
    lines.put(Integer.toString(INTERRUPTED), "interrupted");
    return lines;
  }
}
