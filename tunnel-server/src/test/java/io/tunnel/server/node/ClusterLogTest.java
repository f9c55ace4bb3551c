package io.tunnel.server.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

class ClusterLogTest {

  @Test
  void a_start_without_kafka_says_what_was_asked_and_why_there_is_no_answer() {
    TimeoutException silence = new TimeoutException();
    assertThat(ClusterLog.unreachable("h:1", "tell its cluster id", silence))
        .hasMessage(
            "Kafka at h:1 did not tell its cluster id within 60 s; is it running, and is"
                + " --bootstrap right? (no answer)")
        .hasCause(silence);
    assertThat(ClusterLog.unreachable("h:1", "read the catalog", new IOException("no leader")))
        .hasMessageEndingWith("(no leader)");
  }
}
