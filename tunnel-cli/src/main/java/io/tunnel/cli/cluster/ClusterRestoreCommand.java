package io.tunnel.cli.cluster;

import com.google.gson.Gson;
import io.tunnel.cli.backup.BackupSource;
import io.tunnel.cli.backup.RevivedText;
import io.tunnel.server.backup.BackupDirectory;
import io.tunnel.server.backup.BackupSet;
import io.tunnel.server.backup.Restore;
import io.tunnel.server.backup.cluster.ClusterRestore;
import io.tunnel.server.backup.cluster.KafkaClusters;
import io.tunnel.server.catalog.ChannelGrants;
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
import java.security.SecureRandom;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code tunnel cluster restore}. */
@Command(
    name = "restore",
    mixinStandardHelpOptions = true,
    description = {
      "Make a new cluster from a backup of a single server or of a cluster. No node of the cluster"
          + " runs meanwhile, and no cluster of this name exists.",
      "Rows, changes, positions, tunnels, writers, users and rights are those of the backup."
          + " Tunnels of a single server get new ids; their names stay.",
      "A restore that fails leaves topics that no node uses: run the command again, and it begins"
          + " anew."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  tunnel cluster restore --from /backup/tunnel --work /var/tmp/restore --bootstrap b1:9092",
      "  tunnel cluster restore --from /backup/tunnel --backup 12 --work /var/tmp/restore \\",
      "      --bootstrap b1:9092,b2:9092 --cluster blue --replication 3"
    })
final class ClusterRestoreCommand extends Job {

  private static final Gson GSON = new Gson();

  @Mixin private KafkaOptions kafka;

  @Mixin private BackupSource source;

  @Option(
      names = "--work",
      required = true,
      paramLabel = "DIR",
      description =
          "A directory for the time of the restore, with room for the data of the backup; it does"
              + " not exist or is empty, and is deleted at the end.")
  private Path work;

  @Option(
      names = "--replication",
      paramLabel = "N",
      defaultValue = "3",
      description =
          "Number of brokers that keep each topic (default: ${DEFAULT-VALUE}); 1 if there is one"
              + " broker.")
  private int replication;

  @Option(
      names = "--min-insync",
      paramLabel = "N",
      description =
          "Number of these brokers that must store a change before it counts (default: all but"
              + " one).")
  private Integer minInsync;

  @Option(names = "--json", description = "Print the outcome as JSON.")
  private boolean isJson;

  /** For picocli. */
  ClusterRestoreCommand() {}

  /** What {@code --json} prints. */
  private record Summary(
      long backup,
      String cluster,
      int tables,
      int partitions,
      long changes,
      long rows,
      Map<String, String> renamedTunnels,
      List<String> revivedKeys,
      List<String> revivedTokens) {}

  /** What was restored. */
  private record Restored(ClusterRestore.Outcome outcome, Restore.Revived revived) {}

  @Override
  public Integer call() {
    KafkaConfig config =
        minInsync == null ? kafka.config(replication) : kafka.config(replication, minInsync);
    try (BackupDirectory backup = source.open();
        WorkDirectory directory = WorkDirectory.open(work, source.from())) {
      BackupSet set = source.set(backup);
      directory.requireRoom(set.bytes(), directory.free());
      print(set, restore(backup, set, config));
      return ExitCode.OK;
    } catch (IOException e) {
      throw CommandFailure.failed(Diagnosis.ofFile(e));
    }
  }

  private Restored restore(BackupDirectory backup, BackupSet set, KafkaConfig config)
      throws IOException {
    try {
      return written(backup, set, config);
    } catch (IOException e) {
      throw new IOException(
          "backup " + set.number() + " is not restored: " + Diagnosis.ofFile(e), e);
    }
  }

  private Restored written(BackupDirectory backup, BackupSet set, KafkaConfig config)
      throws IOException {
    Restore.Revived revived;
    Screen screen = Screen.standardError(err(), System.getenv());
    SystemClock clock = new SystemClock();
    try (ProgressBar bar = bar("copying", OptionalLong.of(set.bytes()), screen)) {
      revived = Restore.run(backup, set, work, new SecureRandom(), bar::add);
    }
    try (KafkaClusters clusters = new KafkaClusters(config, clock);
        ProgressBar bar = bar("writing", OptionalLong.empty(), screen)) {
      ClusterRestore.Chance chance =
          new ClusterRestore.Chance(
              WiringChance::longNumber, WiringChance.secret(ChannelGrants.KEY_BYTES));
      ClusterRestore.Pace pace = new ClusterRestore.Pace(KafkaClusters.THREADS, bar::add);
      long nowMs = TimeUnit.MICROSECONDS.toMillis(clock.epochMicros());
      return new Restored(
          new ClusterRestore(work, set.shards(), clusters, chance, pace).run(set.takenMs(), nowMs),
          revived);
    }
  }

  private static ProgressBar bar(String what, OptionalLong total, Screen screen) {
    return new ProgressBar(what, "bytes", total, screen, System::nanoTime);
  }

  private void print(BackupSet set, Restored restored) {
    ClusterRestore.Outcome outcome = restored.outcome();
    Restore.Revived revived = restored.revived();
    PrintWriter out = out();
    if (isJson) {
      out.println(
          GSON.toJson(
              new Summary(
                  set.number(),
                  kafka.cluster(),
                  outcome.tables(),
                  outcome.partitions(),
                  outcome.changes(),
                  outcome.rows(),
                  outcome.renamed(),
                  revived.keys(),
                  revived.tokens())));
    } else {
      out.println(
          "restored backup "
              + set.number()
              + " of "
              + Instant.ofEpochMilli(set.takenMs())
              + " to cluster "
              + kafka.cluster()
              + ": "
              + Human.counted(outcome.rows(), "row")
              + " and "
              + Human.counted(outcome.changes(), "change")
              + " in "
              + Human.counted(outcome.partitions(), "partition"));
      outcome
          .renamed()
          .forEach((before, now) -> out.println("tunnel " + before + " has the id " + now));
      RevivedText.print(revived, out);
      out.println("start its nodes now");
    }
    out.flush();
  }
}
