package io.tunnel.it.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.it.ledger.TestTable;
import io.tunnel.it.process.RawClient;
import io.tunnel.it.process.Stage;
import io.tunnel.programs.torture.hostile.Mutants;
import io.tunnel.programs.torture.hostile.Named;
import io.tunnel.programs.torture.hostile.Payloads;
import io.tunnel.sdk.table.TableInfo;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Operation;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Payloads of every operation with some bits wrong, from a seed. */
@Tag("proof-hostile")
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
    TableInfo table = plan.create(STAGE.tables(calm.server()));
    Named victim =
        new Named(
            TABLE,
            "audit",
            table.tableId(),
            table.partitions().get(0).id(),
            plan.createTunnel(STAGE.tunnels(calm.server()), "audit"),
            "1-1",
            1,
            1,
            "tk0",
            "tt0",
            "mallory");
    Map<Operation, byte[]> payloads = new EnumMap<>(Operation.class);
    for (Operation operation : Operation.values()) {
      Payloads.of(operation, victim).ifPresent(payload -> payloads.put(operation, payload));
    }
    return payloads;
  }

  @Test
  void every_operation_that_a_client_asks_for_has_a_valid_payload() {
    Set<Operation> missing = EnumSet.allOf(Operation.class);
    missing.removeAll(valid.keySet());
    missing.removeIf(operation -> operation.right() == Operation.Right.SERVER);
    // Pushed by both sides, and never answered.
    missing.removeAll(EnumSet.of(Operation.LIMIT, Operation.RENEW));
    assertThat(missing).as("operations without a payload in this test").isEmpty();
  }

  @ParameterizedTest
  @EnumSource(
      value = Operation.class,
      mode = EnumSource.Mode.EXCLUDE,
      names = {
        "LOOK",
        "ASSIGN",
        "REVOKE",
        "DELIVER",
        "END_OF_CHANNEL",
        "FENCE",
        "SESSION_END",
        "LIMIT",
        "RENEW",
        "SETTLED"
      })
  void every_mutant_gets_one_answer_and_the_connection_goes_on(Operation operation) {
    SplittableRandom random = new SplittableRandom(operation.code());
    try (RawClient client = RawClient.greeted(calm.server())) {
      for (int round = 0; round < ROUNDS; round++) {
        byte[] mutant = Mutants.of(valid.get(operation), random);
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
        client.push(Operation.CREDIT, Mutants.of(valid.get(Operation.CREDIT), random));
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
