package io.tunnel.server.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.console.SessionsCore.Session;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class SessionsCoreTest {

  private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);

  private final SessionsCore sessions = new SessionsCore();

  private static Session of(String principal) {
    return new Session(principal, Bytes.EMPTY);
  }

  @Test
  void a_session_ends_half_an_hour_after_its_last_request() {
    sessions.open("s", of("ada"), 0);
    assertThat(sessions.use("s", 29 * MINUTE)).contains(of("ada"));
    assertThat(sessions.use("s", 58 * MINUTE)).contains(of("ada"));
    assertThat(sessions.use("s", 88 * MINUTE)).isEmpty();
    assertThat(sessions.use("s", 58 * MINUTE)).as("it does not come back").isEmpty();
  }

  @Test
  void a_session_ends_twelve_hours_after_its_log_in_however_busy_it_is() {
    sessions.open("s", of("ada"), 0);
    for (long minute = 20; minute < 12 * 60; minute += 20) {
      assertThat(sessions.use("s", minute * MINUTE)).as("minute %d", minute).isPresent();
    }
    assertThat(sessions.use("s", 12 * 60 * MINUTE)).isEmpty();
  }

  @Test
  void one_principal_ends_only_sessions_of_its_own() {
    sessions.open("bob's", of("bob"), 0);
    for (int i = 0; i < 10_000; i++) {
      sessions.open("ada's " + i, of("ada"), i);
    }
    assertThat(sessions.count("ada")).isEqualTo(SessionsCore.OF_PRINCIPAL_MAX);
    assertThat(sessions.use("ada's 9999", 10_000)).isPresent();
    assertThat(sessions.use("ada's 0", 10_000)).isEmpty();
    assertThat(sessions.use("bob's", 10_000)).isPresent();
  }

  @Test
  void the_principal_with_the_most_sessions_gives_a_place() {
    int principals = SessionsCore.SESSIONS_MAX / SessionsCore.OF_PRINCIPAL_MAX;
    for (int i = 0; i < principals; i++) {
      for (int k = 0; k < SessionsCore.OF_PRINCIPAL_MAX - (i == 0 ? 1 : 0); k++) {
        sessions.open(i + "/" + k, of("p" + i), 0);
      }
    }
    sessions.open("single", of("single"), 0);
    sessions.open("late", of("late"), 0);
    assertThat(sessions.count()).isEqualTo(SessionsCore.SESSIONS_MAX);
    assertThat(sessions.use("late", 0)).isPresent();
    assertThat(sessions.count("single")).isEqualTo(1);
    assertThat(sessions.count("p0")).as("not one with the most").isEqualTo(15);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void whatever_comes_the_bounds_hold_and_nobody_gets_the_session_of_another(long seed) {
    Random random = new Random(seed);
    Map<String, String> owners = new HashMap<>();
    long now = random.nextLong();
    for (int step = 0; step < 5_000; step++) {
      now += (long) (random.nextDouble() * MINUTE);
      String id = "s" + random.nextInt(600);
      switch (random.nextInt(4)) {
        case 0 -> sessions.end(id);
        case 1 -> {
          String fresh = "s" + step;
          if (!owners.containsKey(fresh)) {
            owners.put(fresh, "p" + random.nextInt(1 + random.nextInt(40)));
            sessions.open(fresh, of(owners.get(fresh)), now);
          }
        }
        default -> {
          String asked = id;
          sessions
              .use(asked, now)
              .ifPresent(found -> assertThat(found.principal()).isEqualTo(owners.get(asked)));
        }
      }
      assertThat(sessions.count()).isLessThanOrEqualTo(SessionsCore.SESSIONS_MAX);
      for (int principal = 0; principal < 40; principal++) {
        assertThat(sessions.count("p" + principal))
            .as("seed %d, step %d", seed, step)
            .isLessThanOrEqualTo(SessionsCore.OF_PRINCIPAL_MAX);
      }
    }
  }
}
