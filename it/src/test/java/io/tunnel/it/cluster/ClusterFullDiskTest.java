package io.tunnel.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tunnel.fixtures.Poll;
import io.tunnel.it.process.NodeProcess;
import io.tunnel.it.process.Stage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Nodes as processes, one of which has its directory in a file system that becomes full, while a
 * writer writes and two workers consume. Needs root, who may mount.
 */
@Tag("proof-cluster")
class ClusterFullDiskTest {

  private static final int PARTITIONS = 6;

  /** What a node keeps free, and as much again. */
  private static final int DISK_MIB = 512;

  private static final int CHUNK_BYTES = 1 << 20;

  @RegisterExtension private final Stage stage = new Stage();

  @BeforeEach
  void requireRoot() {
    assumeTrue("root".equals(System.getProperty("user.name")), "only root may mount file systems");
  }

  private static void run(String... command) {
    try {
      Process process = new ProcessBuilder(command).inheritIO().start();
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).as(String.join(" ", command)).isTrue();
      assertThat(process.exitValue()).as(String.join(" ", command)).isZero();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private void mount(Path at) throws IOException {
    Files.createDirectories(at);
    run("mount", "-t", "tmpfs", "-o", "size=" + DISK_MIB + "m", "tunnel-it", at.toString());
    stage.closes(() -> run("umount", "-l", at.toString()));
  }

  /** Takes all that is left. */
  private static void fill(Path filler) throws IOException {
    ByteBuffer chunk = ByteBuffer.allocate(CHUNK_BYTES);
    try (FileChannel file =
        FileChannel.open(filler, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      while (true) {
        int written = file.write(chunk.clear());
        assertThat(written).isPositive();
      }
    } catch (IOException full) {
      assertThat(full).hasMessageContaining("No space left");
    }
  }

  @Test
  void a_node_without_room_hands_over_and_takes_part_again_and_nothing_is_lost()
      throws IOException {
    Cluster cluster = new Cluster(stage, 2);
    Path disk = cluster.node(0).data();
    mount(disk);
    cluster.start(2);
    NodeProcess full = cluster.node(0);
    NodeProcess other = cluster.node(1);
    Traffic traffic = stage.closing(new Traffic(stage, cluster, PARTITIONS));
    Path filler = disk.resolve("filler");
    fill(filler);
    Poll.until("a page that says so", () -> health(full).contains("DISK_FULL"));
    Poll.until(
        Cluster.REST,
        () -> Cluster.ledBy(other, other).size() == PARTITIONS,
        () -> "all is led elsewhere, but " + Cluster.seenBy(other));
    traffic.awaitFlow();
    assertThat(other.http("/health", 200)).contains("\"UP\"");
    fill(filler);
    traffic.awaitFlow();
    Files.delete(filler);
    Poll.until("a page that says so", () -> health(full).contains("\"UP\""));
    cluster.awaitWhole();
    traffic.awaitFlow();
    var unused = traffic.end();
  }

  /** The page, whatever it says. */
  private static String health(NodeProcess node) {
    try {
      return node.http("/health", 503);
    } catch (AssertionError healthy) {
      return node.http("/health", 200);
    }
  }
}
