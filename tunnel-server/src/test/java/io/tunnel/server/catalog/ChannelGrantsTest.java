package io.tunnel.server.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.ChannelGrants.Granted;
import io.tunnel.server.catalog.ChannelGrants.Terms;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ChannelGrantsTest {

  private static final Bytes KEY = Bytes.fromHex("00112233445566778899aabbccddeeff");

  private static final Terms TERMS =
      new Terms("sync", 3, Optional.of(9L), Optional.empty(), 1_700_000_000_000L, 37_500);

  private final ChannelGrants grants = new ChannelGrants();

  @Test
  void without_a_key_nothing_is_granted_and_nothing_is_right() {
    grants.apply(Map.of("grants", Optional.empty(), "counters", Optional.of("{}")));
    assertThatIllegalStateException()
        .isThrownBy(() -> grants.of(granted("1_t", 1, 5), TERMS))
        .withMessageContaining("not read yet");
    Bytes grant = ChannelGrants.of(KEY).of(granted("1_t", 1, 5), TERMS);
    assertThatExceptionOfType(RefusedException.class)
        .isThrownBy(() -> grants.verified(granted("1_t", 1, 5), grant, any -> {}))
        .satisfies(refused -> assertThat(refused.code()).isEqualTo(ErrorCode.BUSY));
  }

  @Test
  void a_grant_is_of_one_channel_under_one_epoch() {
    grants.apply(ChannelGrants.noting(KEY));
    Bytes grant = grants.of(granted("1_t", 1, 5), TERMS);
    assertThat(grants.verified(granted("1_t", 1, 5), grant, any -> {})).contains(TERMS);
    assertThat(grants.verified(granted("1_u", 1, 5), grant, any -> {})).isEmpty();
    assertThat(grants.verified(granted("1_t", 2, 5), grant, any -> {})).isEmpty();
    assertThat(grants.verified(granted("1_t", 1, 6), grant, any -> {})).isEmpty();
    assertThat(grants.verified(granted("1_t", 1, 5), Bytes.EMPTY, any -> {})).isEmpty();
    assertThat(
            grants.verified(
                granted("1_t", 1, 5), Bytes.fromHex(grant.toString().substring(2)), any -> {}))
        .isEmpty();
    ChannelGrants others = new ChannelGrants();
    others.apply(ChannelGrants.noting(Bytes.fromHex("01")));
    assertThat(others.verified(granted("1_t", 1, 5), grant, any -> {}))
        .as("of another cluster")
        .isEmpty();
  }

  /** Nodes of two versions have to agree. */
  @Test
  void the_key_and_the_grant_are_these_bytes() {
    assertThat(ChannelGrants.noting(KEY))
        .isEqualTo(Map.of("grants", Optional.of("{\"key\":\"" + KEY + "\"}")));
    grants.apply(ChannelGrants.noting(KEY));
    assertThat(grants.of(granted("1_t1-x", 7, 42), TERMS).toString())
        .isEqualTo(
            "b0ba940f4b897ccaa5ac5483a27d6d3c"
                + "01"
                + "0000000000000003"
                + "0000000000000009"
                + "8000000000000000"
                + "0000018bcfe56800"
                + "000000000000927c"
                + "0004"
                + "73796e63");
  }

  @Test
  void a_grant_with_a_term_that_is_unknown_is_refused_by_name() {
    grants.apply(ChannelGrants.noting(KEY));
    Granted ada = new Granted("1_t", 1, 5, "ada");
    Bytes grant = grants.of(ada, TERMS);
    assertThat(NewerGrants.with(KEY, ada, grant, Bytes.EMPTY)).isEqualTo(grant);
    Map<String, String> refused =
        Map.of(
            "010101", "attribute 1 (filter) of a grant",
            "e8070101", "attribute 1000 of a grant",
            "01", "at byte");
    refused.forEach(
        (further, why) -> {
          Bytes newer = NewerGrants.with(KEY, ada, grant, Bytes.fromHex(further));
          assertThatThrownBy(() -> grants.verified(ada, newer, any -> {}))
              .isInstanceOf(RefusedException.class)
              .hasMessageContaining(why);
          assertThat(ChannelGrants.tunnelOf(newer)).isEmpty();
          assertThat(grants.verified(new Granted("1_t", 1, 6, "ada"), newer, any -> {})).isEmpty();
        });
    Bytes form = NewerGrants.of(KEY, ada, Bytes.fromHex("02"));
    assertThatThrownBy(() -> grants.verified(ada, form, any -> {}))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("a grant of form 2, which this build does not know")
        .hasMessageContaining("upgrade this one");
  }

  @Test
  void a_grant_with_a_term_that_the_level_does_not_enable_is_refused() {
    grants.apply(ChannelGrants.noting(KEY));
    Granted ada = new Granted("1_t", 1, 5, "ada");
    Bytes newer = NewerGrants.with(KEY, ada, grants.of(ada, TERMS), Bytes.fromHex("010101"));
    assertThatExceptionOfType(RefusedException.class)
        .isThrownBy(
            () ->
                grants.verified(
                    ada,
                    newer,
                    feature -> {
                      throw new RefusedException(
                          ErrorCode.FEATURE_NOT_ENABLED, "not " + feature.label());
                    }))
        .withMessage("not filter");
    assertThatExceptionOfType(RefusedException.class)
        .isThrownBy(() -> grants.verified(ada, newer, any -> {}))
        .extracting(RefusedException::code)
        .isEqualTo(ErrorCode.FEATURE_NOT_ENABLED);
  }

  private static Granted granted(String channelId, int partition, long epoch) {
    return new Granted(channelId, partition, epoch, "");
  }

  @Test
  void a_grant_for_one_holder_is_nobody_elses() {
    grants.apply(ChannelGrants.noting(KEY));
    Bytes grant = grants.of(new Granted("1_t", 1, 5, "ada"), TERMS);
    assertThat(grants.verified(new Granted("1_t", 1, 5, "ada"), grant, any -> {})).contains(TERMS);
    assertThat(grants.verified(new Granted("1_t", 1, 5, "bob"), grant, any -> {})).isEmpty();
    assertThat(grants.verified(granted("1_t", 1, 5), grant, any -> {})).isEmpty();
  }

  @Test
  void a_grant_says_the_tunnel_that_it_is_for() {
    grants.apply(ChannelGrants.noting(KEY));
    Granted ada = new Granted("1_t", 1, 5, "ada");
    Bytes grant = grants.of(ada, TERMS);
    assertThat(ChannelGrants.tunnelOf(grant)).contains("sync");
    assertThat(ChannelGrants.tunnelOf(Bytes.EMPTY)).isEmpty();
  }

  @Test
  void a_grant_that_is_changed_anywhere_or_cut_anywhere_grants_nothing() {
    grants.apply(ChannelGrants.noting(KEY));
    Granted ada = new Granted("1_t", 1, 5, "ada");
    byte[] grant = grants.of(ada, TERMS).toByteArray();
    for (int i = 0; i < grant.length; i++) {
      byte[] forged = grant.clone();
      forged[i] ^= 1;
      assertThat(grants.verified(ada, Bytes.copyOf(forged), any -> {})).as("byte %d", i).isEmpty();
      assertThat(grants.verified(ada, Bytes.copyOf(grant, 0, i), any -> {}))
          .as("%d bytes", i)
          .isEmpty();
    }
  }

  @Test
  void every_term_is_read_as_it_was_made() {
    grants.apply(ChannelGrants.noting(KEY));
    for (Terms terms :
        List.of(
            new Terms("ü", 0, Optional.empty(), Optional.of(-1L), Long.MAX_VALUE, 1),
            new Terms("", Long.MAX_VALUE, Optional.of(0L), Optional.empty(), -1, 4_500_000))) {
      Bytes grant = grants.of(granted("1_t", 1, 5), terms);
      assertThat(grants.verified(granted("1_t", 1, 5), grant, any -> {})).contains(terms);
    }
  }
}
