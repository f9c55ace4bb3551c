package io.tunnel.server.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.core.RowSessionCore.Session;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.TableMeta;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.store.MemoryCatalogStore;
import io.tunnel.server.changes.PartitionLooks;
import io.tunnel.server.cluster.Placement;
import io.tunnel.wire.LookAnswer.BoundRows;
import io.tunnel.wire.LookAnswer.Count;
import io.tunnel.wire.LookAnswer.Found;
import io.tunnel.wire.LookAnswer.Lags;
import io.tunnel.wire.LookRequest.Behind;
import io.tunnel.wire.LookRequest.Bound;
import io.tunnel.wire.LookRequest.Where;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class BoundEverywhereTest {

  private static final long ENDED = 1;
  private static final long ALIVE = 2;

  private final Catalog catalog;
  private Map<Integer, String> leaders;
  private BoundRows own = answer(7, true, true);
  private CompletableFuture<BoundRows> other =
      CompletableFuture.completedFuture(answer(7, true, true));

  BoundEverywhereTest() throws IOException {
    catalog = new Catalog(new MemoryCatalogStore());
  }

  @BeforeEach
  void begin() throws IOException {
    int partition =
        catalog
            .createTable(
                new TableMeta("t", List.of(new PrimaryKeySchema("id", PrimaryKeyType.INTEGER))),
                List.of(),
                0)
            .partitions()
            .get(0)
            .id();
    leaders = Map.of(partition, "n2");
    Session ended = new Session(ENDED, "", 2_000, Bytes.EMPTY);
    catalog.rowSessions().store(List.of(ended, new Session(ALIVE, "", 2_000, Bytes.EMPTY)), ALIVE);
    catalog.rowSessions().remove(List.of(ended));
  }

  private static BoundRows answer(long generation, boolean isComplete, boolean hasEnded) {
    return new BoundRows(
        generation, isComplete, List.of(new Count(2, hasEnded), new Count(3, false)));
  }

  private Map<Long, Long> left() {
    PartitionLooks looks =
        new PartitionLooks() {
          @Override
          public CompletableFuture<Found> look(Where question) {
            throw new IllegalStateException("asked where a partition is");
          }

          @Override
          public CompletableFuture<Optional<Long>> verified(int partition) {
            throw new IllegalStateException("asked for snapshots");
          }

          @Override
          public CompletableFuture<Lags> lags(Behind question) {
            throw new IllegalStateException("asked for lags");
          }

          @Override
          public CompletableFuture<BoundRows> bound(Bound question) {
            assertThat(question.sessions()).containsExactly(ENDED, ALIVE);
            return CompletableFuture.completedFuture(own);
          }
        };
    Placement placement =
        new Placement(
            7,
            List.of(
                new Placement.Member("n1", "a", "h:1", false, 2),
                new Placement.Member("n2", "b", "h:2", false, 2)),
            leaders,
            Map.of());
    LeaderLooks nodes =
        new LeaderLooks(
            "n1",
            () -> placement,
            looks,
            (node, questions) -> {
              assertThat(node.name()).isEqualTo("n2");
              return other.thenApply(List::of);
            },
            new LeaderLooks.Timing(
                () -> 0,
                (ms, action) -> {
                  throw new IllegalStateException("nobody waits");
                }),
            partition -> "partition " + partition);
    return new BoundEverywhere(nodes, catalog, Runnable::run)
        .left(new TreeSet<>(Set.of(ENDED, ALIVE)))
        .join();
  }

  @Test
  void rows_of_all_nodes_are_counted() {
    assertThat(left()).isEqualTo(Map.of(ENDED, 4L, ALIVE, 6L));
  }

  @Test
  void a_node_that_has_not_read_of_the_end_may_bind_further_rows() {
    other = CompletableFuture.completedFuture(answer(7, true, false));
    assertThat(left()).isEqualTo(Map.of(ALIVE, 6L));
  }

  @Test
  void a_count_by_another_placement_or_of_an_incomplete_node_does_not_hold() {
    other = CompletableFuture.completedFuture(answer(8, true, true));
    assertThat(left()).isEmpty();
    other = CompletableFuture.completedFuture(answer(7, false, true));
    assertThat(left()).isEmpty();
    other = CompletableFuture.failedFuture(new IOException("no answer"));
    assertThat(left()).isEmpty();
    other = CompletableFuture.completedFuture(answer(7, true, true));
    own = answer(6, true, true);
    assertThat(left()).isEmpty();
  }

  @Test
  void a_node_that_leads_nothing_may_lead_by_a_newer_placement() {
    assertThat(leaders).doesNotContainValue("n1");
    own = answer(8, true, true);
    assertThat(left()).isEmpty();
  }

  @Test
  void a_partition_without_a_leader_cannot_be_counted() {
    leaders = Map.of();
    assertThat(left()).isEmpty();
  }
}
