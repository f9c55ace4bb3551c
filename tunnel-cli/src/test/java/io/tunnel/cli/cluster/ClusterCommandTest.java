package io.tunnel.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tunnel.cli.CommandLineTest;
import io.tunnel.sdk.cluster.GoneNode;
import io.tunnel.sdk.cluster.ReplicaStatus;
import io.tunnel.sdk.cluster.ReplicaStatus.Role;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ClusterCommandTest extends CommandLineTest {

  @BeforeEach
  void three_nodes() {
    service.fakeCluster.add("n1", 6, 1, 2);
    service.fakeCluster.add("n2", 5, 3);
    service.fakeCluster.add("n3", 5);
  }

  @Test
  void every_node_is_a_line() {
    service.fakeCluster.silent.add("n3");
    assertThat(run("cluster")).isZero();
    assertThat(outLines())
        .containsExactly(
            "cluster prod at level 1, placement 7, as node n1 sees it",
            "",
            "NODE  ADDRESS  STATE      LEADS  STANDBYS  GROUPS  CATALOG  MAX  LAG",
            "n1    n1:7650  UP             2         1       6  leads      2   10",
            "n2    n2:7650  UP             1         1       5             2    5",
            "n3    n3:7650  NO ANSWER      0         1       5             2    ?");
  }

  @Test
  void partitions_that_no_node_leads_are_shown_with_the_reason() {
    service.fakeCluster.replicas.put(2, new ReplicaStatus(2, Role.CLAIMING, 3, 100, 100));
    service.fakeCluster.replicas.put(
        3,
        new ReplicaStatus(3, Role.FAILED, 0, 0, -1, Optional.of("block 4 of snapshot 9 is lost")));
    assertThat(run("cluster")).isZero();
    assertThat(outLines())
        .containsExactly(
            "cluster prod at level 1, placement 7, as node n1 sees it",
            "",
            "NODE  ADDRESS  STATE   LEADS  STANDBYS  GROUPS  CATALOG  MAX  LAG",
            "n1    n1:7650  UP     1 of 2         1       6  leads      2    5",
            "n2    n2:7650  UP     0 of 1         1       5             2    ?",
            "n3    n3:7650  UP          0         1       5             2    0",
            "",
            "partition 2 has no leader: node n1 is to lead it, and is CLAIMING, 0 behind",
            "partition 3 has no leader: node n2 is to lead it, and is FAILED: block 4 of snapshot 9"
                + " is lost");
    assertThat(run("cluster", "--json")).isZero();
    JsonObject json =
        JsonParser.parseString(outLines().get(outLines().size() - 1)).getAsJsonObject();
    JsonObject second = json.getAsJsonArray("nodes").get(1).getAsJsonObject();
    assertThat(second.get("notLed")).hasToString("[3]");
    assertThat(
            second.getAsJsonArray("replicas").get(0).getAsJsonObject().get("error").getAsString())
        .isEqualTo("block 4 of snapshot 9 is lost");
    assertThat(second.get("lag").isJsonNull()).isTrue();
    JsonObject failed = second.getAsJsonArray("replicas").get(0).getAsJsonObject();
    assertThat(failed.get("end").isJsonNull()).isTrue();
    assertThat(failed.get("lag").isJsonNull()).isTrue();
  }

  @Test
  void a_standby_that_has_failed_is_shown_and_many_troubles_are_cut() {
    service.fakeCluster.standby =
        List.of(new ReplicaStatus(9, Role.OUTDATED, 1, 2, 3, Optional.of("offset 2 is newer")));
    assertThat(run("cluster")).isZero();
    assertThat(outLines())
        .contains("partition 9 on node n3: the replica is OUTDATED: offset 2 is newer");
    service.fakeCluster.add("n4", 0, IntStream.range(100, 120).boxed().toArray(Integer[]::new));
    IntStream.range(100, 120)
        .forEach(
            each ->
                service.fakeCluster.replicas.put(
                    each, new ReplicaStatus(each, Role.FOLLOWING, 1, 2, 3)));
    assertThat(run("cluster")).isZero();
    assertThat(outLines()).endsWith("and 14 more; see --json");
  }

  @Test
  void a_node_whose_replicas_wait_for_an_upgrade_is_empty() {
    service.fakeCluster.standby =
        List.of(new ReplicaStatus(9, Role.OUTDATED, 1, 2, 3, Optional.of("offset 2 is newer")));
    assertThat(run("cluster", "drain", "n3")).isZero();
    assertThat(outLines()).containsExactly("node n3 is empty and can be stopped");
  }

  @Test
  void a_node_that_died_is_shown_with_when_it_was_last_seen() {
    service.fakeCluster.gone =
        List.of(new GoneNode("n4", "n4:7650", Instant.parse("2026-11-26T08:00:01.234Z")));
    assertThat(run("cluster")).isZero();
    assertThat(out.toString())
        .containsPattern("n4 +n4:7650 +GONE, seen 2026-11-26T08:00:01Z +- +- +- +\\? +\\?");
    assertThat(run("cluster", "--json")).isZero();
    assertThat(
            JsonParser.parseString(outLines().get(outLines().size() - 1))
                .getAsJsonObject()
                .get("gone"))
        .hasToString(
            "[{\"node\":\"n4\",\"address\":\"n4:7650\",\"lastSeen\":\"2026-11-26T08:00:01.234Z\"}]");
  }

  @Test
  void programs_are_told_every_copy() {
    service.fakeCluster.silent.add("n3");
    assertThat(run("cluster", "--json")).isZero();
    JsonObject json = JsonParser.parseString(out.toString()).getAsJsonObject();
    assertThat(json.get("cluster").getAsString()).isEqualTo("prod");
    JsonObject first = json.getAsJsonArray("nodes").get(0).getAsJsonObject();
    assertThat(first.get("leads")).hasToString("[1,2]");
    assertThat(first.get("lag").getAsLong()).isEqualTo(10);
    assertThat(first.getAsJsonArray("replicas").get(0))
        .hasToString(
            "{\"partition\":1,\"role\":\"LEADING\",\"epoch\":3,\"next\":100,\"end\":105,\"lag\":5,"
                + "\"error\":null}");
    assertThat(first.get("notLed")).hasToString("[]");
    JsonObject third = json.getAsJsonArray("nodes").get(2).getAsJsonObject();
    assertThat(third.get("lag").isJsonNull()).isTrue();
    assertThat(third.get("notLed").isJsonNull()).isTrue();
    assertThat(third.get("state").getAsString()).isEqualTo("NO ANSWER");
  }

  @Test
  void it_is_shown_as_often_as_asked_for() {
    assertThat(run("cluster", "--watch", "1ms", "--count", "3", "--json")).isZero();
    assertThat(outLines()).hasSize(3).allMatch(line -> line.startsWith("{\"cluster\""));
    assertThat(run("cluster", "--count", "3")).isEqualTo(2);
    assertThat(run("cluster", "--watch", "--count", "0")).isEqualTo(2);
  }

  @Test
  void several_nodes_may_be_named() {
    assertThat(run("cluster", "--server", "n1:7650,n2:7650")).isZero();
    assertThat(service.endpoints).containsExactly("n1:7650,n2:7650");
    assertThat(run("cluster", "--server", "n1:7650,n2:0")).isEqualTo(2);
  }

  @Test
  void a_node_is_empty_when_draining_it_returns() {
    assertThat(run("cluster", "drain", "n1")).isZero();
    assertThat(outLines()).containsExactly("node n1 is empty and can be stopped");
    assertThat(errLines())
        .containsExactly(
            "node n1 still leads 2 partitions and 6 groups of tunnels, and the catalog",
            "node n1 still leads 1 partitions and 0 groups of tunnels");
    assertThat(service.fakeCluster.orders).containsExactly("drain n1");
    assertThat(run("cluster")).isZero();
    assertThat(out.toString()).contains("n1    n1:7650  DRAINED");
  }

  @Test
  void a_node_that_left_is_empty_too() {
    service.fakeCluster.leaving.add("n2");
    assertThat(run("cluster", "drain", "n2", "--json")).isZero();
    assertThat(outLines()).containsExactly("{\"node\":\"n2\",\"outcome\":\"gone\"}");
  }

  @Test
  void a_node_that_gets_nowhere_is_left_draining() {
    service.fakeCluster.isStuck = true;
    assertThat(run("cluster", "drain", "n2", "--timeout", "1ms")).isEqualTo(69);
    assertThat(err.toString()).contains("still leads 1 partitions", "--undo");
    assertThat(run("cluster", "drain", "n2", "--undo")).isZero();
    assertThat(outLines()).containsExactly("node n2 takes part again");
    assertThat(service.fakeCluster.orders).containsExactly("drain n2", "undo n2");
  }

  @Test
  void the_last_node_that_takes_part_is_not_drained() {
    assertThat(run("cluster", "drain", "n1")).isZero();
    assertThat(run("cluster", "drain", "n2")).isZero();
    assertThat(run("cluster", "drain", "n3")).isEqualTo(1);
    assertThat(err.toString()).contains("no other node takes part");
    assertThat(service.fakeCluster.orders).doesNotContain("drain n3");
  }

  @Test
  void a_node_that_is_none_is_answered_with_those_there_are() {
    assertThat(run("cluster", "drain", "n9")).isEqualTo(4);
    assertThat(err.toString()).contains("no node 'n9'", "n1, n2, n3");
    assertThat(run("cluster", "drain")).isEqualTo(2);
  }

  @Test
  void an_upgrade_first_says_who_serves_which_level() {
    service.fakeCluster.olderNodes.put("n2", 1);
    assertThat(run("cluster", "upgrade", "--dry-run")).isZero();
    assertThat(outLines())
        .containsExactly(
            "NODE  MAX  READY",
            "n1      2  yes",
            "n2      1  no: its build serves no higher level",
            "n3      2  yes",
            "",
            "the level is 1, the highest that every node serves");
    assertThat(run("cluster", "upgrade", "--dry-run", "--json")).isZero();
    assertThat(outLines())
        .containsExactly(
            "{\"level\":1,\"before\":1,\"reachable\":1,"
                + "\"levelMaxByNode\":{\"n1\":2,\"n2\":1,\"n3\":2}}");
    assertThat(service.fakeCluster.orders).isEmpty();
  }

  @Test
  void an_upgrade_that_a_node_does_not_serve_is_refused_with_its_name() {
    service.fakeCluster.olderNodes.put("n2", 1);
    assertThat(run("cluster", "upgrade", "--yes")).isEqualTo(1);
    assertThat(err.toString()).contains("level 2 is not served by n2; replace the build there");
    assertThat(service.fakeCluster.orders).isEmpty();
  }

  @Test
  void an_upgrade_is_confirmed_and_then_raises_the_level_once() {
    assertThat(run("cluster", "upgrade")).isEqualTo(2);
    assertThat(err.toString()).contains("can be raised to 2", "the level stays 1: add --yes");
    assertThat(service.fakeCluster.orders).isEmpty();
    assertThat(run("cluster", "upgrade", "--yes")).isZero();
    assertThat(outLines()).containsExactly("the level is 2, and was 1");
    assertThat(run("cluster", "upgrade", "--yes")).isZero();
    assertThat(outLines()).containsExactly("the level is 2, the highest that every node serves");
    assertThat(service.fakeCluster.orders).containsExactly("upgrade 2");
  }

  @Test
  void a_server_at_the_wrong_place_is_not_ignored() {
    assertThat(run("cluster", "--server", "other:1", "drain", "n1")).isEqualTo(2);
    assertThat(err.toString()).contains("give --server behind drain");
    assertThat(service.fakeCluster.orders).isEmpty();
    assertThat(run("cluster", "drain", "n1", "--server", "other:1")).isZero();
    assertThat(service.endpoints).containsExactly("other:1");
  }
}
