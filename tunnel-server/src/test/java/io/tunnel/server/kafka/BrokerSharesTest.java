package io.tunnel.server.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** Room of a buffer of 2,000 bytes, of which half is shared, in batches of 100. */
final class BrokerSharesTest {

  private final BrokerShares shares = new BrokerShares(new BrokerShares.Buffer(2_000, 100));

  @Test
  void an_append_takes_a_batch_more_than_its_bytes() {
    assertThat(shares.room(1)).isEqualTo(101);
    assertThat(shares.room(1_000)).isEqualTo(1_100);
  }

  @Test
  void brokers_have_equal_shares_and_none_has_a_byte_more() {
    assertThat(shares.take(1, 100)).isTrue();
    assertThat(shares.take(2, 500)).isTrue();
    assertThat(shares.take(1, 400)).isTrue();
    assertThat(shares.take(1, 1)).isFalse();
    assertThat(shares.take(2, 1)).isFalse();
    shares.giveBack(1, 100);
    assertThat(shares.take(1, 100)).isTrue();
    assertThat(shares.take(1, 1)).isFalse();
  }

  @Test
  void who_has_nothing_may_have_one_append_however_large_it_is() {
    assertThat(shares.take(1, 1_000)).isTrue();
    assertThat(shares.take(2, 5_000)).isTrue();
    assertThat(shares.take(2, 1)).isFalse();
  }

  @Test
  void the_buffer_is_the_producers_also_where_its_settings_are_chosen() {
    KafkaConfig plain = new KafkaConfig("a:1", "c");
    assertThat(ClientSettings.buffer(new ClientSettings(plain).producer()))
        .isEqualTo(new BrokerShares.Buffer(32 << 20, 256 << 10));
    assertThat(ClientSettings.buffer(new ClientSettings(plain).appender()))
        .isEqualTo(new BrokerShares.Buffer(32 << 20, 32 << 10));
    KafkaConfig chosen =
        new KafkaConfig(
            plain.bootstrap(),
            plain.cluster(),
            plain.replicas(),
            plain.times(),
            plain.compression(),
            Map.of("buffer.memory", "1000000", "batch.size", "1000"));
    assertThat(ClientSettings.buffer(new ClientSettings(chosen).appender()))
        .isEqualTo(new BrokerShares.Buffer(1_000_000, 1_000));
  }
}
