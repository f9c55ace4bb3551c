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
 * The outside world of a worker. The worker itself starts no thread, opens no socket and reads no
 * clock, so a simulation can take the place of the world.
 *
 * @param thread thread that owns the worker's state
 * @param links connections to servers
 * @param processors threads that run the user's code
 * @param ticker clock
 * @param chance randomness for jitter; used on {@code thread} only
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

  /** The real world: an event loop with its connections, and daemon threads for processors. */
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
        new ProcessorPool(settings.processing().threads()),
        new SystemClock(),
        chance);
  }
}
