package io.tunnel.server.backup.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.LogForm;
import io.tunnel.server.catalog.RestoreNote;
import io.tunnel.server.catalog.StoredCatalog;
import io.tunnel.server.catalog.store.CatalogStore;
import io.tunnel.server.kafka.ClientSettings;
import io.tunnel.server.kafka.KafkaConfig;
import io.tunnel.server.kafka.TestKafka;
import io.tunnel.server.replica.append.PartitionRestore.Saved;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server becomes a cluster in a real Kafka, and the cluster a server. */
class KafkaClustersTest {

  private static final Bytes KEY = Bytes.copyOf(new byte[32]);

  @TempDir private Path directory;

  private static ClusterRestore restore(SavedWorld world, KafkaClusters to, LongSupplier markers) {
    return restore(world, to, markers, 2);
  }

  private static ClusterRestore restore(
      SavedWorld world, KafkaClusters to, LongSupplier markers, int threads) {
    ClusterRestore.Chance chance = new ClusterRestore.Chance(markers, KEY);
    return new ClusterRestore(
        world.data, SavedWorld.SHARDS, to, chance, new ClusterRestore.Pace(threads, bytes -> {}));
  }

  private static Optional<RestoreNote> requireFree(KafkaClusters kafka) throws IOException {
    return kafka.requireFree(remark -> {});
  }

  /** The random numbers of a program that dies while the logs are written. */
  private static LongSupplier dying(Random random) {
    int[] left = {3};
    return () -> {
      left[0]--;
      if (left[0] < 0) {
        throw new IllegalStateException("the program dies");
      }
      return random.nextLong();
    };
  }

  @Test
  void a_server_becomes_a_cluster_at_the_second_attempt_and_the_cluster_becomes_a_server()
      throws IOException {
    Random random = new Random(7);
    SavedWorld world = new SavedWorld(directory.resolve("data"), random);
    Path staging = directory.resolve("staging");
    try (KafkaClusters kafka = new KafkaClusters(TestKafka.config(), TestKafka.CLOCK)) {
      kafka.requireReachable();
      assertThatThrownBy(kafka::requireCluster)
          .isInstanceOf(NoSuchClusterException.class)
          .hasMessageContaining(".catalog does not exist; is --cluster right?");
      assertThat(requireFree(kafka)).isEmpty();
      // One thread: no record of another thread may still land when the program dies.
      assertThatThrownBy(() -> restore(world, kafka, dying(random), 1).run(7, 50_000))
          .hasMessage("the program dies");
      RestoreNote note = RestoreNote.in(kafka.catalogTexts()).orElseThrow();
      assertThat(note.begunMs()).isEqualTo(50_000);
      assertThat(note.hasFailed()).isTrue();
      assertThat(requireFree(kafka)).hasValue(note);
      assertThatThrownBy(
              () ->
                  new ClusterBackup(kafka, staging, 1, 5, new ClusterBackup.Pace(2, bytes -> {}))
                      .run())
          .hasMessageContaining("has not ended");
      var unusedOutcome = restore(world, kafka, random::nextLong).run(7, 60_000);
      assertThat(LogForm.APPENDS.objection(kafka.catalogTexts())).isEmpty();
      assertThatThrownBy(() -> restore(world, kafka, random::nextLong).run(7, 70_000))
          .hasMessageContaining("has a catalog already");
      kafka.requireCluster();
      assertThatThrownBy(() -> requireFree(kafka)).hasMessageContaining("has a catalog already");
      var unused =
          new ClusterBackup(kafka, staging, 1, 5, new ClusterBackup.Pace(2, bytes -> {})).run();
    }
    StoredCatalog catalog = StoredCatalog.read(staging.resolve("catalog"));
    assertThat(catalog.tables().tables()).hasSize(SavedWorld.PARTITIONS);
    assertThat(catalog.tunnels().tunnels(Optional.empty())).hasSize(SavedWorld.PARTITIONS);
    try (SavedShard shard = SavedShard.open(staging.resolve("shard-0"), 0, catalog)) {
      for (int partition = 1; partition <= SavedWorld.PARTITIONS; partition++) {
        Saved saved = shard.changes(partition, 1);
        assertThat(saved.extent().next()).isEqualTo(world.ends.get(partition) + 1);
        assertThat(bytes(read(saved))).isEqualTo(bytes(world.kept.get(partition)));
      }
    }
  }

  /** Nodes look at settings each minute, so the restored cluster says what to mend. */
  @Test
  void a_setting_that_another_program_changes_meanwhile_does_not_end_a_restore()
      throws IOException {
    Random random = new Random(3);
    SavedWorld world = new SavedWorld(directory.resolve("data"), random);
    KafkaConfig config = TestKafka.config();
    try (KafkaClusters kafka = new KafkaClusters(config, TestKafka.CLOCK);
        Admin admin = Admin.create(new ClientSettings(config).admin())) {
      int[] asked = {0};
      LongSupplier numbers =
          () -> {
            asked[0]++;
            // The first number is of the note; later ones are of markers in checked topics.
            if (asked[0] == 2) {
              shortenRetention(admin, config.cluster() + ".log.1");
            }
            return random.nextLong();
          };
      assertThat(restore(world, kafka, numbers, 1).run(7, 50_000).tables())
          .isEqualTo(SavedWorld.PARTITIONS);
      assertThat(LogForm.APPENDS.objection(kafka.catalogTexts())).isEmpty();
    }
  }

  private static void shortenRetention(Admin admin, String topic) {
    ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
    ConfigEntry entry = new ConfigEntry(TopicConfig.RETENTION_MS_CONFIG, "604800000");
    AlterConfigOp operation = new AlterConfigOp(entry, AlterConfigOp.OpType.SET);
    var unused =
        admin
            .incrementalAlterConfigs(Map.of(resource, List.of(operation)))
            .all()
            .toCompletionStage()
            .toCompletableFuture()
            .join();
  }

  @Test
  void a_restore_that_runs_is_found_before_anything_is_copied() throws IOException {
    try (KafkaClusters kafka = new KafkaClusters(TestKafka.config(), TestKafka.CLOCK)) {
      var unusedOrigin = kafka.openState();
      try (CatalogStore running = kafka.catalog()) {
        RestoreNote note = new RestoreNote(7, 50_000, 3);
        running.write(note.noting());
        assertThatThrownBy(() -> kafka.requireFree(remark -> write(running, note.beat())))
            .isInstanceOf(RestoreRunsException.class)
            .hasMessageContaining("which began at 1970-01-01T00:00:50Z");
        running.write(note.failed().noting());
        assertThat(requireFree(kafka)).hasValue(note.failed());
      }
    }
  }

  private static void write(CatalogStore store, RestoreNote note) {
    try {
      store.write(note.noting());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<ChangeBatch> read(Saved saved) throws IOException {
    List<ChangeBatch> read = new ArrayList<>();
    for (Optional<ChangeBatch> batch = saved.changes().next();
        batch.isPresent();
        batch = saved.changes().next()) {
      read.add(batch.get());
    }
    return read;
  }

  private static List<Bytes> bytes(List<ChangeBatch> batches) {
    return batches.stream()
        .map(batch -> Bytes.copyOf(batch.array(), batch.offset(), batch.byteCount()))
        .toList();
  }
}
