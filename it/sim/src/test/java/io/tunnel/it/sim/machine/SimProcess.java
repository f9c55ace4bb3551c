package io.tunnel.it.sim.machine;

import io.tunnel.it.sim.truth.Invariant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/**
 * A process of the world: a server between two crashes, a worker, a client. Its threads run only
 * while the process lives and is not paused; tasks posted during a pause run when it wakes up,
 * stale or not.
 */
public final class SimProcess {

  public final String name;
  final Agenda agenda;
  final SplittableRandom random;
  private final Consumer<SimThread> afterTask;
  private final List<SimThread> asleep = new ArrayList<>();
  private final SimBuffers buffers = new SimBuffers();
  private boolean isAlive = true;
  private boolean isPaused;
  private long pauses;

  public SimProcess(
      String name, Agenda agenda, SplittableRandom random, Consumer<SimThread> afterTask) {
    this.name = name;
    this.agenda = agenda;
    this.random = random;
    this.afterTask = afterTask;
  }

  public boolean isAlive() {
    return isAlive;
  }

  /** What it is called. */
  public String name() {
    return name;
  }

  /** Chance, as this process has it. */
  public SplittableRandom random() {
    return random;
  }

  /** Nothing of it ever runs again. */
  public void kill() {
    isAlive = false;
  }

  public boolean isPaused() {
    return isPaused;
  }

  /** Nothing of it runs for a while. */
  public void pause(long nanos) {
    isPaused = true;
    long pause = ++pauses;
    agenda.after(
        nanos,
        () -> {
          if (pauses == pause) {
            wake();
          }
        });
  }

  /** It goes on as if nothing had been. */
  public void wake() {
    pauses++;
    isPaused = false;
    List<SimThread> threads = List.copyOf(asleep);
    asleep.clear();
    threads.forEach(SimThread::scheduleNext);
  }

  void sleeps(SimThread thread) {
    asleep.add(thread);
  }

  /** A thread of it. */
  public SimThread thread(String thread) {
    return new SimThread(this, name + "/" + thread);
  }

  /**
   * Requires that what was taken for frames was given back; to be asked when nothing is on its way.
   */
  public void requireNothingLeaks() {
    Invariant.NOTHING_LEAKS.require(
        !isAlive || buffers.open() == 0,
        "%s has taken %d buffers that it has not given back",
        name,
        buffers.open());
  }

  /** What its sockets are given buffers from. */
  SimBuffers buffers() {
    return buffers;
  }

  void taskDone(SimThread thread) {
    afterTask.accept(thread);
  }

  @Override
  public String toString() {
    return name;
  }
}
