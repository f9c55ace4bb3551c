package io.tunnel.sdk.worker;

import io.tunnel.sdk.transport.LoopThread;
import io.tunnel.sdk.transport.SystemClock;
import io.tunnel.sdk.transport.Ticker;
import io.tunnel.sdk.transport.WorkerThread;
import io.tunnel.sdk.transport.trust.LoadedConfig;
import io.tunnel.sdk.worker.thread.Links;
import io.tunnel.sdk.worker.thread.LoopLinks;
import io.tunnel.sdk.worker.thread.ProcessorPool;
import io.tunnel.sdk.worker.thread.ProcessorThreads;
import java.util.Objects;
import java.util.random.RandomGenerator;

/**
 * All that a worker needs of the world. The worker itself starts no thread, opens no socket and
 * reads no clock, so that a simulation can be its world.
 *
 * @param thread to which the worker's state belongs
 * @param links to the server
 * @param processors the threads that run what the user wrote
 * @param ticker time
 * @param chance for jitter; used on {@code thread} only
 */
public record WorkerPorts(
    WorkerThread thread,
    Links links,
    ProcessorThreads processors,
    Ticker ticker,
    RandomGenerator chance) {

  /** Refuses null. */
  public WorkerPorts {
    Objects.requireNonNull(thread, "thread");
    Objects.requireNonNull(links, "links");
    Objects.requireNonNull(processors, "processors");
    Objects.requireNonNull(ticker, "ticker");
    Objects.requireNonNull(chance, "chance");
  }

  /** The real world: an event loop, connections that live on it, and daemon threads. */
  public static WorkerPorts real(WorkerSettings settings) {
    LoadedConfig config = LoadedConfig.of(settings.client());
    LoopThread loop = new LoopThread();
    RandomGenerator chance = SystemClock.jitter();
    return new WorkerPorts(
        loop,
        new LoopLinks(
            (node, receiver) -> loop.connect(config, node, receiver),
            settings.client().endpoints(),
            chance.nextDouble()),
        new ProcessorPool("tunnel-processor", settings.processing().threads()),
        new SystemClock(),
        chance);
  }
}
