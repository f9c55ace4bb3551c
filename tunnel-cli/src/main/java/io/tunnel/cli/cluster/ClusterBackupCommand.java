package io.tunnel.cli.cluster;

import com.google.gson.Gson;
import io.tunnel.cli.backup.BackupRemarks;
import io.tunnel.cli.backup.BackupSource;
import io.tunnel.cli.log.ExpectsTrouble;
import io.tunnel.server.backup.Backup;
import io.tunnel.server.backup.BackupDirectory;
import io.tunnel.server.backup.cluster.ClusterBackup;
import io.tunnel.server.backup.cluster.KafkaClusters;
import io.tunnel.server.engine.SystemClock;
import io.tunnel.server.engine.WiringChance;
import io.tunnel.server.kafka.KafkaConfig;
import io.tunnel.terminal.CommandFailure;
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
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code tunnel cluster backup}. */
@Command(
    name = "backup",
    mixinStandardHelpOptions = true,
    description = {
      "Take a backup of a cluster, from its topics in Kafka, while the cluster serves. The nodes"
          + " take no part, and nothing is written to Kafka.",
      "A backup has the form of a single server's: 'tunnel restore' makes a single server of the"
          + " backup, and 'tunnel cluster restore' makes a cluster. All that was acknowledged"
          + " before the backup began is in the backup."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  tunnel cluster backup --bootstrap b1:9092 --to /backup/blue --work /var/tmp/backup",
      "  tunnel cluster backup --bootstrap b1:9092 --cluster blue --to /backup/blue \\",
      "      --work /var/tmp/backup --keep 7"
    })
final class ClusterBackupCommand extends Job implements ExpectsTrouble {

  private static final Gson GSON = new Gson();
  private static final int SHARDS_MAX = 256;

  private final FirstQuestion first;

  @Mixin private KafkaOptions kafka;

  @Option(
      names = "--to",
      required = true,
      paramLabel = "BACKUP",
      description = "The directory of backups; it is created if it does not exist.")
  private Path to;

  @Option(
      names = "--work",
      required = true,
      paramLabel = "DIR",
      description =
          "A directory for the time of the backup, with room for rows and kept changes; it does not"
              + " exist, is empty, or has files of a killed command, and is deleted at the end.")
  private Path work;

  @Option(
      names = "--shards",
      paramLabel = "N",
      defaultValue = "4",
      description =
          "Number of shards of a single server that is restored from the backup (default:"
              + " ${DEFAULT-VALUE}).")
  private int shards;

  @Option(
      names = "--keep",
      paramLabel = "N",
      description =
          "Delete all backups of this cluster but the newest N afterwards. Backups of another"
              + " cluster or server stay. While the list of a backup is damaged, no file is"
              + " deleted, and the exit code is 6.")
  private Integer keep;

  @Option(names = "--json", description = "Print the outcome as JSON.")
  private boolean isJson;

  /** For picocli. */
  ClusterBackupCommand() {
    this(ClusterBackupCommand::requireThere);
  }

  ClusterBackupCommand(FirstQuestion first) {
    this.first = first;
  }

  private static void requireThere(KafkaClusters clusters) throws IOException {
    clusters.requireReachable();
    clusters.requireCluster();
  }

  /** What {@code --json} prints. */
  private record Summary(
      long backup,
      String cluster,
      int tables,
      int tunnels,
      int partitions,
      long bytes,
      int backupsDeleted,
      List<Long> damagedBackups) {}

  @Override
  public Integer call() {
    if (shards < 1 || shards > SHARDS_MAX) {
      throw CommandFailure.usage("--shards is 1 to " + SHARDS_MAX + ", not " + shards);
    }
    if (keep != null && keep < 1) {
      throw CommandFailure.usage("--keep is at least 1, not " + keep);
    }
    KafkaConfig config = kafka.config(1);
    SystemClock clock = new SystemClock();
    boolean isNew = requireUsable();
    try (WorkDirectory directory = WorkDirectory.open(work, to, err());
        KafkaClusters clusters = new KafkaClusters(config, clock)) {
      if (isNew) {
        // A backup that fails leaves no directory without a backup.
        Reading read = read(directory.path(), clusters, clock);
        try (BackupDirectory target = open()) {
          return copy(read, directory.path(), target);
        }
      }
      try (BackupDirectory target = open()) {
        return copy(read(directory.path(), clusters, clock), directory.path(), target);
      }
    } catch (IOException e) {
      throw KafkaFailure.of(e);
    }
  }

  /** Returns whether the directory of backups is to be created. */
  private boolean requireUsable() {
    try {
      return BackupDirectory.isToCreate(to);
    } catch (IOException e) {
      throw CommandFailure.ofPlace(e);
    }
  }

  private BackupDirectory open() {
    try {
      return BackupDirectory.create(to);
    } catch (IOException e) {
      throw BackupSource.failure(e);
    }
  }

  /** What was read of the cluster, from {@code takenMs} on. */
  private record Reading(ClusterBackup.Outcome outcome, long takenMs) {}

  private Reading read(Path staging, KafkaClusters clusters, SystemClock clock) throws IOException {
    first.ask(clusters);
    long takenMs = TimeUnit.MICROSECONDS.toMillis(clock.epochMicros());
    int origin = Math.max(1, WiringChance.number() & Integer.MAX_VALUE);
    try (ProgressBar bar = bar("reading")) {
      ClusterBackup.Pace pace = new ClusterBackup.Pace(KafkaClusters.THREADS, bar::add);
      return new Reading(new ClusterBackup(clusters, staging, shards, origin, pace).run(), takenMs);
    }
  }

  /** Returns the exit code. */
  private int copy(Reading read, Path staging, BackupDirectory target) throws IOException {
    Backup.Options options =
        new Backup.Options(true, Optional.ofNullable(keep), Optional.of(read.outcome().service()));
    Backup.Outcome taken;
    try (ProgressBar bar = bar("copying")) {
      taken = Backup.take(staging, target, options, read.takenMs(), bar::add);
    }
    print(read.outcome(), taken);
    BackupRemarks.print(taken, to, err());
    return BackupRemarks.exitCode(taken, keep != null);
  }

  private ProgressBar bar(String what) {
    Screen screen = Screen.standardError(err(), System.getenv());
    return new ProgressBar(what, "bytes", OptionalLong.empty(), screen, System::nanoTime);
  }

  private void print(ClusterBackup.Outcome read, Backup.Outcome taken) {
    PrintWriter out = out();
    if (isJson) {
      out.println(
          GSON.toJson(
              new Summary(
                  taken.set().number(),
                  kafka.cluster(),
                  taken.set().counts().tables(),
                  taken.set().counts().tunnels(),
                  read.partitions(),
                  taken.set().bytes(),
                  taken.setsDeleted(),
                  BackupRemarks.damagedNumbers(taken))));
    } else {
      out.println(
          "backup "
              + taken.set().number()
              + " of cluster "
              + kafka.cluster()
              + ": "
              + Human.counted(taken.set().counts().tables(), "table")
              + ", "
              + Human.counted(taken.set().counts().tunnels(), "tunnel")
              + ", "
              + Human.counted(read.partitions(), "partition")
              + ", "
              + Human.bytes(taken.set().bytes()));
    }
    out.flush();
  }
}
