package io.tunnel.it.sim;

import io.tunnel.it.sim.machine.Agenda;
import io.tunnel.it.sim.machine.SimLoop;
import io.tunnel.it.sim.machine.SimProcess;
import io.tunnel.it.sim.machine.SimThreads;
import io.tunnel.it.sim.truth.Invariant;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.TunnelWorkerConfig;
import io.tunnel.sdk.processor.IChannelProcessor;
import io.tunnel.sdk.processor.ProcessRecordsInput;
import io.tunnel.sdk.worker.ProcessorSource;
import io.tunnel.sdk.worker.WorkerLoop;
import io.tunnel.sdk.worker.WorkerPorts;
import io.tunnel.sdk.worker.WorkerSettings;
import io.tunnel.sdk.worker.thread.Links;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/** A process with one worker of the SDK in it, and a processor that reports to the ledger. */
public final class SimWorker {

  /** What a processor says that was told to fail. */
  public static final String FAILURE = "a processor fails, as it was told";

  private static final long SHUTDOWN_DEADLINE_MS = 5_000;
  private static final long INTERRUPT_MS = 1_000;

  private final Home home;
  private final SimProcess process;
  private final String tunnelId;
  private final Role role;
  private final SimThreads threads;
  private final WorkerLoop loop;
  private boolean isLeaving;

  SimWorker(
      World world, SimProcess process, String tunnelId, SplittableRandom random, boolean isGreedy) {
    this(world, process, tunnelId, random, new AnyRole(world, isGreedy, random));
  }

  /** What workers need of their world. */
  public interface Home {
    Agenda agenda();

    Trace trace();

    /** How the worker reaches the service. */
    Links links(SimProcess process, SimLoop loop, SplittableRandom random);

    /** An invariant is broken. */
    void broke(Invariant.Broken how);

    /** The worker's program has ended by itself. */
    void exited(SimWorker worker);
  }

  /** A worker that is told by {@code role} how to be. */
  public SimWorker(
      Home home, SimProcess process, String tunnelId, SplittableRandom random, Role role) {
    this.home = home;
    this.process = process;
    this.tunnelId = tunnelId;
    this.role = role;
    this.threads = new SimThreads(process, role.threads(random), this::exit);
    ClientConfig client =
        ClientConfig.of("simulated", 1)
            .withConnectDeadline(Duration.ofSeconds(2))
            .withRequestDeadline(Duration.ofSeconds(5))
            .withRetryDeadline(Duration.ofSeconds(20));
    TunnelWorkerConfig config = role.config(random);
    config.setClientTag(process.name);
    config.setShutdownDeadlineInMillis(SHUTDOWN_DEADLINE_MS);
    ProcessorSource source = role.source(new Processor());
    boolean isShared = source instanceof ProcessorSource.Shared;
    loop =
        new WorkerLoop(
            WorkerSettings.of(tunnelId, client, config, isShared),
            source,
            new WorkerPorts(
                threads.new Own(),
                home.links(process, threads.loop(), random),
                threads,
                home.agenda()::nowNanos,
                random));
  }

  /** What the user of a worker decides: its options, and what its processor does. */
  public interface Role {
    /** How many threads call processors. */
    int threads(SplittableRandom random);

    /** The worker's options; it names itself. */
    TunnelWorkerConfig config(SplittableRandom random);

    /** Where processors come from that pass everything on to {@code processor}. */
    default ProcessorSource source(IChannelProcessor processor) {
      return new ProcessorSource.Shared(processor);
    }

    /** A processor is called: how long that takes, and how it ends. */
    Callback begin(SimWorker worker, ProcessRecordsInput input);

    /** A processor was told how its channel ends. */
    default void told(SimWorker worker, String callback, String channelId) {
      // Nothing is done about it.
    }
  }

  public void start() {
    var unused =
        loop.start()
            .whenComplete(
                (opened, failure) -> home.trace().add(process + " has started: " + failure));
  }

  public SimProcess process() {
    return process;
  }

  public String tunnelId() {
    return tunnelId;
  }

  public boolean isLeaving() {
    return isLeaving;
  }

  /** Ends as a program does that is asked to. */
  public void leave() {
    isLeaving = true;
    var unused = loop.shutdown();
    long deadline = TimeUnit.MILLISECONDS.toNanos(SHUTDOWN_DEADLINE_MS);
    threads.loop().thread().after(deadline, loop::abandon);
    long last = deadline + TimeUnit.MILLISECONDS.toNanos(INTERRUPT_MS);
    threads.loop().thread().after(last, this::exit);
  }

  private void exit() {
    home.exited(this);
  }

  @Override
  public String toString() {
    return process.name;
  }

  /** What the user wrote: it looks at everything, and is slow or fails as the world says. */
  private final class Processor implements IChannelProcessor {

    @Override
    public void process(ProcessRecordsInput input) {
      Callback callback = begin(input);
      threads.takes(callback.nanos(), callback.atEnd());
      if (callback.isFailing()) {
        throw new IllegalStateException(FAILURE);
      }
    }

    /** The worker takes whatever is thrown here for a failure of the processor. */
    private Callback begin(ProcessRecordsInput input) {
      try {
        return role.begin(SimWorker.this, input);
      } catch (Invariant.Broken e) {
        home.broke(e);
        throw e;
      }
    }

    @Override
    public void closing(String channelId) {
      role.told(SimWorker.this, "closing", channelId);
    }

    @Override
    public void ended(String channelId) {
      role.told(SimWorker.this, "ended", channelId);
    }

    @Override
    public void revoked(String channelId) {
      role.told(SimWorker.this, "revoked", channelId);
    }

    @Override
    public void shutdown() {
      home.trace().add(process + " shuts its processor down");
    }
  }

  /** What a callback does: takes its time, and ends well or not. */
  public record Callback(long nanos, boolean isFailing, Runnable atEnd) {}
}
