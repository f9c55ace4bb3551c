package io.tunnel.it.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.KeyCodec;
import io.tunnel.it.ledger.TestTable;
import io.tunnel.it.process.RawClient;
import io.tunnel.it.process.RawWrite;
import io.tunnel.it.process.Stage;
import io.tunnel.model.ChannelType;
import io.tunnel.model.Direction;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.Bytes;
import io.tunnel.wire.ChannelRef;
import io.tunnel.wire.Checkpoint;
import io.tunnel.wire.Credit;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.GetRowRequest;
import io.tunnel.wire.Hello;
import io.tunnel.wire.Operation;
import io.tunnel.wire.RangeRequest;
import io.tunnel.wire.control.ClusterControl;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.Control.TableDescription;
import io.tunnel.wire.control.FailureControl;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.OperatorControl;
import io.tunnel.wire.control.PartitionControl;
import io.tunnel.wire.control.SessionControl;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Payloads of every operation with some bits wrong, from a seed. */
class MutatedRequestsTest {

  private static final int ROUNDS = 150;
  private static final String TABLE = "victim";

  @RegisterExtension static final Stage STAGE = new Stage();

  private static CalmServer calm;
  private static Map<Operation, byte[]> valid;

  @BeforeAll
  static void begin() {
    calm = new CalmServer(STAGE);
    valid = validPayloads();
  }

  @AfterAll
  static void end() {
    calm.requireHealthy();
    calm.requireUndisturbed();
  }

  private static Map<Operation, byte[]> validPayloads() {
    TestTable plan = new TestTable(TABLE, 2);
    try (RawClient client = RawClient.greeted(calm.server())) {
      Control.CreateTable create = new Control.CreateTable(plan.meta(), plan.splitPoints());
      TableDescription table =
          client.request(Operation.CREATE_TABLE, create, TableDescription.class);
      Control.CreateTunnel createTunnel =
          new Control.CreateTunnel(TABLE, "audit", TunnelType.Stream, StreamStart.EARLIEST);
      Control.TunnelInfo tunnel =
          client.request(Operation.CREATE_TUNNEL, createTunnel, Control.TunnelInfo.class);
      Control.TableName tableName = new Control.TableName(TABLE);
      Control.TunnelName tunnelName = new Control.TunnelName(TABLE, "audit");
      Bytes key = KeyCodec.encode(TestTable.key(1, "a"), plan.meta().primaryKey());
      Map<Operation, byte[]> payloads = new EnumMap<>(Operation.class);
      payloads.put(Operation.HELLO, new Hello(1, "again").encode());
      payloads.put(Operation.CREATE_TABLE, Json.encode(create));
      payloads.put(Operation.DESCRIBE_TABLE, Json.encode(tableName));
      payloads.put(Operation.LIST_TABLES, new byte[0]);
      payloads.put(Operation.DROP_TABLE, Json.encode(tableName));
      payloads.put(Operation.CREATE_TUNNEL, Json.encode(createTunnel));
      payloads.put(Operation.DESCRIBE_TUNNEL, Json.encode(tunnelName));
      payloads.put(Operation.LIST_TUNNELS, Json.encode(tableName));
      payloads.put(Operation.DELETE_TUNNEL, Json.encode(tunnelName));
      payloads.put(Operation.PARTITION_MAP, Json.encode(tableName));
      payloads.put(
          Operation.WRITE,
          RawWrite.payload(
              table.meta(),
              table.tableId(),
              table.partitions().get(0).id(),
              List.of(TestTable.put(1, "a", 1), TestTable.put(2, "b", 2))));
      payloads.put(Operation.GET_ROW, new GetRowRequest(table.tableId(), key).encode());
      payloads.put(
          Operation.GET_RANGE,
          new RangeRequest(table.tableId(), Direction.BACKWARD, 9, 99, key, Bytes.EMPTY).encode());
      payloads.put(
          Operation.OPEN_SESSION,
          Json.encode(new SessionControl.OpenSession(tunnel.tunnelId(), "raw", 30_000, 0)));
      payloads.put(Operation.CLOSE_SESSION, Json.encode(new SessionControl.SessionId("1-1")));
      payloads.put(Operation.HEARTBEAT, Json.encode(new SessionControl.SessionId("1-1")));
      payloads.put(Operation.RELEASE, new ChannelRef(1, 1).encode());
      payloads.put(Operation.CREDIT, new Credit(1, 1, 100).encode());
      payloads.put(Operation.CHECKPOINT, new Checkpoint(1, 1, 1).encode());
      OperatorControl.ChannelSelection selection =
          new OperatorControl.ChannelSelection(TABLE, "audit", List.of());
      payloads.put(Operation.PAUSE, Json.encode(selection));
      payloads.put(Operation.RESUME, Json.encode(selection));
      payloads.put(
          Operation.SEEK,
          Json.encode(
              new OperatorControl.Seek(
                  TABLE,
                  "audit",
                  List.of(),
                  Optional.empty(),
                  Optional.of(1L),
                  Optional.empty(),
                  Optional.empty(),
                  false)));
      payloads.put(
          Operation.END_SESSION,
          Json.encode(new OperatorControl.EndSession(TABLE, "audit", "1-1")));
      payloads.put(
          Operation.ALTER_TABLE,
          Json.encode(new OperatorControl.AlterTable(TABLE, plan.meta().options())));
      payloads.put(Operation.EXPORT_CHECKPOINTS, Json.encode(tunnelName));
      payloads.put(
          Operation.CHECKPOINT_SKIPPING,
          Json.encode(
              new FailureControl.SkippingCheckpoint(
                  1,
                  1,
                  9,
                  Bytes.EMPTY,
                  List.of(
                      new FailureControl.Skip(
                          8, PrimaryKey.builder().add("id", "x").build(), "odd")))));
      payloads.put(
          Operation.STOP_CHANNEL, Json.encode(new SessionControl.StopChannel(1, 1, "broken")));
      payloads.put(Operation.DESCRIBE_CLUSTER, new byte[0]);
      payloads.put(Operation.DESCRIBE_NODE, new byte[0]);
      payloads.put(Operation.DRAIN_NODE, Json.encode(new ClusterControl.DrainNode(true)));
      payloads.put(
          Operation.ATTACH,
          Json.encode(
              new ClusterControl.Attach(
                  tunnel.tunnelId(),
                  "1_" + tunnel.tunnelId(),
                  table.partitions().get(0).id(),
                  ChannelType.Stream,
                  1,
                  0,
                  Bytes.EMPTY,
                  Optional.empty())));
      payloads.put(
          Operation.READ_PARTITION,
          Json.encode(
              new PartitionControl.ReadPartition(
                  table.partitions().get(0).id(),
                  ChannelType.Stream,
                  0,
                  Bytes.EMPTY,
                  Optional.of(1L),
                  Optional.of(1L))));
      payloads.put(
          Operation.FIND_POSITIONS,
          Json.encode(new PartitionControl.FindPositions(TABLE, Optional.of(1L))));
      payloads.put(Operation.DETACH, new ChannelRef(1, 1).encode());
      payloads.putAll(SecurityPayloads.valid());
      return payloads;
    }
  }

  @Test
  void every_operation_that_a_client_asks_for_has_a_valid_payload() {
    Set<Operation> missing = EnumSet.allOf(Operation.class);
    missing.removeAll(valid.keySet());
    missing.removeIf(operation -> operation.right() == Operation.Right.SERVER);
    // Pushed by both sides, and never answered.
    missing.remove(Operation.LIMIT);
    assertThat(missing).as("operations without a payload in this test").isEmpty();
  }

  private static byte[] mutated(byte[] payload, SplittableRandom random) {
    byte[] mutant = payload.clone();
    switch (random.nextInt(5)) {
      case 0 -> mutant = Arrays.copyOf(mutant, random.nextInt(mutant.length + 1));
      case 1 -> mutant = Arrays.copyOf(mutant, mutant.length + random.nextInt(1, 20));
      case 2 -> random.nextBytes(mutant);
      default -> {
        for (int flips = random.nextInt(1, 5); flips > 0 && mutant.length > 0; flips--) {
          mutant[random.nextInt(mutant.length)] ^= (byte) (1 << random.nextInt(8));
        }
      }
    }
    return mutant;
  }

  @ParameterizedTest
  @EnumSource(
      value = Operation.class,
      mode = EnumSource.Mode.EXCLUDE,
      names = {
        "ASSIGN",
        "REVOKE",
        "DELIVER",
        "END_OF_CHANNEL",
        "FENCE",
        "SESSION_END",
        "LIMIT",
        "SETTLED"
      })
  void every_mutant_gets_one_answer_and_the_connection_goes_on(Operation operation) {
    SplittableRandom random = new SplittableRandom(operation.code());
    try (RawClient client = RawClient.greeted(calm.server())) {
      for (int round = 0; round < ROUNDS; round++) {
        byte[] mutant = mutated(valid.get(operation), random);
        Frame answer = client.ask(operation.code(), mutant);
        if (answer.kind() == FrameKind.ERROR) {
          ErrorPayload error = RawClient.errorOf(answer);
          assertThat(error.message()).as("round %d", round).isNotBlank();
        }
      }
      client.requireOpen();
    }
  }

  @Test
  void credit_that_cannot_be_read_ends_its_connection_alone() {
    SplittableRandom random = new SplittableRandom(55);
    for (int round = 0; round < ROUNDS; round++) {
      try (RawClient client = RawClient.greeted(calm.server())) {
        client.push(Operation.CREDIT, mutated(valid.get(Operation.CREDIT), random));
        client.send(
            RawClient.bytesOf(Operation.LIST_TABLES.code(), FrameKind.REQUEST, 3, new byte[0]));
        Frame answer = client.receive().orElseThrow();
        if (answer.kind() == FrameKind.ERROR) {
          assertThat(RawClient.errorOf(answer).message()).contains("credit");
          assertThat(client.receive()).as("round %d", round).isEmpty();
        } else {
          assertThat(answer.correlationId()).isEqualTo(3);
        }
      }
    }
  }
}
