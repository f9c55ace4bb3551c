package io.tunnel.server.replica.append;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tunnel.server.partition.ShardSteps;
import io.tunnel.server.replica.append.AppendHeader.Kind;
import io.tunnel.server.replica.append.ReplicaNodes.Node;
import io.tunnel.wire.LookAnswer.Found;
import io.tunnel.wire.LookRequest.Where;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Trims by a catalog that may be old, and searches for what the retention keeps. */
final class RetentionOfLogsTest extends SnapshotsFixture {

  @Test
  void nothing_is_trimmed_by_an_old_catalog() throws Exception {
    for (boolean byTime : List.of(true, false)) {
      nodes.retentionMicros = byTime ? 60_000_000 : Long.MAX_VALUE;
      nodes.retentionBytes = byTime ? 0 : 1_000;
      nodes.isCatalogRecent = () -> false;
      long former = logStart();
      long trims = count(Kind.TRIM);
      lead(first, second);
      snapshot(first);
      nodes.pass(11_000);
      snapshot(first);
      nodes.pass(WAIT_MS, 1_000);
      assertThat(count(Kind.TRIM)).isEqualTo(trims);
      assertThat(logStart()).isEqualTo(former);
      nodes.isCatalogRecent = () -> true;
      nodes.pass(TimeUnit.MINUTES.toMillis(2), 1_000);
      assertThat(logStart()).isEqualTo(newest(1).at().next()).isGreaterThan(former);
    }
  }

  @Test
  void a_longer_retention_that_is_read_during_the_search_holds() throws Exception {
    nodes.retentionMicros = 60_000_000;
    nodes.isCatalogRecent =
        () -> {
          nodes.retentionMicros = Long.MAX_VALUE;
          return true;
        };
    lead(first, second);
    snapshot(first);
    nodes.pass(11_000);
    snapshot(first);
    nodes.pass(WAIT_MS, 1_000);
    assertThat(logStart()).isZero();
    assertThat(nodes.blocks.firstBlock(P)).isEqualTo(newest(1).blocks().firstOffset());
  }

  @Test
  void a_search_in_the_log_of_a_replica_that_has_gone_ends() throws Exception {
    lead(first, second);
    snapshot(first);
    Node third = nodes.start(3);
    third.replicas.follow(P);
    nodes.pass(1_000);
    lead(third, first);
    CompletableFuture<Found> look =
        third.replicas.looks().look(new Where(P, List.of(1L), Optional.empty()));
    stepShard(third);
    third.replicas.retain(nodes.clock.epochMicros());
    assertThat(look).as("nobody has read the log").isNotDone();
    third.replicas.leave(P);
    stepShard(third);
    assertThat(look).isNotDone();
    third.replicas.retain(nodes.clock.epochMicros());
    assertThat(look).isCompletedExceptionally();
    assertThat(catchThrowableOfType(CompletionException.class, look::join))
        .hasMessageContaining("NOT_LEADER");
  }

  private static void stepShard(Node node) throws IOException {
    while (ShardSteps.step(node.replicas.shards().get(P % node.replicas.shards().size()))) {
      // Until nothing waits; no tail reads.
    }
  }
}
