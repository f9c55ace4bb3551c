package io.tunnel.sdk.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.ErrorCode;
import io.tunnel.sdk.TunnelWorker;
import io.tunnel.sdk.TunnelWorkerConfig;
import io.tunnel.sdk.TunnelWorkerStatus.State;
import io.tunnel.sdk.fake.FakeTunnel;
import io.tunnel.sdk.fake.Waits;
import io.tunnel.sdk.processor.FailurePolicy;
import io.tunnel.sdk.processor.IChannelProcessor;
import io.tunnel.sdk.processor.ICheckpointer;
import io.tunnel.sdk.processor.ITunnelWorkerListener;
import io.tunnel.sdk.processor.ProcessRecordsInput;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Misbehaving user code costs its own channel, and no other channel. */
class WorkerMisuseTest extends WorkerFixture {

  private static final class Unspeakable extends RuntimeException {
    private static final long serialVersionUID = 1L;

    @Override
    public String getMessage() {
      throw new AssertionError("there is no message");
    }
  }

  private static RecordingProcessor throwing(Supplier<? extends RuntimeException> failure) {
    return new RecordingProcessor(
        input -> {
          if (input.getPartitionId().equals("p0")) {
            throw failure.get();
          }
        });
  }

  @Test
  void a_policy_that_throws_what_it_was_given_stops_the_channel_with_that() {
    FakeTunnel tunnel = new FakeTunnel(server, 1);
    TunnelWorkerConfig config = config(throwing(() -> new IllegalStateException("poison")));
    config.setFailurePolicy(
        (input, error, attempts) -> {
          throw (RuntimeException) error;
        });
    var unused = start(config);
    tunnel.append(0, 10);
    Waits.until("it is given back", () -> !tunnel.isHeld(0));
    assertThat(tunnel.events()).contains("stop 0 java.lang.IllegalStateException: poison");
  }

  @Test
  void a_policy_that_decides_nothing_or_throws_an_error_stops_the_channel_with_the_cause() {
    FakeTunnel tunnel = new FakeTunnel(server, 2);
    RecordingProcessor processor =
        new RecordingProcessor(
            input -> {
              throw new IllegalStateException("poison");
            });
    TunnelWorkerConfig config = config(processor);
    config.setFailurePolicy(
        (input, error, attempts) -> {
          if (input.getPartitionId().equals("p0")) {
            throw new AssertionError("undecided");
          }
          return null;
        });
    var unused = start(config);
    tunnel.append(0, 10);
    tunnel.append(1, 10);
    Waits.until("both are given back", () -> !tunnel.isHeld(0) && !tunnel.isHeld(1));
    assertThat(tunnel.events())
        .contains(
            "stop 0 java.lang.IllegalStateException: poison",
            "stop 1 java.lang.IllegalStateException: poison");
  }

  @Test
  void a_failure_that_cannot_say_what_it_is_stops_its_channel_and_no_other() {
    FakeTunnel tunnel = new FakeTunnel(server, 2);
    RecordingProcessor processor = throwing(Unspeakable::new);
    TunnelWorker worker = start(config(processor));
    tunnel.append(0, 10);
    Waits.until("it is given back", () -> !tunnel.isHeld(0));
    assertThat(tunnel.events()).anyMatch(event -> event.contains(Unspeakable.class.getName()));
    tunnel.append(1, 10);
    awaitPositions(processor, 1, 10);
    assertThat(tunnel.sessions()).isEqualTo(1);
    Waits.until("it is counted", () -> worker.status().counters().failed() == 1);
  }

  @Test
  void errors_of_every_callback_are_failures_of_their_channel_alone() {
    FakeTunnel tunnel = new FakeTunnel(server, 2);
    List<String> told = new CopyOnWriteArrayList<>();
    TunnelWorkerConfig config = config(null);
    config.setProcessAttemptsMax(1);
    TunnelWorker worker =
        start(
            config,
            (tunnelId, clientId, channelId, own) ->
                new IChannelProcessor() {
                  @Override
                  public void process(ProcessRecordsInput input) {
                    if (channelId.startsWith("p0")) {
                      throw new NoClassDefFoundError("a driver");
                    }
                    told.add("processed");
                    own.checkpoint(input.getNextToken());
                  }

                  @Override
                  public void closing(String id) {
                    told.add("closing");
                    throw new AssertionError("closing");
                  }

                  @Override
                  public void shutdown() {
                    told.add("shutdown");
                    throw new AssertionError("shutdown");
                  }
                });
    tunnel.append(0, 10);
    Waits.until("it is given back", () -> !tunnel.isHeld(0));
    tunnel.append(1, 10);
    Waits.until("the other one goes on", () -> tunnel.checkpointed(1) == 10);
    worker.shutdown();
    assertThat(worker.status().state()).isEqualTo(State.WORKER_ENDED);
    assertThat(told).containsExactly("closing", "shutdown", "processed", "closing", "shutdown");
    assertThat(tunnel.sessions()).isEqualTo(1);
  }

  @Test
  void a_listener_that_throws_errors_hears_the_rest() {
    FakeTunnel tunnel = new FakeTunnel(server, 1);
    List<String> heard = new CopyOnWriteArrayList<>();
    TunnelWorkerConfig config = config(new RecordingProcessor());
    config.setListener(
        new ITunnelWorkerListener() {
          @Override
          public void connecting(int attempt) {
            heard.add("connecting");
            throw new AssertionError("a listener's own");
          }

          @Override
          public void channelOpened(String channelId, long epoch) {
            heard.add("opened " + channelId);
          }
        });
    var unused = start(config);
    assertThat(tunnel.isHeld(0)).isTrue();
    Waits.until("the rest", () -> heard.contains("opened p0_1"));
    assertThat(heard).containsExactly("connecting", "opened p0_1");
  }

  @Test
  void a_listener_may_shut_the_worker_down() {
    FakeTunnel tunnel = new FakeTunnel(server, 1);
    AtomicReference<TunnelWorker> worker = new AtomicReference<>();
    CountDownLatch returned = new CountDownLatch(1);
    RecordingProcessor processor = throwing(() -> new IllegalStateException("poison"));
    TunnelWorkerConfig config = config(processor);
    config.setShutdownDeadlineInMillis(60_000); // Longer than this test may take.
    config.setListener(
        new ITunnelWorkerListener() {
          @Override
          public void channelStopped(String channelId, Throwable error) {
            worker.get().shutdown();
            returned.countDown();
          }
        });
    worker.set(new TunnelWorker("tunnel", client, config));
    workers.add(worker.get());
    worker.get().connectAndWorking();
    tunnel.append(0, 10);
    Waits.await(returned);
    Waits.until("it has ended", () -> worker.get().status().state() == State.WORKER_ENDED);
    assertThat(processor.shutdowns).hasValue(1);
  }

  @Test
  void a_thread_that_was_interrupted_can_shut_a_worker_down_gracefully() {
    FakeTunnel tunnel = new FakeTunnel(server, 1);
    Gate gate = new Gate();
    RecordingProcessor processor =
        new RecordingProcessor(
            input -> {
              gate.hold(); // Fails when it is interrupted.
            });
    TunnelWorker worker = start(config(processor));
    tunnel.append(0, 10);
    gate.awaitHolding();
    AtomicReference<Boolean> flag = new AtomicReference<>();
    Thread closer =
        new Thread(
            () -> {
              Thread.currentThread().interrupt();
              worker.shutdown();
              flag.set(Thread.currentThread().isInterrupted());
            });
    closer.start();
    Waits.until(
        "the worker knows", () -> worker.status().channels().get(0).state().equals("DRAINING"));
    gate.open();
    Waits.until("it has returned", () -> flag.get() != null);
    assertThat(flag).as("the flag is kept").hasValue(true);
    assertThat(processor.positions(0)).isEqualTo(upTo(10));
    assertThat(tunnel.checkpointed(0)).isEqualTo(10);
    assertThat(worker.status().state()).isEqualTo(State.WORKER_ENDED);
  }

  @Test
  void sessions_that_end_again_and_again_are_opened_ever_more_rarely_though_inputs_are_processed() {
    FakeTunnel tunnel = new FakeTunnel(server, 1);
    List<Long> pausesMs = new CopyOnWriteArrayList<>();
    RecordingProcessor processor = new RecordingProcessor(input -> server.dropAll());
    TunnelWorkerConfig config = config(processor);
    config.setMaxRetryIntervalInMillis(80);
    // No heartbeat is answered before the session ends, also where that takes a while.
    config.setHeartbeatTimeoutInSec(3_600);
    config.setHeartbeatIntervalInSec(3_600);
    config.setListener(
        new ITunnelWorkerListener() {
          @Override
          public void sessionLost(Throwable reason, long retryInMs) {
            pausesMs.add(retryInMs);
          }
        });
    tunnel.append(0, 10);
    TunnelWorker worker = start(config);
    Waits.until("some sessions", () -> pausesMs.size() >= 6);
    assertThat(pausesMs.get(0)).isBetween(10L, 20L);
    assertThat(pausesMs.subList(3, 6)).allMatch(pause -> pause >= 40);
    worker.shutdown();
  }

  @Test
  void a_worker_that_halted_says_so_when_it_is_started_again() {
    FakeTunnel tunnel = new FakeTunnel(server, 1);
    TunnelWorker worker = start(config(new RecordingProcessor()));
    tunnel.refuseSessions(Optional.of(ErrorCode.TUNNEL_NOT_FOUND));
    server.dropAll();
    Waits.until("it halts", () -> worker.status().state() == State.WORKER_HALT);
    assertThatThrownBy(worker::connectAndWorking)
        .hasMessageContaining("the worker has halted")
        .hasMessageContaining("TUNNEL_NOT_FOUND");
  }

  @Test
  void waiting_for_a_checkpoint_in_any_callback_ends() {
    FakeTunnel tunnel = new FakeTunnel(server, 1);
    List<String> done = new CopyOnWriteArrayList<>();
    AtomicReference<ICheckpointer> checkpointer = new AtomicReference<>();
    AtomicInteger failures = new AtomicInteger();
    TunnelWorkerConfig config = config(null);
    config.setFailurePolicy(
        (input, error, attempts) -> {
          checkpointer.get().checkpoint("0");
          done.add("policy");
          return new FailurePolicy.Retry(Duration.ZERO);
        });
    config.setListener(
        new ITunnelWorkerListener() {
          @Override
          public void processingFailed(
              String channelId, int attempt, Throwable error, boolean willRetry) {
            checkpointer.get().checkpoint("0");
            done.add("listener");
          }
        });
    TunnelWorker worker =
        start(
            config,
            (tunnelId, clientId, channelId, own) -> {
              checkpointer.set(own);
              own.checkpoint(null);
              done.add("factory");
              return new IChannelProcessor() {
                @Override
                public void process(ProcessRecordsInput input) {
                  if (failures.getAndIncrement() == 0) {
                    throw new IllegalStateException("not yet");
                  }
                  Waits.until("the listener", () -> done.contains("listener"));
                  var unused = own.checkpointAsync("5");
                }

                @Override
                public void closing(String id) {
                  own.checkpointAsync(null).join();
                  done.add("closing");
                }

                @Override
                public void shutdown() {
                  own.checkpoint(null);
                  done.add("shutdown");
                }
              };
            });
    tunnel.append(0, 5);
    Waits.until("it is checkpointed", () -> tunnel.checkpointed(0) == 5);
    worker.shutdown();
    assertThat(done)
        .containsExactlyInAnyOrder("factory", "policy", "listener", "closing", "shutdown");
  }
}
