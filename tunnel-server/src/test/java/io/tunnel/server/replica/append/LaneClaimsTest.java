package io.tunnel.server.replica.append;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When a node claims. */
final class LaneClaimsTest {

  private final LaneClaims claims = new LaneClaims(50, 400);

  /** The moments up to {@code end} at which a claim is due that leads to nothing. */
  private List<Long> claimsUntil(long from, long end) {
    List<Long> due = new ArrayList<>();
    for (long now = from; now <= end; now++) {
      if (claims.take(now)) {
        due.add(now);
      }
    }
    return due;
  }

  @Test
  void the_first_claim_is_due_at_once_and_pauses_double() {
    assertThat(claimsUntil(0, 100)).isEmpty();
    claims.want(100);
    assertThat(claimsUntil(100, 1_800))
        .containsExactly(100L, 150L, 250L, 450L, 850L, 1_250L, 1_650L);
  }

  @Test
  void to_want_again_shortens_no_pause() {
    claims.want(0);
    assertThat(claimsUntil(0, 60)).containsExactly(0L, 50L);
    claims.want(61);
    assertThat(claimsUntil(61, 200)).containsExactly(150L);
  }

  @Test
  void a_lead_of_long_that_was_lost_is_claimed_at_once() {
    claims.want(0);
    assertThat(claimsUntil(0, 500)).containsExactly(0L, 50L, 150L, 350L);
    claims.leads(750);
    assertThat(claimsUntil(750, 850)).containsExactly(750L, 800L);
  }

  @Test
  void two_nodes_that_both_want_to_lead_take_ever_longer_turns() {
    LaneClaims other = new LaneClaims(50, 400);
    claims.want(0);
    other.want(0);
    List<Long> turns = new ArrayList<>();
    LaneClaims leading = other;
    for (long now = 0; now < 2_000; now++) {
      leading.leads(now);
      LaneClaims follows = leading == claims ? other : claims;
      if (follows.take(now)) {
        turns.add(now);
        leading = follows;
      }
    }
    assertThat(turns).startsWith(0L, 1L, 50L, 51L).hasSizeLessThan(20);
  }

  @Test
  void nobody_claims_who_does_not_want_to_lead() {
    claims.want(0);
    claims.stop();
    assertThat(claims.isWanted()).isFalse();
    assertThat(claimsUntil(0, 1_000)).isEmpty();
    claims.want(1_001);
    assertThat(claimsUntil(1_001, 1_010)).containsExactly(1_001L);
  }

  @Test
  void moments_may_be_around_the_end_of_the_clock() {
    claims.want(Long.MAX_VALUE - 10);
    assertThat(claims.take(Long.MAX_VALUE - 10)).isTrue();
    assertThat(claims.take(Long.MIN_VALUE + 30)).isFalse();
    assertThat(claims.take(Long.MIN_VALUE + 39)).isTrue();
  }
}
