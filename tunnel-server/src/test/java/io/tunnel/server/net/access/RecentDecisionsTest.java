package io.tunnel.server.net.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.server.security.Permissions;
import io.tunnel.server.security.Principal;
import io.tunnel.wire.Operation.Right;
import java.io.IOException;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class RecentDecisionsTest {

  private static final List<String> TABLES = List.of("orders", "orders2", "o", "payments");
  private static final List<String> TUNNELS = List.of("billing", "audit");
  private static final List<Right> RIGHTS =
      List.of(Right.READ, Right.WRITE, Right.CONSUME, Right.OPERATE, Right.SEE);
  private static final List<String> RESOURCES =
      List.of("table:orders", "table:o*", "tunnel:orders/*", "tunnel:o*", "cluster");

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void a_caller_who_was_told_before_is_told_what_is_so_now(long seed) throws IOException {
    SplittableRandom random = new SplittableRandom(seed);
    TestGate at = new TestGate();
    List<String> callers = List.of("ann", "CN=bob");
    List<Caller> known = callers.stream().map(at::caller).toList();
    int granted = 0;
    for (int round = 0; round < 3_000; round++) {
      int who = random.nextInt(callers.size());
      if (random.nextInt(10) == 0) {
        change(at, callers.get(who), random);
      }
      Permissions now = at.gate.rights().permissions();
      Principal principal = new Principal(callers.get(who));
      Caller caller = known.get(who);
      String table = TABLES.get(random.nextInt(TABLES.size()));
      String tunnel = TUNNELS.get(random.nextInt(TUNNELS.size()));
      Right right = RIGHTS.get(random.nextInt(RIGHTS.size()));
      boolean may = now.allows(principal, right, table);
      assertThat(caller.may(right, table)).as("round %d", round).isEqualTo(may);
      assertThat(caller.may(right, table, tunnel))
          .isEqualTo(now.allowsTunnel(principal, right, table, tunnel));
      assertThat(caller.sees(table)).isEqualTo(now.seesTable(principal, table));
      assertThat(caller.sees(table, tunnel)).isEqualTo(now.seesTunnel(principal, table, tunnel));
      assertThat(caller.mayOnCluster(right)).isEqualTo(now.allowsCluster(principal, right));
      granted += may ? 1 : 0;
    }
    assertThat(granted).isBetween(100, 2_900);
  }

  private static void change(TestGate at, String subject, SplittableRandom random)
      throws IOException {
    String resource = RESOURCES.get(random.nextInt(RESOURCES.size()));
    String right =
        resource.startsWith("tunnel") ? "consume" : random.nextBoolean() ? "read" : "write";
    if (resource.equals("cluster")) {
      right = "read";
    }
    switch (random.nextInt(5)) {
      case 0 -> at.clear();
      case 1 -> at.deny(subject, resource, right);
      default -> at.allow(subject, resource, right);
    }
  }

  @Test
  void the_same_question_is_answered_once_and_again_after_a_change() throws IOException {
    TestGate at = new TestGate();
    AtomicInteger walks = new AtomicInteger();
    RecentDecisions recent = new RecentDecisions();
    for (int change = 1; change <= 3; change++) {
      at.allow("ann", "table:t" + change, "read");
      Permissions now = at.gate.rights().permissions();
      for (int i = 0; i < 5; i++) {
        RecentDecisions.Question question =
            new RecentDecisions.Question(
                RecentDecisions.About.TABLE, Right.READ, "or" + "ders".repeat(1), "");
        boolean unused =
            recent.decide(now, question, permissions -> walks.incrementAndGet() % 2 == 0);
      }
      assertThat(walks).hasValue(change);
    }
  }
}
