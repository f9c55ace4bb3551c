package io.tunnel.server.kafka.members;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.tunnel.server.cluster.NodeInfo;
import io.tunnel.server.cluster.Placement;
import io.tunnel.server.kafka.members.MemberFormat.Said;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.zip.DeflaterOutputStream;
import org.junit.jupiter.api.Test;

class MemberFormatTest {

  private static final Said SAID =
      new Said(new NodeInfo("a", "a1", "h:1", true, Set.of(-1, 0, 5), Set.of(5, 6), 2), 7, 8);

  /** As many as a cluster is planned for, on three nodes. */
  private static Placement large() {
    List<Integer> units = IntStream.range(-16, 8_192).boxed().toList();
    return new Placement(
        1L << 40,
        List.of(new Placement.Member("node-1", "i", "node-1.example:7000", false, 2)),
        units.stream().collect(Collectors.toMap(unit -> unit, unit -> "node-" + (unit & 3))),
        units.stream()
            .collect(Collectors.toMap(unit -> unit, unit -> Set.of("node-" + (unit + 1 & 3)))));
  }

  @Test
  void what_is_said_and_told_comes_back() throws Exception {
    assertThat(MemberFormat.said(MemberFormat.encode(SAID))).isEqualTo(SAID);
    assertThat(MemberFormat.placement(MemberFormat.encode(large()))).isEqualTo(large());
    assertThat(MemberFormat.placement(MemberFormat.encode(Placement.NONE)))
        .isEqualTo(Placement.NONE);
  }

  /** Nodes of any version read and write it. */
  @Test
  void the_nodes_with_replicas_are_a_member_named_replicas() throws Exception {
    ByteBuffer told =
        deflated(
            "{\"generation\":1,\"nodes\":[],\"leaders\":{\"1\":\"a\"},\"replicas\":{\"1\":[\"b\"]}}");
    Placement placement = MemberFormat.placement(told);
    assertThat(placement.replicas()).isEqualTo(Map.of(1, Set.of("b")));
    assertThat(MemberFormat.encode(placement)).isEqualTo(told);
  }

  @Test
  void a_placement_is_small_enough_to_be_kept_for_ten_nodes_in_one_record() {
    assertThat(MemberFormat.encode(large()).remaining()).isLessThan(1_000_000 / 10);
  }

  /** Kafka keeps what all members said, and for each of them the whole placement. */
  @Test
  void a_group_of_30_nodes_with_4000_partitions_is_small_enough_to_be_kept_in_one_record() {
    int nodeCount = 30;
    SplittableRandom random = new SplittableRandom(5);
    Map<Integer, String> leaders = new TreeMap<>();
    Map<Integer, Set<String>> replicas = new TreeMap<>();
    Map<String, Set<Integer>> warm = new TreeMap<>();
    for (int partition = 1; partition <= 4_000; partition++) {
      int leader = random.nextInt(nodeCount);
      int standby = (leader + 1 + random.nextInt(nodeCount - 1)) % nodeCount;
      leaders.put(partition, "node-" + leader);
      replicas.put(partition, Set.of("node-" + standby));
      for (int node : List.of(leader, standby)) {
        warm.computeIfAbsent("node-" + node, name -> new TreeSet<>()).add(partition);
      }
    }
    List<Placement.Member> members = new ArrayList<>();
    int bytes = 0;
    for (String name : warm.keySet()) {
      String address = name + ".example:7650";
      members.add(new Placement.Member(name, "mi8x2k3l", address, false, 1));
      Set<Integer> known = warm.get(name);
      NodeInfo info = new NodeInfo(name, "mi8x2k3l", address, false, known, known, 1);
      bytes += MemberFormat.encode(new Said(info, 7, 8)).remaining();
    }
    Placement placement = new Placement(1L << 40, members, leaders, replicas);
    bytes += nodeCount * MemberFormat.encode(placement).remaining();
    assertThat(bytes).isLessThan(1_000_000);
  }

  @Test
  void what_is_damaged_or_strange_is_refused() {
    byte[] good = MemberFormat.encode(SAID).array();
    for (int length = 0; length < good.length - 4; length++) {
      ByteBuffer cut = ByteBuffer.wrap(good, 0, length);
      assertThatIOException().isThrownBy(() -> MemberFormat.said(cut));
    }
    byte[] newer = good.clone();
    newer[0] = 2;
    assertThatIOException()
        .isThrownBy(() -> MemberFormat.said(ByteBuffer.wrap(newer)))
        .withMessage("not of version 1");
    assertThatIOException().isThrownBy(() -> MemberFormat.said(null));
    assertThatIOException().isThrownBy(() -> MemberFormat.said(deflated("{}")));
    assertThatIOException().isThrownBy(() -> MemberFormat.said(deflated("null")));
    assertThatIOException().isThrownBy(() -> MemberFormat.placement(deflated("[]")));
  }

  @Test
  void nobody_makes_us_inflate_without_end() {
    assertThatIOException()
        .isThrownBy(() -> MemberFormat.said(deflated(" ".repeat(16 * 1024 * 1024 + 1))))
        .withMessageContaining("more than 16777216 bytes");
  }

  private static ByteBuffer deflated(String json) throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.write(1);
    try (OutputStream out = new DeflaterOutputStream(bytes)) {
      out.write(json.getBytes(StandardCharsets.UTF_8));
    }
    return ByteBuffer.wrap(bytes.toByteArray());
  }
}
