package io.tunnel.server.replica.append;

import static io.tunnel.server.TestRows.put;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.server.catalog.Asked;
import io.tunnel.server.partition.Outcomes;
import io.tunnel.server.replica.append.ReplicaNodes.Node;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Rows that expire, across changes of the leader. */
class AppendExpiryTest extends FeatureNodes {

  @Test
  void an_expired_row_is_absent_and_its_leader_deletes_it_once() throws Exception {
    lead(first, expiring);
    write(first, expiring, put("a"), put("b"));
    sweep();
    nodes.clock.pass(TTL_MS);
    assertThat(has(first, expiring, "a")).as("before the shard looks at its clock").isTrue();
    nodes.settle();
    sweep();
    assertThat(has(first, expiring, "a")).isFalse();
    nodes.pass(100);
    sweep();
    for (Node node : List.of(first, second)) {
      assertThat(node.replicas.committed(expiring)).isEqualTo(4);
      assertThat(batches(node, expiring)).containsExactly(2, 2);
    }
    assertThat(sweeps.get(first).lagMicros()).hasValue(0);
    assertThat(sweeps.get(second).lagMicros()).as("of a node that follows").hasValue(0);
  }

  @Test
  void the_next_leader_deletes_what_expired_and_a_write_finds_no_expired_row() throws Exception {
    lead(first, expiring);
    write(first, expiring, put("a", column("old", 1)), put("b"));
    lead(second, expiring);
    nodes.pass(TTL_MS);
    assertThat(write(second, expiring, create("a")).appliedRows()).isEqualTo(1);
    assertThat(second.replicas.committed(expiring)).as("PUT, PUT, DELETE, PUT").isEqualTo(4);
    sweep();
    assertThat(second.replicas.committed(expiring)).as("DELETE of b").isEqualTo(5);
    assertThat(has(second, expiring, "a")).isTrue();
  }

  @Test
  void rows_of_a_leader_whose_clock_is_behind_are_deleted_by_the_next_leader() throws Exception {
    nodes.aheadMicros.put(1, 3_000_000L);
    lead(first, expiring);
    write(first, expiring, put("gone"));
    nodes.pass(TTL_MS);
    // The first node has seen that no row is left before its own, fast time.
    sweep();
    assertThat(first.replicas.committed(expiring)).isEqualTo(2);
    nodes.pass(3_000);
    sweep();
    lead(second, expiring);
    write(second, expiring, put("slow"));
    lead(first, expiring);
    nodes.pass(3 * TTL_MS);
    sweep();
    sweep();
    assertThat(first.replicas.committed(expiring)).as("a DELETE of each row").isEqualTo(4);
  }

  @Test
  void a_row_that_was_under_way_during_a_sweep_is_deleted_later() throws Exception {
    lead(first, expiring);
    sweep();
    Outcomes late = send(first, expiring, put("late"));
    var unused = first.step();
    nodes.clock.pass(TTL_MS / 2);
    sweeps.get(first).tick(nodes.clock.nanos());
    var unusedToo = first.step();
    assertThat(late.isTold()).isFalse();
    nodes.settle();
    assertThat(late.result().appliedRows()).isEqualTo(1);
    nodes.pass(TTL_MS / 2);
    assertThat(write(first, expiring, set("late", "v", 1)).appliedRows()).isEqualTo(1);
    assertThat(first.replicas.committed(expiring)).as("PUT, DELETE, UPDATE").isEqualTo(3);
    nodes.pass(TTL_MS);
    sweep();
    assertThat(first.replicas.committed(expiring)).isEqualTo(4);
  }

  @Test
  void a_longer_life_holds_for_rows_of_a_former_leader() throws Exception {
    lead(first, expiring);
    write(first, expiring, put("a"));
    var unused = catalog.alterTable(catalog.table("expiring"), ttl(10 * TTL_MS), 0, Asked.NAMELESS);
    lead(second, expiring);
    nodes.pass(2 * TTL_MS);
    sweep();
    assertThat(has(second, expiring, "a")).isTrue();
    nodes.pass(10 * TTL_MS);
    sweep();
    assertThat(has(second, expiring, "a")).isFalse();
    assertThat(second.replicas.committed(expiring)).isEqualTo(2);
  }

  // Numbers of the server
}
