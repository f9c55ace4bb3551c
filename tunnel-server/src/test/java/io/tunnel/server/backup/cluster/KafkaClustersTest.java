package io.tunnel.server.backup.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.LogForm;
import io.tunnel.server.catalog.RestoreNote;
import io.tunnel.server.catalog.StoredCatalog;
import io.tunnel.server.kafka.TestKafka;
import io.tunnel.server.replica.append.PartitionRestore.Saved;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server becomes a cluster in a real Kafka, and the cluster a server. */
class KafkaClustersTest {

  private static final Bytes KEY = Bytes.copyOf(new byte[32]);

  @TempDir private Path directory;

  private static ClusterRestore restore(SavedWorld world, KafkaClusters to, LongSupplier markers) {
    ClusterRestore.Chance chance = new ClusterRestore.Chance(markers, KEY);
    return new ClusterRestore(
        world.data, SavedWorld.SHARDS, to, chance, new ClusterRestore.Pace(2, bytes -> {}));
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
      assertThatThrownBy(() -> restore(world, kafka, dying(random)).run(7, 50_000))
          .hasMessage("the program dies");
      assertThat(RestoreNote.in(kafka.catalogTexts())).hasValue(new RestoreNote(7, 50_000));
      assertThatThrownBy(
              () ->
                  new ClusterBackup(kafka, staging, 1, 5, new ClusterBackup.Pace(2, bytes -> {}))
                      .run())
          .hasMessageContaining("has not ended");
      var unusedOutcome = restore(world, kafka, random::nextLong).run(7, 60_000);
      assertThat(LogForm.APPENDS.objection(kafka.catalogTexts())).isEmpty();
      assertThatThrownBy(() -> restore(world, kafka, random::nextLong).run(7, 70_000))
          .hasMessageContaining("has a catalog already");
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
