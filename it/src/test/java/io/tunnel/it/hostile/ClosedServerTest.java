package io.tunnel.it.hostile;

import io.tunnel.it.process.ServerProcess;
import io.tunnel.it.process.Stage;
import io.tunnel.programs.torture.hostile.Attack;
import io.tunnel.programs.torture.hostile.HoleException;
import io.tunnel.programs.torture.hostile.Scene;
import io.tunnel.programs.torture.hostile.Target;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Strangers, and principals without rights, try their requests on a server that asks clients for a
 * key.
 */
@Tag("proof-hostile")
class ClosedServerTest {

  private static final int ROUNDS = 15;

  /** At once, because each is kept for up to 5 s. */
  private static final int WAITING = 4;

  @RegisterExtension static final Stage STAGE = new Stage();

  private static CalmServer calm;
  private static Scene scene;

  @BeforeAll
  static void begin() {
    ServerProcess server = STAGE.closedServer();
    calm = new CalmServer(STAGE, server);
    Target target = new Target(server.port(), OptionalInt.of(server.httpPort()), true);
    scene = Scene.make(target, server.client(), "_1");
  }

  @AfterAll
  static void end() {
    calm.requireHealthy();
    calm.requireUndisturbed();
  }

  static Stream<Attack> quick() {
    return Arrays.stream(Attack.values()).filter(attack -> !attack.isOfSeconds());
  }

  private static void attack(Attack attack, int rounds, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int round = 0; round < rounds; round++) {
      try {
        attack.attempt(scene, random);
      } catch (HoleException | IOException e) {
        throw new AssertionError(attack + ", round " + round + " of seed " + seed + ": " + e, e);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("quick")
  void nothing_is_obtained(Attack attack) {
    attack(attack, ROUNDS, attack.name().hashCode());
    calm.requireHealthy();
  }

  @Test
  void nothing_is_obtained_by_those_whom_the_server_keeps_waiting() {
    List<CompletableFuture<Void>> attempts = new ArrayList<>();
    for (Attack attack : Attack.values()) {
      for (int i = 0; attack.isOfSeconds() && i < WAITING; i++) {
        long seed = i;
        attempts.add(
            CompletableFuture.runAsync(
                () -> attack(attack, 1, seed), task -> new Thread(task, "waiting").start()));
      }
    }
    calm.requireHealthy();
    attempts.forEach(CompletableFuture::join);
    calm.requireHealthy();
  }
}
