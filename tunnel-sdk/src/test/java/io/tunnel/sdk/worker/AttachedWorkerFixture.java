package io.tunnel.sdk.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.ChannelType;
import io.tunnel.sdk.TunnelClient;
import io.tunnel.sdk.TunnelWorker;
import io.tunnel.sdk.TunnelWorkerConfig;
import io.tunnel.sdk.fake.FakeLeaders;
import io.tunnel.sdk.fake.Waits;
import io.tunnel.sdk.processor.ITunnelWorkerListener;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;

/** A worker to which the leaders of partitions deliver. */
abstract class AttachedWorkerFixture {

  static final int CREDIT = 4_096;

  FakeLeaders cluster;
  TunnelClient client;
  TunnelWorker worker;
  int creditBytes = CREDIT;
  long bufferBytes = 64 << 20;
  final List<String> heard = new CopyOnWriteArrayList<>();

  @AfterEach
  void close() {
    if (worker != null) {
      worker.shutdown();
    }
    client.close();
    cluster.close();
    assertThat(cluster.failures()).isEmpty();
  }

  void start(FakeLeaders leaders, RecordingProcessor processor) {
    start(leaders, processor, 3_600_000);
  }

  void start(FakeLeaders leaders, RecordingProcessor processor, long checkpointMs) {
    cluster = leaders;
    client = new TunnelClient(leaders.config().withRetryDeadline(Duration.ofSeconds(5)));
    TunnelWorkerConfig config = WorkerFixture.config(processor);
    config.setCheckpointIntervalInMillis(checkpointMs);
    config.setChannelCreditBytes(creditBytes);
    config.setBufferBytesMax(bufferBytes);
    config.setListener(
        new ITunnelWorkerListener() {
          @Override
          public void channelClosed(String channelId, CloseReason why) {
            heard.add(channelId + " " + why);
          }

          @Override
          public void channelStopped(String channelId, Throwable error) {
            heard.add(channelId + " stopped: " + error.getMessage());
          }
        });
    worker = new TunnelWorker("tunnel", client, config);
    worker.connectAndWorking();
  }

  static FakeLeaders streams(int nodes, int... leaders) {
    return new FakeLeaders(nodes, ChannelType.Stream, leaders);
  }

  void awaitAll(RecordingProcessor processor, int channel) {
    Waits.until(
        "all changes of channel " + channel,
        () -> processor.positions(channel).size() >= cluster.positions(channel).size());
    assertThat(processor.positions(channel)).isEqualTo(cluster.positions(channel));
  }

  void awaitEvent(String event) {
    Waits.until(event, () -> cluster.events().contains(event));
  }

  long count(String event) {
    return cluster.events().stream().filter(event::equals).count();
  }
}
