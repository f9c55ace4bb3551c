package io.tunnel.kafka.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Properties;
import org.apache.kafka.streams.StreamsConfig;
import org.junit.jupiter.api.Test;

class FollowedTopicTest {

  private final Properties settings =
      new TableSettings("127.0.0.1:1", Path.of("state"), 2).of("program");

  @Test
  void a_topic_goes_into_a_store_and_nowhere_else() {
    String topology = FollowedTopic.topology("t1", settings).describe().toString();
    assertThat(topology).contains("topics: [t1]", "stores: [rows]").doesNotContain("Sink");
  }

  @Test
  void what_a_user_would_not_touch_has_its_default() {
    StreamsConfig config = new StreamsConfig(settings);
    assertThat(config.getLong(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG)).isEqualTo(30_000);
    assertThat(config.getLong(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG)).isEqualTo(10 << 20);
    assertThat(config.getString(StreamsConfig.PROCESSING_GUARANTEE_CONFIG))
        .isEqualTo(StreamsConfig.AT_LEAST_ONCE);
    assertThat(config.getInt(StreamsConfig.NUM_STREAM_THREADS_CONFIG)).isEqualTo(2);
  }
}
