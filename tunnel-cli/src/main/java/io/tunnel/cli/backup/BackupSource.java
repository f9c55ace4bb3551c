package io.tunnel.cli.backup;

import io.tunnel.server.backup.BackupDirectory;
import io.tunnel.server.backup.BackupSet;
import io.tunnel.server.backup.BackupsInUseException;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.ExitCode;
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
      description =
          "The number of the backup (default: the newest, where all backups are of one service).")
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
      throw failure(e);
    }
  }

  /** The failure to open a directory of backups, with an exit code that says whether to retry. */
  public static CommandFailure failure(IOException reason) {
    return reason instanceof BackupsInUseException
        ? new CommandFailure(ExitCode.UNAVAILABLE, reason.getMessage())
        : CommandFailure.ofPlace(reason);
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
