package io.tunnel.terminal;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How a program ends. The numbers from 64 on are those of BSD's sysexits.h, and 128 + 2 is what a
 * shell reports for a program that was interrupted.
 */
public final class ExitCode {

  /** Everything asked for was done, and everything checked was right. */
  public static final int OK = 0;

  /** The job failed: the server refused it, or what was verified was not as it must be. */
  public static final int FAILED = 1;

  /** The command line is wrong; nothing was done. */
  public static final int USAGE = 2;

  /** There is no row with that key. */
  public static final int NO_ROW = 3;

  /** There is no such table, tunnel, channel or node. */
  public static final int NOT_FOUND = 4;

  /** The row is not as the command asked for, and so nothing was changed. */
  public static final int CONDITION_FAILED = 5;

  /** Everything that was checked is right, and something could not be checked. */
  public static final int NOT_ALL_CHECKED = 6;

  /**
   * The server cannot be reached, or takes no requests now, or what a program needs for itself is
   * in use; trying again later may help.
   */
  public static final int UNAVAILABLE = 69;

  /** A fault of the program's own. */
  public static final int INTERNAL = 70;

  /** A file or a disk failed. */
  public static final int IO = 74;

  /** Interrupted, as by Ctrl-C. */
  public static final int INTERRUPTED = 130;

  private ExitCode() {}

  /** The name that errors as JSON have when nothing says more. */
  static String name(int code) {
    return switch (code) {
      case OK -> "OK";
      case FAILED -> "FAILED";
      case USAGE -> "USAGE";
      case NO_ROW -> "NO_ROW";
      case NOT_FOUND -> "NOT_FOUND";
      case CONDITION_FAILED -> "CONDITION_FAILED";
      case NOT_ALL_CHECKED -> "NOT_ALL_CHECKED";
      case UNAVAILABLE -> "UNAVAILABLE";
      case INTERNAL -> "INTERNAL";
      case IO -> "IO";
      case INTERRUPTED -> "INTERRUPTED";
      default -> Integer.toString(code);
    };
  }

  /** The meaning of each code in one line, as the help of every command lists them. */
  static Map<String, String> help() {
    Map<String, String> lines = new LinkedHashMap<>();
    lines.put(Integer.toString(OK), "done");
    lines.put(Integer.toString(FAILED), "the job failed, or the server refused it");
    lines.put(Integer.toString(USAGE), "the command line is wrong, nothing was done");
    lines.put(Integer.toString(NO_ROW), "there is no row with that key");
    lines.put(Integer.toString(NOT_FOUND), "there is no such table, tunnel, channel or node");
    lines.put(
        Integer.toString(CONDITION_FAILED),
        "--if, --if-exists or --if-absent did not hold of the row");
    lines.put(
        Integer.toString(NOT_ALL_CHECKED),
        "everything checked is right, and not everything could be checked");
    lines.put(
        Integer.toString(UNAVAILABLE),
        "the server is not reachable or takes no requests now; a port or directory is in use");
    lines.put(Integer.toString(INTERNAL), "a fault of this program");
    lines.put(Integer.toString(IO), "a file or a disk failed");
    lines.put(Integer.toString(INTERRUPTED), "interrupted");
    return lines;
  }
}
