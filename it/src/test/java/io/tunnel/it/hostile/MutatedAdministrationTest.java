package io.tunnel.it.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.it.process.ServerProcess;
import io.tunnel.it.process.Stage;
import io.tunnel.model.ErrorCode;
import io.tunnel.programs.torture.hostile.Mutants;
import io.tunnel.programs.torture.hostile.Payloads;
import io.tunnel.programs.torture.hostile.RawConnection;
import io.tunnel.programs.torture.hostile.Scene;
import io.tunnel.programs.torture.hostile.Target;
import io.tunnel.sdk.security.AccessKey;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Operation;
import java.io.IOException;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Requests of an administrator with some bits wrong, of whom nothing is refused for want of rights.
 */
@Tag("proof-hostile")
class MutatedAdministrationTest {

  private static final int ROUNDS = 25;

  /** A node that is drained gives its clients away, and this is the only one. */
  private static final Set<Operation> LEFT_OUT = EnumSet.of(Operation.DRAIN_NODE, Operation.CREDIT);

  @RegisterExtension static final Stage STAGE = new Stage();

  private static CalmServer calm;
  private static Scene scene;
  private static AccessKey administrator;

  @BeforeAll
  static void begin() {
    ServerProcess server = STAGE.closedServer();
    calm = new CalmServer(STAGE, server);
    Target target = new Target(server.port(), OptionalInt.of(server.httpPort()), true);
    scene = Scene.make(target, server.client(), "_1");
    administrator = server.client().security().key().orElseThrow();
  }

  @AfterAll
  static void end() {
    calm.requireHealthy();
    calm.requireUndisturbed();
  }

  static Stream<Operation> asked() {
    return Arrays.stream(Operation.values())
        .filter(operation -> Payloads.of(operation, scene.victim()).isPresent())
        .filter(operation -> !LEFT_OUT.contains(operation));
  }

  @ParameterizedTest
  @MethodSource("asked")
  void every_mutant_gets_one_answer_and_the_connection_goes_on(Operation operation)
      throws IOException {
    SplittableRandom random = new SplittableRandom(operation.code());
    byte[] valid = Payloads.of(operation, scene.victim()).orElseThrow();
    try (RawConnection client = RawConnection.of(scene.target(), administrator)) {
      for (int round = 0; round < ROUNDS; round++) {
        Frame answer = client.ask(operation.code(), Mutants.of(valid, random));
        if (answer.kind() == FrameKind.ERROR) {
          ErrorPayload error = ErrorPayload.decode(answer.payload());
          assertThat(error.message()).as("round %d", round).isNotBlank();
          assertThat(error.code()).as(error.message()).isNotEqualTo(ErrorCode.INTERNAL);
        }
      }
      assertThat(client.request(Operation.LIST_TABLES, new byte[0])).isNotEmpty();
    }
  }
}
