package io.tunnel.cli.backup;

import com.google.gson.Gson;
import io.tunnel.server.backup.Backup;
import io.tunnel.server.backup.BackupDirectory;
import io.tunnel.server.backup.BackupsInUseException;
import io.tunnel.server.backup.PaceCore;
import io.tunnel.server.check.StoredDirectory;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.Diagnosis;
import io.tunnel.terminal.Human;
import io.tunnel.terminal.Job;
import io.tunnel.terminal.ProgressBar;
import io.tunnel.terminal.Screen;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code tunnel backup}. */
@Command(
    name = "backup",
    mixinStandardHelpOptions = true,
    description =
        "Copies the data directory of a single server, also while the server runs: tables, changes,"
            + " rows, tunnels and checkpoints that fit together. Only what is new is copied. The"
            + " server is not asked: every user who may read the directory may copy it.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  tunnel backup --data /var/lib/tunnel --to /backup/tunnel",
      "  tunnel backup --data /var/lib/tunnel --to /backup/tunnel --keep 14 --json",
      "  tunnel backup --data /var/lib/tunnel --to /other-disk/tunnel --rate 0"
    })
public final class BackupCommand extends Job {

  private static final Gson GSON = new Gson();
  private static final long BYTES_OF_MEGABYTE = 1_000_000;
  private static final long RATE_MAX = 1_000_000;

  @Option(
      names = "--data",
      required = true,
      paramLabel = "DIR",
      description = "The data directory of the server.")
  private Path data;

  @Option(
      names = "--to",
      required = true,
      paramLabel = "BACKUP",
      description = "The directory of backups; made if missing. One for each server.")
  private Path to;

  @Option(
      names = "--keep",
      paramLabel = "N",
      description =
          "Delete all backups of this server but the newest N when this one is taken (default:"
              + " none). Backups of another server or cluster stay. While the list of a backup is"
              + " damaged, no file is deleted, and the exit code is 6.")
  private Integer keep;

  @Option(
      names = "--full",
      description = "Read every file again, also those that seem not to have changed.")
  private boolean isFull;

  @Option(
      names = "--rate",
      paramLabel = "MB/S",
      defaultValue = "32",
      description =
          "Copy so many megabytes a second at most, so that writes of the server do not wait for the"
              + " disk; 0 for no limit (default: ${DEFAULT-VALUE}).")
  private long rateMegabytes;

  @Option(names = "--json", description = "Print the outcome as one JSON object.")
  private boolean isJson;

  /** Shows the progress of the copy, and slows it down. */
  private record Paced(ProgressBar bar, PaceCore pace) implements BackupDirectory.Copied {
    @Override
    public void bytes(long count) {
      bar.add(count);
      long from = System.nanoTime();
      long waitNanos = pace.waitNanos(count, from);
      for (long left = waitNanos; left > 0; left = waitNanos - (System.nanoTime() - from)) {
        LockSupport.parkNanos(left);
      }
    }
  }

  /** For picocli. */
  public BackupCommand() {}

  /** What {@code --json} prints. */
  private record Summary(
      long backup,
      long takenMs,
      int tables,
      int tunnels,
      int files,
      long bytes,
      long filesCopied,
      long bytesCopied,
      long filesKnown,
      int backupsDeleted,
      List<Long> damagedBackups,
      long elapsedMs) {}

  @Override
  public Integer call() throws IOException {
    if (keep != null && keep < 1) {
      throw CommandFailure.usage("--keep is at least 1, not " + keep);
    }
    if (rateMegabytes < 0 || rateMegabytes > RATE_MAX) {
      throw CommandFailure.usage("--rate is 0 to " + RATE_MAX + " MB/s, not " + rateMegabytes);
    }
    if (to.toAbsolutePath().normalize().startsWith(data.toAbsolutePath().normalize())) {
      throw CommandFailure.usage("--to " + to + " lies in the data directory; name another place");
    }
    try {
      var unused = StoredDirectory.shardsOf(data);
    } catch (IOException e) {
      throw CommandFailure.ofPlace(e);
    }
    long startNanos = System.nanoTime();
    Screen screen = Screen.standardError(err(), System.getenv());
    try (BackupDirectory target = BackupDirectory.create(to);
        ProgressBar bar =
            new ProgressBar("copying", "bytes", OptionalLong.empty(), screen, System::nanoTime)) {
      Backup.Outcome outcome =
          Backup.take(
              data,
              target,
              new Backup.Options(isFull, Optional.ofNullable(keep)),
              System.currentTimeMillis(),
              new Paced(bar, new PaceCore(rateMegabytes * BYTES_OF_MEGABYTE)));
      print(outcome, (System.nanoTime() - startNanos) / 1_000_000);
      BackupRemarks.print(outcome, to, err());
      return BackupRemarks.exitCode(outcome, keep != null);
    } catch (BackupsInUseException e) {
      throw BackupSource.failure(e);
    } catch (IOException e) {
      throw CommandFailure.io(Diagnosis.ofFile(e));
    }
  }

  private void print(Backup.Outcome outcome, long elapsedMs) {
    PrintWriter out = out();
    if (isJson) {
      out.println(
          GSON.toJson(
              new Summary(
                  outcome.set().number(),
                  outcome.set().takenMs(),
                  outcome.set().counts().tables(),
                  outcome.set().counts().tunnels(),
                  outcome.set().fileCount(),
                  outcome.set().bytes(),
                  outcome.filesCopied(),
                  outcome.bytesCopied(),
                  outcome.filesKnown(),
                  outcome.setsDeleted(),
                  BackupRemarks.damagedNumbers(outcome),
                  elapsedMs)));
    } else {
      out.println(
          "backup "
              + outcome.set().number()
              + " of "
              + data
              + ": "
              + Human.counted(outcome.set().counts().tables(), "table")
              + ", "
              + Human.counted(outcome.set().counts().tunnels(), "tunnel")
              + ", "
              + Human.bytes(outcome.set().bytes())
              + " in "
              + Human.counted(outcome.set().fileCount(), "file"));
      out.println(
          "copied "
              + Human.bytes(outcome.bytesCopied())
              + " in "
              + Human.duration(elapsedMs)
              + "; "
              + Human.counted(outcome.filesKnown(), "file")
              + " had been copied before");
    }
    out.flush();
  }
}
