package io.tunnel.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.tunnel.condition.RowSelection;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.OptionsChange;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RefusedException;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.checkpoint.CheckpointSet;
import io.tunnel.sdk.checkpoint.CloneCheckpointsRequest;
import io.tunnel.sdk.checkpoint.ExportCheckpointsRequest;
import io.tunnel.sdk.checkpoint.ImportCheckpointsRequest;
import io.tunnel.sdk.fake.FakeServer;
import io.tunnel.sdk.table.CreateTableRequest;
import io.tunnel.sdk.tunnel.CreateTunnelRequest;
import io.tunnel.sdk.tunnel.DeleteTunnelRequest;
import io.tunnel.sdk.tunnel.DescribeTunnelRequest;
import io.tunnel.sdk.tunnel.EndSessionRequest;
import io.tunnel.sdk.tunnel.ListTunnelRequest;
import io.tunnel.sdk.tunnel.PauseTunnelRequest;
import io.tunnel.sdk.tunnel.ResumeTunnelRequest;
import io.tunnel.sdk.tunnel.SeekTunnelRequest;
import io.tunnel.sdk.watch.WatchConfig;
import io.tunnel.sdk.watch.WatchedKeys;
import io.tunnel.wire.Operation;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** The trace of a refusal contains the refused caller and the code. */
class CallersFrameTest {

  private static final ErrorCode CODE = ErrorCode.TABLE_NOT_FOUND;
  private static final PrimaryKey KEY = PrimaryKey.builder().add("id", 1).build();
  private static final TableMeta META =
      new TableMeta("t", List.of(new PrimaryKeySchema("id", PrimaryKeyType.INTEGER)));
  private static final List<RowChange> ROWS = List.of(new RowDeleteChange(KEY));

  /** Methods without requests to the server, or with refusals in their results. */
  private static final Set<String> NEVER_REFUSED =
      Set.of("close", "shutdown", "status", "config", "toString", "equals", "hashCode");

  private static FakeServer refusingAll() {
    FakeServer server = new FakeServer();
    for (Operation operation : Operation.values()) {
      if (operation != Operation.HELLO) {
        server.on(operation, (connection, frame) -> connection.refuse(frame, CODE));
      }
    }
    return server;
  }

  private static Map<String, ThrowingCallable> ofTables(TableClient tables) {
    Map<String, ThrowingCallable> calls = new LinkedHashMap<>();
    CreateTableRequest request = new CreateTableRequest(META, List.of());
    calls.put("ping()", tables::ping);
    calls.put("ping(int)", () -> tables.ping(9));
    calls.put("createTable(TableMeta)", () -> tables.createTable(META));
    calls.put("createTable(CreateTableRequest)", () -> tables.createTable(request));
    calls.put("createTable(TableMeta,List)", () -> tables.createTable(META, List.of()));
    calls.put("createTableIfAbsent(CreateTableRequest)", () -> tables.createTableIfAbsent(request));
    calls.put("describeTable(String)", () -> tables.describeTable("t"));
    calls.put("partitionMap(String)", () -> tables.partitionMap("t"));
    calls.put("findPositions(String,Optional)", () -> tables.findPositions("t", Optional.empty()));
    calls.put("listTables()", tables::listTables);
    calls.put(
        "alterTable(String,OptionsChange)",
        () -> tables.alterTable("t", new OptionsChange().withRetentionBytes(1)));
    calls.put("openSession(Duration)", () -> tables.openSession(Duration.ofSeconds(5)));
    calls.put("dropTable(String)", () -> tables.dropTable("t"));
    calls.put("getRow(String,PrimaryKey)", () -> tables.getRow("t", KEY));
    calls.put("getRow(String,PrimaryKey,ReadMode)", () -> tables.getRow("t", KEY, ReadMode.STRICT));
    calls.put("getRowAsync(String,PrimaryKey)", () -> tables.getRowAsync("t", KEY));
    calls.put(
        "getRowAsync(String,PrimaryKey,ReadMode)",
        () -> tables.getRowAsync("t", KEY, ReadMode.STRICT));
    RowSelection all = RowSelection.ALL;
    ReadMode strict = ReadMode.STRICT;
    calls.put(
        "getRow(String,PrimaryKey,RowSelection,ReadMode)",
        () -> tables.getRow("t", KEY, all, strict));
    calls.put(
        "getRowAsync(String,PrimaryKey,RowSelection,ReadMode)",
        () -> tables.getRowAsync("t", KEY, all, strict));
    calls.put("getRows(String,Collection)", () -> tables.getRows("t", List.of(KEY)));
    calls.put(
        "getRows(String,Collection,RowSelection,ReadMode)",
        () -> tables.getRows("t", List.of(KEY), all, strict));
    calls.put(
        "getRowsAsync(String,Collection,RowSelection,ReadMode)",
        () -> tables.getRowsAsync("t", List.of(KEY), all, strict));
    calls.put("primaryKeyOf(String)", () -> tables.primaryKeyOf("t"));
    calls.put("getRange(String,RangeQuery)", () -> tables.getRange("t", RangeQuery.ALL).iterator());
    calls.put("write(String,List)", () -> tables.write("t", ROWS));
    calls.put("tryWrite(String,List)", () -> tables.tryWrite("t", ROWS));
    calls.put("writeAsync(String,List)", () -> tables.writeAsync("t", ROWS));
    calls.put("tryWriteAsync(String,List)", () -> tables.tryWriteAsync("t", ROWS));
    calls.put("writeAtomically(String,List)", () -> tables.writeAtomically("t", ROWS));
    calls.put("tryWriteAtomically(String,List)", () -> tables.tryWriteAtomically("t", ROWS));
    calls.put(
        "tryWriteAtomicallyAsync(String,List)", () -> tables.tryWriteAtomicallyAsync("t", ROWS));
    calls.put("openWriter(String)", () -> tables.openWriter("t"));
    calls.put(
        "openWriter(String,TableWriterConfig)",
        () -> tables.openWriter("t", TableWriterConfig.DEFAULTS));
    calls.put(
        "watch(String,WatchedKeys,WatchConfig)",
        () -> tables.watch("t", WatchedKeys.prefix("a"), WatchConfig.FROM_NOW).close());
    return calls;
  }

  private static Map<String, ThrowingCallable> ofTunnels(TunnelClient tunnels) {
    Map<String, ThrowingCallable> calls = new LinkedHashMap<>();
    calls.put(
        "createTunnel(CreateTunnelRequest)",
        () -> tunnels.createTunnel(new CreateTunnelRequest("t", "x", TunnelType.Stream)));
    calls.put(
        "createTunnelIfAbsent(CreateTunnelRequest)",
        () -> tunnels.createTunnelIfAbsent(new CreateTunnelRequest("t", "x", TunnelType.Stream)));
    calls.put(
        "listTunnel(ListTunnelRequest)", () -> tunnels.listTunnel(new ListTunnelRequest("t")));
    calls.put(
        "describeTunnel(DescribeTunnelRequest)",
        () -> tunnels.describeTunnel(new DescribeTunnelRequest("t", "x")));
    calls.put(
        "deleteTunnel(DeleteTunnelRequest)",
        () -> tunnels.deleteTunnel(new DeleteTunnelRequest("t", "x")));
    calls.put(
        "pauseTunnel(PauseTunnelRequest)",
        () -> tunnels.pauseTunnel(new PauseTunnelRequest("t", "x")));
    calls.put(
        "resumeTunnel(ResumeTunnelRequest)",
        () -> tunnels.resumeTunnel(new ResumeTunnelRequest("t", "x")));
    calls.put(
        "seekTunnel(SeekTunnelRequest)",
        () -> tunnels.seekTunnel(SeekTunnelRequest.toLatest("t", "x")));
    calls.put(
        "exportCheckpoints(ExportCheckpointsRequest)",
        () -> tunnels.exportCheckpoints(new ExportCheckpointsRequest("t", "x")));
    calls.put(
        "importCheckpoints(ImportCheckpointsRequest)",
        () ->
            tunnels.importCheckpoints(
                new ImportCheckpointsRequest("t", "x", new CheckpointSet(1, "t", "x", List.of()))));
    calls.put(
        "cloneCheckpoints(CloneCheckpointsRequest)",
        () -> tunnels.cloneCheckpoints(new CloneCheckpointsRequest("t", "x", "y")));
    calls.put(
        "endSession(EndSessionRequest)",
        () -> tunnels.endSession(new EndSessionRequest("t", "x", "s")));
    return calls;
  }

  private static Map<String, ThrowingCallable> ofClusters(ClusterClient cluster, String address) {
    Map<String, ThrowingCallable> calls = new LinkedHashMap<>();
    calls.put("describeCluster()", cluster::describeCluster);
    calls.put("nodeStatus(String)", () -> cluster.nodeStatus(address));
    calls.put("drain(String,boolean)", () -> cluster.drain(address, true));
    calls.put("levels()", cluster::levels);
    calls.put("upgrade(int)", () -> cluster.upgrade(2));
    calls.put("rowSessions()", cluster::rowSessions);
    calls.put("endRowSession(long)", () -> cluster.endRowSession(7));
    return calls;
  }

  @Test
  void every_call_that_is_refused_is_in_the_trace() {
    try (FakeServer server = refusingAll();
        TableClient tables = TableClient.connect(server.config());
        TunnelClient tunnels = new TunnelClient(server.config());
        ClusterClient cluster = new ClusterClient(server.config());
        TunnelWorker worker = new TunnelWorker("id", tunnels, new TunnelWorkerConfig(in -> {}))) {
      assertAllRefused(TableClient.class, ofTables(tables));
      assertAllRefused(TunnelClient.class, ofTunnels(tunnels));
      assertAllRefused(ClusterClient.class, ofClusters(cluster, server.address()));
      assertAllRefused(
          TunnelWorker.class, Map.of("connectAndWorking()", worker::connectAndWorking));
    }
  }

  @Test
  void whoever_is_refused_the_connection_is_in_the_trace() {
    try (FakeServer server = new FakeServer()) {
      server.on(
          Operation.HELLO,
          (connection, frame) -> connection.refuse(frame, ErrorCode.UNSUPPORTED_VERSION));
      assertRefused(
          "connect",
          ErrorCode.UNSUPPORTED_VERSION,
          () -> TableClient.connect(server.config()).close());
    }
    Throwable lost =
        catchThrowable(
            () ->
                TableClient.connect(
                    ClientConfig.of("127.0.0.1:1").withConnectDeadline(Duration.ofMillis(50))));
    assertThat(lost).isInstanceOf(ConnectionException.class);
    assertHasFrame("connect", lost);
  }

  /** Calls all public methods of a type that can be refused: none may be missing. */
  private static void assertAllRefused(Class<?> type, Map<String, ThrowingCallable> calls) {
    Set<String> methods = new TreeSet<>();
    for (Method method : type.getDeclaredMethods()) {
      boolean isAsking =
          Modifier.isPublic(method.getModifiers())
              && !Modifier.isStatic(method.getModifiers())
              && !NEVER_REFUSED.contains(method.getName());
      if (isAsking) {
        List<String> types =
            List.of(method.getParameterTypes()).stream().map(Class::getSimpleName).toList();
        methods.add(method.getName() + "(" + String.join(",", types) + ")");
      }
    }
    assertThat(calls.keySet()).containsExactlyInAnyOrderElementsOf(methods);
    calls.forEach((name, call) -> assertRefused(name, CODE, call));
  }

  private static void assertRefused(String name, ErrorCode code, ThrowingCallable call) {
    Throwable refused = catchThrowable(call);
    assertThat(refused).as(name).isInstanceOf(RefusedException.class);
    assertThat(((RefusedException) refused).code()).as(name).isEqualTo(code);
    assertThat(refused.toString()).as(name).contains(": " + code + ": ");
    assertHasFrame(name, refused);
  }

  private static void assertHasFrame(String name, Throwable refused) {
    StringWriter trace = new StringWriter();
    refused.printStackTrace(new PrintWriter(trace));
    assertThat(refused.getStackTrace())
        .as("%s: %s", name, trace)
        .anyMatch(frame -> frame.getClassName().startsWith(CallersFrameTest.class.getName()));
  }
}
