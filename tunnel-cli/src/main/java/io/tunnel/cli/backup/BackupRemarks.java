package io.tunnel.cli.backup;

import io.tunnel.server.backup.Backup;
import io.tunnel.server.backup.BackupSet;
import io.tunnel.server.backup.FoundSets;
import io.tunnel.server.backup.FoundSets.DamagedSet;
import io.tunnel.terminal.ExitCode;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Lines on standard error about the other backups of a directory. */
public final class BackupRemarks {

  private BackupRemarks() {}

  /** A line for each damaged backup. */
  static void damaged(FoundSets found, PrintWriter err) {
    for (DamagedSet set : found.damaged()) {
      err.println(
          "backup %d cannot be restored, because its list of files %s is damaged: %s"
              .formatted(set.number(), set.list(), set.why()));
    }
    err.flush();
  }

  /** Lines about what a backup has found in the directory {@code to}. */
  public static void print(Backup.Outcome outcome, Path to, PrintWriter err) {
    FoundSets found = outcome.found();
    damaged(found, err);
    if (!found.damaged().isEmpty()) {
      err.println(
          "the new backup is complete. While a damaged list is there, no backup deletes a file of "
              + to
              + ", because the list may name the file; delete the list to give up its backup");
    }
    String service = outcome.set().service();
    Set<String> others =
        found.intact().stream()
            .filter(set -> !set.isOf(service))
            .map(BackupSet::service)
            .collect(Collectors.toCollection(TreeSet::new));
    if (!others.isEmpty()) {
      err.println(
          "%s also has backups of %s, and this backup is of %s: --keep neither counts nor deletes the others. Use a directory of its own for each server and cluster"
              .formatted(to, String.join(", ", others), service));
    }
    err.flush();
  }

  /**
   * The exit code of a complete backup: whether files of old backups could be deleted.
   *
   * @param mustDelete whether the user asked for it, with {@code --keep}
   */
  public static int exitCode(Backup.Outcome outcome, boolean mustDelete) {
    return mustDelete && !outcome.found().damaged().isEmpty()
        ? ExitCode.NOT_ALL_CHECKED
        : ExitCode.OK;
  }

  /** The numbers of damaged backups that a backup has found. */
  public static List<Long> damagedNumbers(Backup.Outcome outcome) {
    return outcome.found().damaged().stream().map(DamagedSet::number).toList();
  }
}
