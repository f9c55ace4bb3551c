package io.tunnel.server.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.ChannelGrants.Granted;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ChannelGrantsTest {

  private static final Bytes KEY = Bytes.fromHex("00112233445566778899aabbccddeeff");

  private final ChannelGrants grants = new ChannelGrants();

  @Test
  void without_a_key_nothing_is_granted_and_nothing_is_right() {
    assertThat(grants.areGiven()).isFalse();
    assertThat(grants.of(granted("1_t", 1, 5), "sync")).isEmpty();
    assertThat(grants.isOf(granted("1_t", 1, 5), Bytes.EMPTY)).isFalse();
    grants.apply(Map.of("grants", Optional.empty(), "counters", Optional.of("{}")));
    assertThat(grants.areGiven()).isFalse();
  }

  @Test
  void a_grant_is_of_one_channel_under_one_epoch() {
    grants.apply(ChannelGrants.noting(KEY));
    Bytes grant = grants.of(granted("1_t", 1, 5), "sync").orElseThrow();
    assertThat(grants.isOf(granted("1_t", 1, 5), grant)).isTrue();
    assertThat(grants.isOf(granted("1_u", 1, 5), grant)).isFalse();
    assertThat(grants.isOf(granted("1_t", 2, 5), grant)).isFalse();
    assertThat(grants.isOf(granted("1_t", 1, 6), grant)).isFalse();
    assertThat(grants.isOf(granted("1_t", 1, 5), Bytes.EMPTY)).isFalse();
    assertThat(grants.isOf(granted("1_t", 1, 5), Bytes.fromHex(grant.toString().substring(2))))
        .isFalse();
    ChannelGrants others = new ChannelGrants();
    others.apply(ChannelGrants.noting(Bytes.fromHex("01")));
    assertThat(others.isOf(granted("1_t", 1, 5), grant)).as("of another cluster").isFalse();
  }

  /** Nodes of two versions have to agree. */
  @Test
  void the_key_and_the_grant_are_these_bytes() {
    assertThat(ChannelGrants.noting(KEY))
        .isEqualTo(Map.of("grants", Optional.of("{\"key\":\"" + KEY + "\"}")));
    grants.apply(ChannelGrants.noting(KEY));
    assertThat(grants.of(granted("1_t1-x", 7, 42), "sync").orElseThrow().toString())
        .isEqualTo("dfa5fb90e19e84af3c1ffdc7ca4f94ac");
  }

  private static Granted granted(String channelId, int partition, long epoch) {
    return new Granted(channelId, partition, epoch, "");
  }

  @Test
  void a_grant_for_one_holder_is_nobody_elses() {
    grants.apply(ChannelGrants.noting(KEY));
    Bytes grant = grants.of(new Granted("1_t", 1, 5, "ada"), "sync").orElseThrow();
    assertThat(grants.isOf(new Granted("1_t", 1, 5, "ada"), grant)).isTrue();
    assertThat(grants.isOf(new Granted("1_t", 1, 5, "bob"), grant)).isFalse();
    assertThat(grants.isOf(granted("1_t", 1, 5), grant)).isFalse();
  }

  @Test
  void a_grant_for_a_holder_says_the_tunnel_that_it_is_for() {
    grants.apply(ChannelGrants.noting(KEY));
    Granted ada = new Granted("1_t", 1, 5, "ada");
    Bytes grant = grants.of(ada, "sync").orElseThrow();
    assertThat(ChannelGrants.tunnelOf(grant)).contains("sync");
    Bytes forged = Bytes.fromHex(grant.toString().replaceFirst("..$", "64"));
    assertThat(ChannelGrants.tunnelOf(forged)).contains("synd");
    assertThat(grants.isOf(ada, forged)).isFalse();
    Bytes cut = Bytes.copyOf(grant.toByteArray(), 0, 16);
    assertThat(ChannelGrants.tunnelOf(cut)).isEmpty();
    assertThat(grants.isOf(ada, cut)).isFalse();
    assertThat(ChannelGrants.tunnelOf(grants.of(granted("1_t", 1, 5), "sync").orElseThrow()))
        .as("where nobody is asked who they are")
        .isEmpty();
  }
}
