package io.tunnel.cli.backup;

import io.tunnel.server.backup.BackupDirectory;
import io.tunnel.server.backup.BackupSet;
import io.tunnel.terminal.CommandFailure;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The backup that a command restores. */
public final class BackupSource {

  @Option(
      names = "--from",
      required = true,
      paramLabel = "BACKUP",
      description = "The directory of backups.")
  private Path from;

  @Option(
      names = "--backup",
      paramLabel = "N",
      description = "The number of the backup (default: the newest).")
  private Long number;

  /** For picocli. */
  public BackupSource() {}

  /**
   * Opens the directory of backups.
   *
   * @throws CommandFailure when the directory cannot be used
   */
  public BackupDirectory open() {
    try {
      return BackupDirectory.toRead(from);
    } catch (IOException e) {
      throw CommandFailure.ofPlace(e);
    }
  }

  /** The directory of backups, as the command line names it. */
  public Path from() {
    return from;
  }

  /** The chosen backup of an open directory. */
  public BackupSet set(BackupDirectory backup) throws IOException {
    return backup.set(Optional.ofNullable(number));
  }
}
