package io.tunnel.sdk.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.sdk.TunnelClient;
import io.tunnel.sdk.TunnelWorker;
import io.tunnel.sdk.TunnelWorkerConfig;
import io.tunnel.sdk.fake.FakeServer;
import io.tunnel.sdk.fake.Waits;
import io.tunnel.sdk.processor.IChannelProcessor;
import io.tunnel.sdk.processor.IChannelProcessorFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;

/** Workers connected to a fake server over real sockets. */
abstract class WorkerFixture {

  final FakeServer server = new FakeServer();
  final List<TunnelWorker> workers = new ArrayList<>();
  final TunnelClient client =
      new TunnelClient(server.config().withRetryDeadline(Duration.ofMillis(300)));

  @AfterEach
  void close() {
    workers.forEach(TunnelWorker::shutdown);
    client.close();
    server.close();
    assertThat(server.failures()).isEmpty();
  }

  static TunnelWorkerConfig config(IChannelProcessor processor) {
    TunnelWorkerConfig config = new TunnelWorkerConfig(processor);
    config.setCheckpointIntervalInMillis(3_600_000);
    config.setProcessorThreads(8);
    config.setMaxRetryIntervalInMillis(20);
    config.setProcessAttemptsMax(3);
    config.setProcessPauseMaxInMillis(20);
    return config;
  }

  TunnelWorker start(TunnelWorkerConfig config) {
    TunnelWorker worker = new TunnelWorker("tunnel", client, config);
    workers.add(worker);
    worker.connectAndWorking();
    return worker;
  }

  TunnelWorker start(TunnelWorkerConfig config, IChannelProcessorFactory factory) {
    TunnelWorker worker = new TunnelWorker("tunnel", client, config, factory);
    workers.add(worker);
    worker.connectAndWorking();
    return worker;
  }

  static List<Long> upTo(long last) {
    return LongStream.rangeClosed(1, last).boxed().toList();
  }

  static void awaitPositions(RecordingProcessor processor, int channel, int count) {
    Waits.until(
        count + " records of channel " + channel,
        () -> processor.positions(channel).size() >= count);
  }

  static void meet(CyclicBarrier barrier) {
    try {
      barrier.await(60, TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  /** Holds a callback until the test opens the gate. */
  static final class Gate {
    private final CountDownLatch isHolding = new CountDownLatch(1);
    private final CountDownLatch isOpen = new CountDownLatch(1);

    /** Called by the callback. */
    void hold() {
      isHolding.countDown();
      Waits.await(isOpen);
    }

    /** Returns when a callback has reached the gate. */
    void awaitHolding() {
      Waits.await(isHolding);
    }

    void open() {
      isOpen.countDown();
    }

    boolean isOpen() {
      return isOpen.getCount() == 0;
    }
  }
}
