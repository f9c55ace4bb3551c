package io.tunnel.cli.cluster;

import com.google.gson.Gson;
import io.tunnel.server.backup.Backup;
import io.tunnel.server.backup.BackupDirectory;
import io.tunnel.server.backup.cluster.ClusterBackup;
import io.tunnel.server.backup.cluster.KafkaClusters;
import io.tunnel.server.engine.SystemClock;
import io.tunnel.server.engine.WiringChance;
import io.tunnel.server.kafka.KafkaConfig;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.Diagnosis;
import io.tunnel.terminal.ExitCode;
import io.tunnel.terminal.Human;
import io.tunnel.terminal.Job;
import io.tunnel.terminal.ProgressBar;
import io.tunnel.terminal.Screen;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
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
final class ClusterBackupCommand extends Job {

  private static final Gson GSON = new Gson();
  private static final int SHARDS_MAX = 256;

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
              + " exist or is empty, and is deleted at the end.")
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
      description = "Delete all backups but the newest N afterwards.")
  private Integer keep;

  @Option(names = "--json", description = "Print the outcome as JSON.")
  private boolean isJson;

  /** For picocli. */
  ClusterBackupCommand() {}

  /** What {@code --json} prints. */
  private record Summary(
      long backup, String cluster, int tables, int tunnels, int partitions, long bytes) {}

  @Override
  public Integer call() {
    if (shards < 1 || shards > SHARDS_MAX) {
      throw CommandFailure.usage("--shards is 1 to " + SHARDS_MAX + ", not " + shards);
    }
    if (keep != null && keep < 1) {
      throw CommandFailure.usage("--keep is at least 1, not " + keep);
    }
    KafkaConfig config = kafka.config(1);
    try (WorkDirectory directory = WorkDirectory.open(work, to);
        BackupDirectory target = open()) {
      take(directory.path(), target, config);
      return ExitCode.OK;
    } catch (IOException e) {
      throw CommandFailure.failed(Diagnosis.ofFile(e));
    }
  }

  private BackupDirectory open() {
    try {
      return BackupDirectory.create(to);
    } catch (IOException e) {
      throw CommandFailure.ofPlace(e);
    }
  }

  private void take(Path staging, BackupDirectory target, KafkaConfig config) throws IOException {
    Screen screen = Screen.standardError(err(), System.getenv());
    SystemClock clock = new SystemClock();
    long takenMs = TimeUnit.MICROSECONDS.toMillis(clock.epochMicros());
    int origin = Math.max(1, WiringChance.number() & Integer.MAX_VALUE);
    ClusterBackup.Outcome read;
    try (KafkaClusters clusters = new KafkaClusters(config, clock);
        ProgressBar bar = bar("reading", screen)) {
      ClusterBackup.Pace pace = new ClusterBackup.Pace(KafkaClusters.THREADS, bar::add);
      read = new ClusterBackup(clusters, staging, shards, origin, pace).run();
    }
    try (ProgressBar bar = bar("copying", screen)) {
      Backup.Options options = new Backup.Options(true, Optional.ofNullable(keep));
      print(read, Backup.take(staging, target, options, takenMs, bar::add));
    }
  }

  private static ProgressBar bar(String what, Screen screen) {
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
                  taken.set().bytes())));
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
