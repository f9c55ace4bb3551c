package io.tunnel.server.kafka;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.disk.Disks;
import io.tunnel.server.kafka.PartitionTopics.Place;
import io.tunnel.server.partition.judge.WriterLimits;
import io.tunnel.server.replica.ReplicaConfig;
import io.tunnel.server.replica.Replicas;
import io.tunnel.server.replica.ReplicasIdentity;
import io.tunnel.server.replica.shared.Markers;
import io.tunnel.server.table.TableStoreConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * A process that copies the one partition of a test's table, and says when it has read up to a
 * position: {@code BOOTSTRAP CLUSTER DIRECTORY POSITION}.
 */
final class FollowerMain {

  private static final long DEADLINE_NANOS = TimeUnit.SECONDS.toNanos(90);

  private FollowerMain() {}

  public static void main(String[] args) throws Exception {
    long position = Long.parseLong(args[3]);
    KafkaConfig like = new KafkaConfig(args[0], args[1]);
    try (KafkaCluster cluster = new KafkaCluster(like, TestKafka.CLOCK)) {
      Place place = new Place(TestTable.TABLE, 0, Long.MAX_VALUE);
      KafkaLog log = cluster.openLog(partition -> Optional.of(place));
      try (Replicas copies = open(log, Path.of(args[2]), "follower")) {
        copies.follow(TestTable.FIRST);
        await(() -> copies.committed(TestTable.FIRST) >= position);
        System.out.println("copied up to " + copies.committed(TestTable.FIRST));
      } finally {
        log.close();
      }
    }
  }

  static Replicas open(KafkaLog log, Path directory, String name) throws IOException {
    Replicas.Layout layout =
        new Replicas.Layout(
            directory,
            new ReplicasIdentity("heap", Bytes.EMPTY, 1),
            new Replicas.LocalDisk(Disks.ofSystem(), 16 << 20, 0),
            ReplicaConfig.DEFAULT,
            new TableStoreConfig(4 << 20, 4 << 20, 1),
            WriterLimits.DEFAULT);
    Replicas.Ports ports =
        new Replicas.Ports(
            log,
            new Markers(name, "start"),
            partition -> Optional.empty(),
            partition -> Long.MAX_VALUE,
            partition -> Long.MAX_VALUE,
            partition -> true);
    return Replicas.open(layout, ports, new SilentMeter(), TestKafka.CLOCK);
  }

  static void await(BooleanSupplier condition) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - start > DEADLINE_NANOS) {
        throw new IllegalStateException("not in time");
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
    }
  }
}
