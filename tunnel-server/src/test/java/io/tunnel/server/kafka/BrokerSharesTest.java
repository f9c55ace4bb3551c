package io.tunnel.server.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** Room of a buffer of 2,000 bytes, of which half is shared, in batches of 100. */
final class BrokerSharesTest {

  private final BrokerShares shares = new BrokerShares(new BrokerShares.Buffer(2_000, 100));

  @Test
  void anAppendTakesABatchMoreThanItsBytes() {
    assertThat(shares.room(1)).isEqualTo(101);
    assertThat(shares.room(1_000)).isEqualTo(1_100);
  }

  @Test
  void brokersHaveEqualSharesAndNoneHasAByteMore() {
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
  void whoHasNothingMayHaveOneAppendHoweverLargeItIs() {
    assertThat(shares.take(1, 1_000)).isTrue();
    assertThat(shares.take(2, 5_000)).isTrue();
    assertThat(shares.take(2, 1)).isFalse();
  }

  @Test
  void theBufferIsTheProducersAlsoWhereItsSettingsAreChosen() {
    KafkaConfig plain = new KafkaConfig("a:1", "c");
    assertThat(ClientSettings.buffer(new ClientSettings(plain).appender(5)))
        .isEqualTo(new BrokerShares.Buffer(32 << 20, 256 << 10));
    assertThat(ClientSettings.buffer(new ClientSettings(plain).promptAppender()))
        .isEqualTo(new BrokerShares.Buffer(32 << 20, 32 << 10));
    KafkaConfig chosen =
        new KafkaConfig(
            plain.bootstrap(),
            plain.cluster(),
            plain.replicas(),
            plain.times(),
            plain.compression(),
            Map.of("buffer.memory", "1000000", "batch.size", "1000"));
    assertThat(ClientSettings.buffer(new ClientSettings(chosen).promptAppender()))
        .isEqualTo(new BrokerShares.Buffer(1_000_000, 1_000));
  }
}
