package io.tunnel.server.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.changes.FakeLooks;
import io.tunnel.server.changes.IncarnationHistory;
import io.tunnel.server.changes.Incarnations;
import io.tunnel.server.changes.PartitionLooks;
import io.tunnel.server.cluster.Placement;
import io.tunnel.server.partition.SessionSweeps;
import io.tunnel.server.partition.read.TunnelRows;
import io.tunnel.wire.LookAnswer.Found;
import io.tunnel.wire.LookAnswer.Part;
import io.tunnel.wire.LookAnswer.Pinned;
import io.tunnel.wire.LookAnswer.Unpinned;
import io.tunnel.wire.LookAnswer.VerifiedUpTo;
import io.tunnel.wire.LookRequest.Pin;
import io.tunnel.wire.LookRequest.Unpin;
import io.tunnel.wire.LookRequest.Verified;
import io.tunnel.wire.LookRequest.Where;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Questions to keep rows, as a node answers them to this node and to others. */
final class NodePinsTest {

  private final FakeLooks own = new FakeLooks();
  private final Map<Integer, CompletableFuture<Long>> kept = new HashMap<>();
  private final List<String> calls = new ArrayList<>();
  private final Map<Integer, IncarnationHistory> histories = new HashMap<>();
  private final Incarnations incarnations =
      new Incarnations() {
        @Override
        public Optional<IncarnationHistory> of(int partition) {
          return Optional.ofNullable(histories.get(partition));
        }
      };

  private final TunnelRows rows =
      new TunnelRows() {
        @Override
        public CompletableFuture<Long> keep(String tunnelId, int partition) {
          calls.add("keep " + tunnelId + "/" + partition);
          return kept.computeIfAbsent(partition, id -> new CompletableFuture<>());
        }

        @Override
        public void forget(String tunnelId) {
          calls.add("forget " + tunnelId);
        }

        @Override
        public void forget(String tunnelId, int partition) {
          calls.add("forget " + tunnelId + "/" + partition);
        }

        @Override
        public void read(
            String tunnelId, int partition, Bytes after, long first, int bytesMax, Sink sink) {
          throw new IllegalStateException("nobody reads");
        }
      };

  /** As the rooms of a node join the looks. */
  private final PartitionLooks looks =
      new NodeLooks(
          own,
          new NodePins(rows, incarnations),
          new NodeBound(
              "n1",
              new SessionSweeps(List.of()),
              new Catalog().rowSessions(),
              () -> new Placement(1, List.of(), Map.of(), Map.of()),
              partition -> false));

  @Test
  void rows_are_kept_at_the_position_and_the_incarnation_of_the_leader() {
    histories.put(
        3, new IncarnationHistory(List.of(70L), List.of(new IncarnationHistory.Start(70, 1))));
    CompletableFuture<? extends Part> answer = looks.answer(new Pin(3, "t"));
    assertThat(answer).isNotDone();
    assertThat(kept.get(3).complete(7L)).isTrue();
    assertThat(answer.join()).isEqualTo(new Pinned(3, 7, Optional.of(70L)));
    assertThat(calls).containsExactly("keep t/3");
  }

  @Test
  void a_refusal_is_passed_on() {
    CompletableFuture<? extends Part> answer = looks.answer(new Pin(3, "t"));
    RefusedException refusal = RefusedException.notLeader("elsewhere", Optional.empty());
    assertThat(kept.get(3).completeExceptionally(refusal)).isTrue();
    assertThat(answer.handle((part, failure) -> failure.getCause()).join()).isEqualTo(refusal);
  }

  @Test
  void rows_of_a_partition_or_of_all_partitions_are_given_up() {
    assertThat(looks.answer(new Unpin(3, "t")).join()).isEqualTo(new Unpinned(3));
    assertThat(looks.answer(new Unpin(0, "t")).join()).isEqualTo(new Unpinned(0));
    assertThat(calls).containsExactly("forget t/3", "forget t");
  }

  @Test
  void other_questions_are_answered_by_the_replicas() {
    Found found = new Found(3, 1, 9, Optional.empty(), List.of(), Optional.empty());
    own.leads(found);
    own.verifies(4, 8);
    assertThat(looks.answer(new Where(3, List.of(), Optional.empty())).join()).isEqualTo(found);
    assertThat(looks.answer(new Verified(4)).join())
        .isEqualTo(new VerifiedUpTo(4, Optional.of(8L)));
    assertThat(looks.answer(new Where(5, List.of(), Optional.empty())))
        .as("a refusal is never thrown")
        .isCompletedExceptionally();
  }

  /** As replicas alone answer, without the rooms of a node. */
  @Test
  void replicas_that_keep_no_rows_refuse() {
    PartitionLooks replicas = own;
    assertThat(replicas.answer(new Pin(3, "t")).handle((part, failure) -> failure).join())
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_REQUEST));
  }
}
