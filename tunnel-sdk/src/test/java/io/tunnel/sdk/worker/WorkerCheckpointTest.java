package io.tunnel.sdk.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.sdk.TunnelWorker;
import io.tunnel.sdk.TunnelWorkerConfig;
import io.tunnel.sdk.TunnelWorkerStatus.State;
import io.tunnel.sdk.fake.FakeTunnel;
import io.tunnel.sdk.fake.Waits;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Progress is stored when it should be. */
class WorkerCheckpointTest extends WorkerFixture {

  @Test
  void progress_is_checkpointed_on_an_interval_and_at_the_end() {
    FakeTunnel tunnel = new FakeTunnel(server, 2);
    RecordingProcessor processor = new RecordingProcessor();
    TunnelWorkerConfig config = config(processor);
    config.setCheckpointIntervalInMillis(30);
    TunnelWorker worker = start(config);
    tunnel.append(0, 10);
    Waits.until("the first checkpoint", () -> tunnel.checkpointed(0) == 10);
    tunnel.append(0, 10);
    Waits.until("the second checkpoint", () -> tunnel.checkpointed(0) == 20);
    Waits.until("they are counted", () -> worker.status().counters().checkpoints() >= 2);
    worker.shutdown();
    assertThat(processor.shutdowns).hasValue(1);

    RecordingProcessor second = new RecordingProcessor();
    TunnelWorker never = start(config(second));
    tunnel.append(0, 7);
    tunnel.append(1, 3);
    awaitPositions(second, 0, 7);
    awaitPositions(second, 1, 3);
    assertThat(second.positions(0)).startsWith(21L);
    assertThat(tunnel.checkpointed(0)).isEqualTo(20);
    never.shutdown();
    assertThat(tunnel.checkpointed(0)).isEqualTo(27);
    assertThat(tunnel.checkpointed(1)).isEqualTo(3);
    assertThat(tunnel.events()).endsWith("close").doesNotContain("release 0", "release 1");
    assertThat(tunnel.isHeld(0)).isFalse();
    assertThat(never.status().state()).isEqualTo(State.WORKER_ENDED);
  }

  @Test
  void processors_of_a_factory_checkpoint_by_themselves() {
    FakeTunnel tunnel = new FakeTunnel(server, 1);
    List<Throwable> refused = new ArrayList<>();
    List<String> made = new ArrayList<>();
    CountDownLatch done = new CountDownLatch(2);
    TunnelWorkerConfig config = config(null);
    config.setCheckpointIntervalInMillis(1);
    TunnelWorker worker =
        new TunnelWorker(
            "tunnel",
            client,
            config,
            (tunnelId, clientId, channelId, checkpointer) -> {
              made.add(tunnelId + " " + clientId + " " + channelId);
              return new RecordingProcessor(
                  input -> {
                    if (done.getCount() == 2) {
                      checkpointer.checkpoint(input.getNextToken());
                      for (String bad : List.of("", "x", "-1", "11", "9")) {
                        try {
                          checkpointer.checkpoint(bad);
                        } catch (IllegalArgumentException | RefusedException e) {
                          refused.add(e);
                        }
                      }
                    } else {
                      checkpointer.checkpoint("finished");
                    }
                    done.countDown();
                  });
            });
    workers.add(worker);
    worker.connectAndWorking();
    tunnel.append(0, 10);
    Waits.until("the first input is done", () -> done.getCount() == 1);
    assertThat(tunnel.checkpointed(0)).isEqualTo(10);
    tunnel.append(0, 5);
    Waits.await(done);
    Waits.until("everything is stored", () -> tunnel.checkpointed(0) == 15);
    assertThat(made).containsExactly("tunnel s1 p0_1");
    assertThat(refused).hasSize(5);
    assertThat(((RefusedException) refused.get(4)).code()).isEqualTo(ErrorCode.INVALID_CHECKPOINT);
    assertThat(worker.status().channels()).hasSize(1);
  }

  @Test
  void a_fenced_automatic_checkpoint_stops_the_channel() {
    FakeTunnel tunnel = new FakeTunnel(server, 1);
    RecordingProcessor processor = new RecordingProcessor();
    TunnelWorker worker = start(config(processor));
    tunnel.append(0, 10);
    awaitPositions(processor, 0, 10);
    tunnel.steal(0);
    worker.shutdown();
    assertThat(tunnel.events()).contains("fenced 0");
    assertThat(tunnel.checkpointed(0)).isZero();
    assertThat(worker.status().counters().fenced()).isEqualTo(1);
  }
}
