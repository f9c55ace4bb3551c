package io.tunnel.cli.cluster;

import com.google.gson.Gson;
import io.tunnel.cli.backup.BackupSource;
import io.tunnel.cli.backup.RevivedText;
import io.tunnel.cli.log.ExpectsTrouble;
import io.tunnel.server.backup.BackupDirectory;
import io.tunnel.server.backup.BackupSet;
import io.tunnel.server.backup.Restore;
import io.tunnel.server.backup.cluster.ClusterRestore;
import io.tunnel.server.backup.cluster.KafkaClusters;
import io.tunnel.server.catalog.ChannelGrants;
import io.tunnel.server.catalog.RestoreNote;
import io.tunnel.server.engine.SystemClock;
import io.tunnel.server.engine.WiringChance;
import io.tunnel.server.kafka.KafkaConfig;
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
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
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
          + " anew. A second restore into the cluster refuses while the first one runs; after a"
          + " kill, the next restore waits for 65 s first."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  tunnel cluster restore --from /backup/tunnel --work /var/tmp/restore --bootstrap b1:9092",
      "  tunnel cluster restore --from /backup/tunnel --backup 12 --work /var/tmp/restore \\",
      "      --bootstrap b1:9092,b2:9092 --cluster blue --replication 3"
    })
final class ClusterRestoreCommand extends Job implements ExpectsTrouble {

  private static final Gson GSON = new Gson();
  private static final SystemClock CLOCK = new SystemClock();

  private final Turn turn;

  @Mixin private KafkaOptions kafka;

  @Mixin private BackupSource source;

  @Option(
      names = "--work",
      required = true,
      paramLabel = "DIR",
      description =
          "A directory for the time of the restore, with room for the data of the backup; it does"
              + " not exist, is empty, or has files of a killed command, and is deleted at the"
              + " end.")
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
  ClusterRestoreCommand() {
    this(ClusterRestoreCommand::requireNew);
  }

  ClusterRestoreCommand(Turn turn) {
    this.turn = turn;
  }

  /** What the command asks Kafka before it copies anything. */
  @FunctionalInterface
  interface Turn {
    /** See {@link KafkaClusters#requireFree}. */
    Optional<RestoreNote> await(KafkaClusters clusters, Consumer<String> remarks)
        throws IOException;
  }

  private static Optional<RestoreNote> requireNew(KafkaClusters clusters, Consumer<String> remarks)
      throws IOException {
    clusters.requireReachable();
    return clusters.requireFree(remarks);
  }

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

  @Override
  public Integer call() {
    KafkaConfig config =
        minInsync == null ? kafka.config(replication) : kafka.config(replication, minInsync);
    try (BackupDirectory backup = source.open();
        WorkDirectory directory = WorkDirectory.open(work, source.from(), err());
        KafkaClusters clusters = new KafkaClusters(config, CLOCK)) {
      BackupSet set = source.set(backup);
      directory.requireRoom(set.bytes(), directory.free());
      Optional<RestoreNote> watched = turn.await(clusters, this::remark);
      Restore.Revived revived = copy(backup, set, directory.path());
      print(set, write(set, directory.path(), clusters, watched), revived);
      return ExitCode.OK;
    } catch (IOException e) {
      throw KafkaFailure.of(e);
    }
  }

  private void remark(String line) {
    err().println(line);
    err().flush();
  }

  private Restore.Revived copy(BackupDirectory backup, BackupSet set, Path data)
      throws IOException {
    Screen screen = Screen.standardError(err(), System.getenv());
    try (ProgressBar bar = bar("copying", OptionalLong.of(set.bytes()), screen)) {
      return Restore.run(backup, set, data, new SecureRandom(), bar::add);
    } catch (IOException e) {
      throw notRestored(set, e);
    }
  }

  private ClusterRestore.Outcome write(
      BackupSet set, Path data, KafkaClusters clusters, Optional<RestoreNote> watched)
      throws IOException {
    Screen screen = Screen.standardError(err(), System.getenv());
    try (ProgressBar bar = bar("writing", OptionalLong.empty(), screen)) {
      ClusterRestore.Chance chance =
          new ClusterRestore.Chance(
              WiringChance::longNumber, WiringChance.secret(ChannelGrants.KEY_BYTES));
      ClusterRestore.Pace pace =
          new ClusterRestore.Pace(
              KafkaClusters.THREADS, bar::add, remark -> bar.above(() -> err().println(remark)));
      long nowMs = TimeUnit.MICROSECONDS.toMillis(CLOCK.epochMicros());
      return new ClusterRestore(data, set.shards(), clusters, chance, pace)
          .run(watched, set.takenMs(), nowMs);
    } catch (IOException e) {
      throw notRestored(set, e);
    }
  }

  private static IOException notRestored(BackupSet set, IOException why) {
    return new IOException(
        "backup " + set.number() + " is not restored: " + Diagnosis.ofFile(why), why);
  }

  private static ProgressBar bar(String what, OptionalLong total, Screen screen) {
    return new ProgressBar(what, "bytes", total, screen, System::nanoTime);
  }

  private void print(BackupSet set, ClusterRestore.Outcome outcome, Restore.Revived revived) {
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
