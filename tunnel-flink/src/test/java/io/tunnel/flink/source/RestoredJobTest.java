package io.tunnel.flink.source;

import static io.tunnel.flink.source.Jobs.env;
import static io.tunnel.flink.source.Jobs.expected;
import static io.tunnel.flink.source.Jobs.requireOrderInPartitions;
import static io.tunnel.flink.source.Jobs.stream;
import static io.tunnel.flink.source.Jobs.values;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.flink.ChangeRecord;
import io.tunnel.kafka.broker.KafkaBroker;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowChange;
import io.tunnel.model.TableMeta;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.sdk.TableClient;
import io.tunnel.server.Server;
import io.tunnel.server.backup.Backup;
import io.tunnel.server.backup.BackupDirectory;
import io.tunnel.server.backup.BackupSet;
import io.tunnel.server.backup.Restore;
import io.tunnel.server.backup.cluster.ClusterBackup;
import io.tunnel.server.backup.cluster.ClusterRestore;
import io.tunnel.server.backup.cluster.KafkaClusters;
import io.tunnel.server.config.ServerConfig;
import io.tunnel.server.engine.SystemClock;
import io.tunnel.server.kafka.KafkaConfig;
import io.tunnel.server.net.NetConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.datastream.DataStreamSource;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * A savepoint outlives backups and restores: its positions go from a server to a cluster and on.
 */
@SuppressWarnings("try") // What collects may be interrupted when it closes.
class RestoredJobTest {

  private static final String TABLE = "moved";
  private static final int PARTITIONS = 3;

  @RegisterExtension
  static final MiniClusterExtension FLINK =
      new MiniClusterExtension(
          new MiniClusterResourceConfiguration.Builder()
              .setNumberTaskManagers(1)
              .setNumberSlotsPerTaskManager(2)
              .build());

  @TempDir private Path directory;

  private final Random random = new Random(46);

  private Path path(String name) {
    return directory.resolve(name);
  }

  private static Server server(Path data) throws IOException {
    ServerConfig defaults = ServerConfig.defaults(1);
    return Server.alone(
        data,
        new ServerConfig(
            new NetConfig("127.0.0.1", 0, 0, 1, 1_000, false),
            defaults.log(),
            defaults.shard(),
            defaults.table(),
            defaults.session(),
            defaults.base()));
  }

  private static String endpoint(Server server) {
    return "127.0.0.1:" + server.localAddress().getPort();
  }

  private static void create(TableClient client) {
    List<PrimaryKeyValue> points = new ArrayList<>();
    for (long i = 1; i < PARTITIONS; i++) {
      points.add(PrimaryKeyValue.fromLong(i * Served.HASHES_PER_PARTITION));
    }
    List<PrimaryKeySchema> key =
        List.of(
            new PrimaryKeySchema("hash", PrimaryKeyType.INTEGER),
            new PrimaryKeySchema("id", PrimaryKeyType.STRING));
    var unused = client.createTable(new TableMeta(TABLE, key), points);
  }

  private static void write(TableClient client, int from, int to) {
    List<RowChange> rows = new ArrayList<>();
    for (int i = from; i < to; i++) {
      rows.add(Served.put(i % PARTITIONS, "k" + i % Jobs.KEYS, "v" + i));
    }
    var unused = client.write(TABLE, rows);
  }

  /** Reads so many changes, and returns a savepoint behind them. */
  private String read(Server server, Optional<String> from, int count, List<ChangeRecord> into)
      throws Exception {
    Configuration configuration = new Configuration();
    from.ifPresent(path -> configuration.set(StateRecoveryOptions.SAVEPOINT_PATH, path));
    // The collecting sink has no name that lasts.
    configuration.set(StateRecoveryOptions.SAVEPOINT_IGNORE_UNCLAIMED_STATE, true);
    StreamExecutionEnvironment env = env(configuration, 2);
    DataStreamSource<ChangeRecord> stream =
        stream(
            env,
            TunnelSource.builder(new ChangeRecordDeserializationSchema())
                .endpoint(endpoint(server))
                .table(TABLE)
                .build());
    stream.uid("table");
    try (CloseableIterator<ChangeRecord> records = stream.collectAsync()) {
      JobClient job = env.executeAsync();
      for (int i = 0; i < count; i++) {
        into.add(records.next());
      }
      String to = path("savepoints").toUri().toString();
      String savepoint = job.triggerSavepoint(to, SavepointFormatType.CANONICAL).get();
      job.cancel().get();
      return savepoint;
    }
  }

  private static BackupSet backUp(Path data, Path to) throws IOException {
    try (BackupDirectory backup = BackupDirectory.create(to)) {
      Backup.Options options = new Backup.Options(true, Optional.empty());
      return Backup.take(data, backup, options, System.currentTimeMillis(), bytes -> {}).set();
    }
  }

  private void restore(Path from, BackupSet set, Path to) throws IOException {
    try (BackupDirectory backup = BackupDirectory.toRead(from)) {
      var unused = Restore.run(backup, set, to, random, bytes -> {});
    }
  }

  /** A backup of a server becomes a cluster, and a backup of the cluster a server. */
  private void move(BackupSet set, Path to) throws IOException {
    restore(path("backup"), set, path("work"));
    try (KafkaBroker broker = KafkaBroker.start(path("kafka"), Map.of());
        KafkaClusters kafka = new KafkaClusters(config(broker), new SystemClock())) {
      ClusterRestore.Chance chance =
          new ClusterRestore.Chance(random::nextLong, Bytes.copyOf(new byte[32]));
      ClusterRestore.Pace pace = new ClusterRestore.Pace(2, bytes -> {});
      var unusedCluster =
          new ClusterRestore(path("work"), set.shards(), kafka, chance, pace)
              .run(set.takenMs(), System.currentTimeMillis());
      var unused =
          new ClusterBackup(kafka, path("staging"), 2, 7, new ClusterBackup.Pace(2, bytes -> {}))
              .run();
    }
    restore(path("again"), backUp(path("staging"), path("again")), to);
  }

  private static KafkaConfig config(KafkaBroker broker) {
    return new KafkaConfig(
        broker.bootstrap(),
        "flink",
        new KafkaConfig.Replication(1, 1),
        KafkaConfig.Times.DEFAULT,
        "lz4",
        Map.of());
  }

  @Test
  void a_job_goes_on_from_its_savepoint_when_its_service_was_a_cluster_meanwhile()
      throws Exception {
    List<ChangeRecord> read = new ArrayList<>();
    String savepoint;
    BackupSet set;
    try (Server server = server(path("first"));
        TableClient client = TableClient.connect(endpoint(server))) {
      create(client);
      write(client, 0, 300);
      savepoint = read(server, Optional.empty(), 300, read);
      write(client, 300, 450);
      set = backUp(path("first"), path("backup"));
      write(client, 900, 990);
    }
    move(set, path("second"));
    try (Server server = server(path("second"));
        TableClient client = TableClient.connect(endpoint(server))) {
      write(client, 450, 600);
      var unused = read(server, Optional.of(savepoint), 300, read);
    }
    assertThat(values(read)).isEqualTo(expected(0, 600));
    requireOrderInPartitions(read);
  }
}
