package io.tunnel.it.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.it.ledger.Counters;
import io.tunnel.it.process.FrameProxy;
import io.tunnel.it.process.ServerProcess;
import io.tunnel.it.process.Stage;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TableWriterConfig;
import io.tunnel.sdk.TunnelClient;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Counters behind a proxy that swallows one answer in twenty, with its connection: each counter is
 * the sum of what was acknowledged, and of the deltas in the stream. Each increment returns its own
 * result, also where the answer that the client has is that to a repetition.
 */
class LostAnswersTest {

  private static final int PARTITIONS = 4;
  private static final int SWALLOWED_ONE_IN = 20;

  @RegisterExtension final Stage stage = new Stage();

  @Test
  void a_counter_is_the_sum_of_what_was_acknowledged() {
    requireSums(4_000);
  }

  @Test
  @Tag("proof-service")
  void a_counter_is_the_sum_of_what_was_acknowledged_of_a_hundred_thousand() {
    requireSums(100_000);
  }

  private void requireSums(int increments) {
    ServerProcess server = stage.server();
    Counters counters = new Counters("counters", PARTITIONS).returning();
    TableClient direct = stage.tables(server);
    var unused = counters.table().create(direct);
    TunnelClient tunnels = stage.tunnels(server);
    String tunnelId = counters.table().createTunnel(tunnels, "sums");
    AnswerSwallower swallower = new AnswerSwallower(SWALLOWED_ONE_IN);
    FrameProxy proxy = stage.closing(new FrameProxy(server.port(), swallower));
    TableWriterConfig small =
        TableWriterConfig.DEFAULTS.withBatchBytesMax(1_500).withBufferBytesMax(20_000);
    int written =
        counters.write(ClientConfig.of(proxy.endpoint()), small, count -> count < increments);
    assertThat(swallower.swallowed()).isGreaterThan(increments / 5_000);
    counters.requireSums(written, direct, tunnels, tunnelId);
    assertThat(counters.returned()).as("repeated batches return what they did").isEqualTo(written);
  }
}
