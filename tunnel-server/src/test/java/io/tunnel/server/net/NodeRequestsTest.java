package io.tunnel.server.net;

import static io.tunnel.server.TestRows.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.tunnel.codec.Attributes;
import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.ByteSink;
import io.tunnel.codec.FormatFeature;
import io.tunnel.codec.SessionProof;
import io.tunnel.model.Direction;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.Limits;
import io.tunnel.model.OptionsChange;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TableOptions;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.server.TestRows;
import io.tunnel.server.catalog.store.MemoryCatalogStore;
import io.tunnel.server.cluster.Unit;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.GetRowRequest;
import io.tunnel.wire.Operation;
import io.tunnel.wire.RangeRequest;
import io.tunnel.wire.RowPage;
import io.tunnel.wire.WriteRequest;
import io.tunnel.wire.control.ClusterControl.ClusterDescription;
import io.tunnel.wire.control.ClusterControl.DescribeNode;
import io.tunnel.wire.control.ClusterControl.DrainNode;
import io.tunnel.wire.control.ClusterControl.Levels;
import io.tunnel.wire.control.ClusterControl.NodeLevel;
import io.tunnel.wire.control.ClusterControl.NodePart;
import io.tunnel.wire.control.ClusterControl.NodeStatus;
import io.tunnel.wire.control.ClusterControl.Upgrade;
import io.tunnel.wire.control.Control.CreateTable;
import io.tunnel.wire.control.Control.CreateTunnel;
import io.tunnel.wire.control.Control.Empty;
import io.tunnel.wire.control.Control.PartitionDescription;
import io.tunnel.wire.control.Control.TableDescription;
import io.tunnel.wire.control.Control.TableList;
import io.tunnel.wire.control.Control.TableName;
import io.tunnel.wire.control.Control.TunnelDescription;
import io.tunnel.wire.control.Control.TunnelInfo;
import io.tunnel.wire.control.Control.TunnelList;
import io.tunnel.wire.control.Control.TunnelName;
import io.tunnel.wire.control.FailureControl.Heartbeat;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.OperatorControl.AlterTable;
import io.tunnel.wire.control.RowSessionControl;
import io.tunnel.wire.control.SessionControl.OpenSession;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a node of a cluster answers, and what it says of the other node. */
final class NodeRequestsTest {

  private static final byte[] NOTHING = new byte[0];

  @TempDir private Path directory;
  private TestNode node;
  private RawClient client;
  private int here;
  private int there;

  @BeforeEach
  void open() throws IOException {
    node = new TestNode(directory);
    client = node.client();
    here = node.mine.partitions().get(0).id();
    there = node.mine.partitions().get(1).id();
  }

  @AfterEach
  void close() throws IOException {
    client.close();
    node.close();
  }

  private static void requireLedThere(ErrorPayload refusal) {
    assertThat(refusal.code()).isEqualTo(ErrorCode.NOT_LEADER);
    assertThat(refusal.leader()).contains(TestNode.THERE);
  }

  private RangeRequest range(Bytes from) {
    return new RangeRequest(
        node.mine.tableId(), Direction.FORWARD, 100, 1 << 20, from, Bytes.EMPTY);
  }

  private byte[] get(String key) {
    return new GetRowRequest(node.mine.tableId(), TestRows.keyBytes(key)).encode();
  }

  @Test
  void rows_are_served_by_their_partitions_leader() throws IOException {
    client.granted(Operation.WRITE, TestNode.write(node.mine, here, put("a"), put("b")));
    requireLedThere(client.refused(Operation.WRITE, TestNode.write(node.mine, there, put("z"))));
    RowPage row = RowPage.decode(client.granted(Operation.GET_ROW, get("a")));
    assertThat(row.rows().rowCount()).isEqualTo(1);
    requireLedThere(client.refused(Operation.GET_ROW, get("z")));
    RowPage page = RowPage.decode(client.granted(Operation.GET_RANGE, range(Bytes.EMPTY).encode()));
    assertThat(page.rows().rowCount()).isEqualTo(2);
    assertThat(page.next()).as("the border").contains(node.mine.partitions().get(1).from());
    requireLedThere(client.refused(Operation.GET_RANGE, range(page.next().orElseThrow()).encode()));
  }

  @Test
  void a_request_that_only_names_things_is_short() throws IOException {
    byte[] longest = naming(node.mine.meta().name(), Operation.PARTITION_MAP.requestBytesMax());
    client.granted(Operation.PARTITION_MAP, longest);
    ErrorPayload refusal =
        client.refused(
            Operation.PARTITION_MAP, naming(node.mine.meta().name(), longest.length + 1));
    assertThat(refusal.code()).isEqualTo(ErrorCode.INVALID_REQUEST);
    assertThat(refusal.message()).contains("PARTITION_MAP takes 262144 at most");
  }

  @Test
  void a_request_that_is_long_to_read_is_answered_as_a_short_one_is() throws IOException {
    byte[] longOne = naming("absent", 2 * Limits.NAMING_REQUEST_BYTES_MAX);
    assertThat(client.refused(Operation.SEEK, longOne))
        .isEqualTo(client.refused(Operation.SEEK, naming("absent", 100)));
    client.granted(Operation.WRITE, TestNode.write(node.mine, here, put("a")));
  }

  /** The name of a table in as many bytes. */
  private static byte[] naming(String table, int bytes) {
    String names = "{\"table\":\"" + table + "\"}";
    return (" ".repeat(bytes - names.length()) + names).getBytes(StandardCharsets.US_ASCII);
  }

  @Test
  void a_partition_that_nobody_leads_is_refused_without_an_address() throws IOException {
    node.lose(here);
    node.view.leads(here, TestNode.HERE);
    ErrorPayload refusal =
        client.refused(Operation.WRITE, TestNode.write(node.mine, here, put("a")));
    assertThat(refusal.code()).isEqualTo(ErrorCode.NOT_LEADER);
    assertThat(refusal.leader()).isEmpty();
    assertThat(refusal.code().retriable()).isTrue();
  }

  @Test
  void a_table_is_described_with_figures_of_what_is_led_here_and_the_addresses_of_the_rest()
      throws IOException {
    client.granted(Operation.WRITE, TestNode.write(node.mine, here, put("a"), put("b")));
    TableDescription map =
        client.granted(Operation.PARTITION_MAP, new TableName("mine"), TableDescription.class);
    assertThat(map.partitions())
        .extracting(PartitionDescription::leader, PartitionDescription::rowCount)
        .containsExactly(
            tuple(Optional.of(TestNode.HERE), 0L), tuple(Optional.of(TestNode.THERE), 0L));
    TableDescription described =
        client.granted(Operation.DESCRIBE_TABLE, new TableName("mine"), TableDescription.class);
    assertThat(described.partitions())
        .extracting(
            PartitionDescription::leader,
            PartitionDescription::rowCount,
            PartitionDescription::rowCountIsExact,
            PartitionDescription::committed)
        .containsExactly(
            tuple(Optional.of(TestNode.HERE), 2L, true, 2L),
            tuple(Optional.of(TestNode.THERE), 0L, false, 0L));
    node.lose(here);
    node.view.leads(here, TestNode.HERE);
    assertThat(
            client
                .granted(Operation.DESCRIBE_TABLE, new TableName("mine"), TableDescription.class)
                .partitions()
                .get(0)
                .leader())
        .as("who does not give the figures does not say that it has them")
        .isEmpty();
  }

  @Test
  void only_the_catalogs_leader_says_that_a_table_does_not_exist() throws IOException {
    assertThat(client.granted(Operation.LIST_TABLES, new Empty(), TableList.class).tables())
        .containsExactly("mine", "theirs");
    requireLedThere(client.refused(Operation.PARTITION_MAP, new TableName("none")));
    requireLedThere(client.refused(Operation.LIST_TUNNELS, new TableName("none")));
    requireLedThere(
        client.refused(Operation.GET_ROW, new GetRowRequest(99, TestRows.keyBytes("a")).encode()));
    node.view.leads(Unit.CATALOG, TestNode.HERE);
    assertThat(client.refused(Operation.PARTITION_MAP, new TableName("none")).code())
        .isEqualTo(ErrorCode.TABLE_NOT_FOUND);
    assertThat(
            client
                .refused(Operation.GET_ROW, new GetRowRequest(99, TestRows.keyBytes("a")).encode())
                .code())
        .isEqualTo(ErrorCode.TABLE_NOT_FOUND);
  }

  @Test
  void tables_are_changed_by_the_catalogs_leader() throws IOException {
    TableMeta meta = new TableMeta("new", TestRows.SCHEMA);
    requireLedThere(client.refused(Operation.CREATE_TABLE, new CreateTable(meta, List.of())));
    requireLedThere(client.refused(Operation.DROP_TABLE, new TableName("mine")));
    OptionsChange change = new OptionsChange().withRetention(Duration.ZERO);
    requireLedThere(client.refused(Operation.ALTER_TABLE, new AlterTable("mine", change)));
  }

  private TunnelInfo create() throws IOException {
    return client.granted(
        Operation.CREATE_TUNNEL,
        new CreateTunnel("mine", "n", TunnelType.Stream, StreamStart.EARLIEST),
        TunnelInfo.class);
  }

  @Test
  void one_that_was_replaced_does_not_say_that_a_tunnel_does_not_exist() throws IOException {
    OpenSession open = new OpenSession("t1g" + TestNode.group(node.mine) + "-x", "tag", 1_000, 0);
    TunnelName name = new TunnelName("mine", "none");
    assertThat(client.refused(Operation.OPEN_SESSION, open).code())
        .isEqualTo(ErrorCode.TUNNEL_NOT_FOUND);
    MemoryCatalogStore store = node.storeByTable.get(node.mine.tableId());
    store.loseWord();
    assertThat(client.refused(Operation.DESCRIBE_TUNNEL, name).code())
        .as("nobody can tell")
        .isEqualTo(ErrorCode.LOG_UNAVAILABLE);
    store.fence();
    assertThat(client.refused(Operation.OPEN_SESSION, open).code()).isEqualTo(ErrorCode.NOT_LEADER);
    assertThat(client.refused(Operation.DESCRIBE_TUNNEL, name).code())
        .isEqualTo(ErrorCode.NOT_LEADER);
  }

  @Test
  void tunnels_are_served_by_the_leader_of_their_tables_group() throws IOException {
    node.bounds.set(here, 1, 8);
    TunnelInfo tunnel = create();
    assertThat(client.granted(Operation.LIST_TUNNELS, new TableName("mine"), TunnelList.class))
        .isEqualTo(new TunnelList(List.of(tunnel)));
    assertThat(Json.decode(client.granted(Operation.LIST_TUNNELS, NOTHING), TunnelList.class))
        .as("those that are led here")
        .isEqualTo(new TunnelList(List.of(tunnel)));
    TunnelDescription described =
        client.granted(
            Operation.DESCRIBE_TUNNEL, new TunnelName("mine", "n"), TunnelDescription.class);
    assertThat(described.channels())
        .extracting(channel -> channel.committed(), channel -> channel.lagRows())
        .containsExactly(tuple(8L, 8L), tuple(0L, 0L));
    requireLedThere(
        client.refused(
            Operation.CREATE_TUNNEL,
            new CreateTunnel("theirs", "n", TunnelType.Stream, StreamStart.EARLIEST)));
    requireLedThere(client.refused(Operation.LIST_TUNNELS, new TableName("theirs")));
    requireLedThere(client.refused(Operation.DESCRIBE_TUNNEL, new TunnelName("theirs", "n")));
    int group = Unit.groupOf(Unit.ofTunnels(node.theirs.tableId()));
    requireLedThere(
        client.refused(
            Operation.OPEN_SESSION, new OpenSession("t1g" + group + "-x", "tag", 1_000, 0)));
    assertThat(client.refused(Operation.DESCRIBE_TUNNEL, new TunnelName("mine", "none")).code())
        .isEqualTo(ErrorCode.TUNNEL_NOT_FOUND);
    assertThat(client.refused(Operation.HEARTBEAT, new Heartbeat("none", List.of())).code())
        .isEqualTo(ErrorCode.SESSION_ENDED);
  }

  @Test
  void a_thread_that_may_read_files_asks_for_the_figures_of_a_tunnel() throws IOException {
    client.close();
    node.close();
    node =
        TestNode.describing(
            directory.resolve("described"), task -> new Thread(task, "describer").start());
    client = node.client();
    var unused = create();
    var unusedDescription =
        client.granted(
            Operation.DESCRIBE_TUNNEL, new TunnelName("mine", "n"), TunnelDescription.class);
    assertThat(node.looking).containsExactly("describer");
  }

  @Test
  void tunnels_of_all_tables_are_gathered_from_all_groups_that_are_led_here() throws IOException {
    node.leadTheirs();
    List<TunnelInfo> made = new ArrayList<>();
    for (String[] names : new String[][] {{"theirs", "b"}, {"mine", "z"}, {"theirs", "a"}}) {
      made.add(
          client.granted(
              Operation.CREATE_TUNNEL,
              new CreateTunnel(names[0], names[1], TunnelType.Stream, StreamStart.EARLIEST),
              TunnelInfo.class));
    }
    assertThat(Json.decode(client.granted(Operation.LIST_TUNNELS, NOTHING), TunnelList.class))
        .isEqualTo(new TunnelList(List.of(made.get(1), made.get(2), made.get(0))));
    node.tunnels.resign(TestNode.group(node.mine), () -> {});
    assertThat(Json.decode(client.granted(Operation.LIST_TUNNELS, NOTHING), TunnelList.class))
        .isEqualTo(new TunnelList(List.of(made.get(2), made.get(0))));
  }

  @Test
  void a_node_describes_the_cluster_and_itself_and_can_be_drained() throws IOException {
    assertThat(client.granted(Operation.DESCRIBE_CLUSTER, new Empty(), ClusterDescription.class))
        .isEqualTo(node.view.describe());
    assertThat(
            client.granted(
                Operation.DESCRIBE_NODE, new DescribeNode(NodePart.REPLICAS), NodeStatus.class))
        .isEqualTo(node.view.status());
    NodeStatus figures =
        client.granted(
            Operation.DESCRIBE_NODE, new DescribeNode(NodePart.FIGURES), NodeStatus.class);
    assertThat(figures.replicas()).as("figures instead of replicas").isEmpty();
    assertThat(figures.figures()).as("nobody samples them").isEmpty();
    assertThat(client.refused(Operation.DESCRIBE_NODE, new Empty()).message())
        .as("a request that names no part")
        .contains("part");
    client.granted(Operation.DRAIN_NODE, new DrainNode(true), Empty.class);
    assertThat(node.view.isDraining()).isTrue();
    client.granted(Operation.DRAIN_NODE, new DrainNode(false), Empty.class);
    assertThat(node.view.isDraining()).isFalse();
  }

  @Test
  void the_leader_of_the_catalog_raises_the_level_when_all_members_serve_it() throws IOException {
    node.view.leads(Unit.CATALOG, "other:1");
    node.view.serve(Map.of("a", 2, "b", 1));
    assertThat(client.refused(Operation.UPGRADE, new Upgrade(Optional.of(2))).code())
        .isEqualTo(ErrorCode.NOT_LEADER);
    node.view.leads(Unit.CATALOG, node.view.address());
    assertThat(client.granted(Operation.UPGRADE, new Upgrade(Optional.empty()), Levels.class))
        .isEqualTo(new Levels(1, List.of(new NodeLevel("a", 2), new NodeLevel("b", 1))));
    ErrorPayload refused = client.refused(Operation.UPGRADE, new Upgrade(Optional.of(2)));
    assertThat(refused.code()).isEqualTo(ErrorCode.FEATURE_NOT_ENABLED);
    assertThat(refused.message()).contains("level 2 is not served by b (1 at most)");
    node.view.serve(Map.of("a", 2, "b", 2));
    assertThat(client.granted(Operation.UPGRADE, new Upgrade(Optional.of(2)), Levels.class))
        .isEqualTo(new Levels(2, List.of(new NodeLevel("a", 2), new NodeLevel("b", 2))));
    assertThat(client.granted(Operation.UPGRADE, new Upgrade(Optional.of(1)), Levels.class).level())
        .isEqualTo(2);
  }

  @Test
  void a_write_of_a_feature_that_the_level_does_not_enable_is_refused_by_name() throws IOException {
    node.view.serve(Map.of("a", 1, "b", 2));
    for (FormatFeature feature : List.of(FormatFeature.ROW_EXPIRY, FormatFeature.BEFORE_IMAGE)) {
      Bytes list = attribute(feature.number());
      ErrorPayload refused = client.refused(Operation.WRITE, write(Bytes.EMPTY, list));
      assertThat(refused.code()).isEqualTo(ErrorCode.FEATURE_NOT_ENABLED);
      assertThat(refused.message())
          .isEqualTo(
              "the feature '"
                  + feature.label()
                  + "' needs level 3, and the level is 1; a (1 at most), b (2 at most) does not"
                  + " serve it: replace the build there, then raise the level");
    }
    ErrorPayload unknown = client.refused(Operation.WRITE, write(Bytes.EMPTY, attribute(1_000)));
    assertThat(unknown.code()).isEqualTo(ErrorCode.FEATURE_NOT_ENABLED);
    assertThat(unknown.message()).contains("attribute 1000 of a row", "upgrade this one");
    client.granted(Operation.WRITE, TestNode.write(node.mine, here, put("a")));
  }

  @Test
  void a_cluster_has_the_features_of_rows_from_their_level_on() throws IOException {
    node.view.leads(Unit.CATALOG, node.view.address());
    node.view.serve(Map.of("a", 1));
    Bytes secret = Bytes.copyOf(new byte[SessionProof.SECRET_BYTES]);
    byte[] atomic = write(Attributes.atomic(Bytes.EMPTY), Bytes.EMPTY);
    TableOptions ttl = TableOptions.DEFAULT.withTtl(Duration.ofMinutes(1));
    List<PrimaryKeySchema> auto =
        List.of(
            new PrimaryKeySchema("shop", PrimaryKeyType.STRING), PrimaryKeySchema.auto("number"));
    CreateTable expiring = new CreateTable(new TableMeta("t", TestRows.SCHEMA, ttl), List.of());
    CreateTable numbered = new CreateTable(new TableMeta("n", auto), List.of());
    Map<String, ErrorPayload> refusals =
        Map.of(
            "atomic batches",
            client.refused(Operation.WRITE, atomic),
            "row sessions",
            client.refused(Operation.OPEN_ROW_SESSION, new RowSessionControl.Open(5_000, secret)),
            "time to live",
            client.refused(Operation.CREATE_TABLE, expiring),
            "AUTO keys",
            client.refused(Operation.CREATE_TABLE, numbered));
    refusals.forEach(
        (feature, refusal) -> {
          assertThat(refusal.code()).isEqualTo(ErrorCode.FEATURE_NOT_ENABLED);
          assertThat(refusal.message())
              .startsWith("the feature '" + feature + "' needs level 2, and the level is 1");
        });
    node.view.serve(Map.of("a", 2));
    client.granted(Operation.UPGRADE, new Upgrade(Optional.of(2)), Levels.class);
    client.granted(Operation.WRITE, atomic);
    // The level refuses no table any more. This node has no store of the catalog.
    for (CreateTable request : List.of(expiring, numbered)) {
      assertThat(client.refused(Operation.CREATE_TABLE, request).code())
          .isEqualTo(ErrorCode.NOT_LEADER);
    }
  }

  private static Bytes attribute(int number) {
    ByteSink sink = new ByteSink(16);
    Attributes.write(sink, number, Bytes.fromHex("01"));
    return Bytes.copyOf(sink.array(), 0, sink.size());
  }

  private byte[] write(Bytes ofBatch, Bytes ofRow) {
    BatchBuilder builder = new BatchBuilder(TestRows.SCHEMA, 256);
    builder.setAttributes(ofBatch);
    assertThat(builder.addWithin(Limits.BATCH_BYTES_MAX, put("a"), ofRow)).isTrue();
    byte[] batch = builder.build(here);
    ByteSink sink = new ByteSink(256);
    byte[] prefix = new byte[WriteRequest.PREFIX_BYTES];
    WriteRequest.writePrefix(prefix, 0, node.mine.tableId(), Optional.empty());
    sink.write(prefix, 0, prefix.length);
    sink.write(batch, 0, batch.length);
    return sink.toByteArray();
  }
}
