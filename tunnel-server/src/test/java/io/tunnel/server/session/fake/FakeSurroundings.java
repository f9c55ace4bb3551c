package io.tunnel.server.session.fake;

import io.tunnel.server.session.Surroundings;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Clocks that the test sets, and a control thread and shards that go on when the test says so. */
public final class FakeSurroundings implements Surroundings {

  /** The time of deadlines. */
  public long nowNanos;

  /** The time of the day. */
  public long nowMs = 1_000;

  /** Who waits for rows to be kept. */
  public final List<RowsKept> keeping = new ArrayList<>();

  /** Tunnels, or tunnels and partitions, whose rows were forgotten. */
  public final List<String> forgotten = new ArrayList<>();

  /** How often progress was taken back. */
  public int takenBack;

  private final Deque<Runnable> control = new ArrayDeque<>();
  private final Deque<Runnable> shards = new ArrayDeque<>();

  /** Lets everything that waits on the control thread run. */
  public void runControl() {
    for (Runnable task = control.poll(); task != null; task = control.poll()) {
      task.run();
    }
  }

  /** Lets only the first of it run. */
  public void runControlOnce() {
    control.remove().run();
  }

  /** Lets the shards reach their barriers, and the control thread hear of it. */
  public void passBarriers() {
    for (Runnable task = shards.poll(); task != null; task = shards.poll()) {
      control.add(task);
    }
    runControl();
  }

  @Override
  public void tookBack() {
    takenBack++;
  }

  @Override
  public long nanos() {
    return nowNanos;
  }

  @Override
  public long epochMicros() {
    return TimeUnit.MILLISECONDS.toMicros(nowMs);
  }

  @Override
  public void control(Runnable action) {
    control.add(action);
  }

  @Override
  public void passBarrier(int partition, long passedMicros, Runnable then) {
    shards.add(then);
  }

  @Override
  public void keepRows(String tunnelId, Collection<Integer> partitions, RowsKept whenKept) {
    keeping.add(whenKept);
  }

  @Override
  public void forgetRows(String tunnelId) {
    forgotten.add(tunnelId);
  }

  @Override
  public void forgetRows(String tunnelId, int partition) {
    forgotten.add(tunnelId + "/" + partition);
  }
}
