package io.tunnel.it.sim;

import io.tunnel.it.sim.machine.Agenda;
import io.tunnel.it.sim.machine.SimNetwork;
import io.tunnel.it.sim.machine.SimProcess;
import io.tunnel.it.sim.rights.QuotaTruth;
import io.tunnel.it.sim.seeds.Watched;
import io.tunnel.it.sim.truth.Invariant;
import io.tunnel.it.sim.watch.Watcher;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * What a world of one server and a world of a cluster have in common: time, chance, the processes,
 * the events that happened, and the invariant that broke.
 *
 * @param <E> the events that the world counts
 */
public abstract class SimWorld<E extends Enum<E>>
    implements SimWorker.Home, Watcher.Home, Program.Home {

  public final Agenda agenda = new Agenda();
  public final long seed;
  public final SplittableRandom random;
  public final Trace trace;

  /** How often each event has happened. */
  public final Map<E, Long> happened;

  /** The running workers, by the names of their processes. */
  public final TreeMap<String, SimWorker> workers = new TreeMap<>();

  private final List<SimProcess> processes = new ArrayList<>();
  private Invariant.Broken broken;

  /** A world whose chance follows from {@code seed}. */
  protected SimWorld(Class<E> events, long seed, Consumer<String> listener) {
    this.seed = seed;
    this.random = new SplittableRandom(seed);
    this.trace = new Trace(agenda, listener);
    this.happened = new EnumMap<>(events);
  }

  @Override
  public final Agenda agenda() {
    return agenda;
  }

  @Override
  public final Trace trace() {
    return trace;
  }

  /** The event has happened once more. */
  public final void count(E event) {
    happened.merge(event, 1L, Long::sum);
  }

  /** A quota has done something to a write. */
  public abstract void count(QuotaTruth.Did what);

  /** A program of numbered keys was told what became of a row. */
  public abstract void count(SimAutoKeys.Did what);

  /** A session or a lock of a program has changed. */
  public abstract void count(SimTenants.Did what);

  /** The largest number of the column that the server numbers, in the log of a partition. */
  public abstract long largestNumber(int partition);

  /** Another tap sees the frames from now on. */
  public final void tap(SimNetwork.Tap tap) {
    network().tap(new Watched(tap, this::broke));
  }

  /** An invariant is broken; the simulated code may catch the exception. */
  @Override
  public final void broke(Invariant.Broken how) {
    broken = broken == null ? how : broken;
  }

  @Override
  public final void watch(Runnable action) {
    try {
      action.run();
    } catch (Invariant.Broken e) {
      broke(e);
      throw e;
    }
  }

  /** Throws the first broken invariant, if any. */
  protected final void requireWhole() {
    if (broken != null) {
      throw broken;
    }
  }

  @Override
  public final SimProcess process(String name) {
    return born(new SimProcess(name, agenda, random.split(), thread -> {}));
  }

  /** A process of a machine or of a client has begun. */
  public final SimProcess born(SimProcess process) {
    processes.removeIf(each -> !each.isAlive());
    processes.add(process);
    return process;
  }

  /** Every buffer that was taken for a frame was given back; for a world at rest. */
  public final void requireNothingLeaks() {
    processes.forEach(SimProcess::requireNothingLeaks);
  }
}
