package io.tunnel.server.replica.append;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * Actions that wait until the appends under way of a lane are settled: then the log has each change
 * that the lane has stamped before. The deadline of appends ends each wait. For the shard's thread.
 */
final class LaneWaits {

  private final List<Wait> waits = new ArrayList<>();

  /**
   * An action that waits.
   *
   * @param last the newest append of the lane when the action came
   */
  private record Wait(SharedLane lane, OwnAppend last, Runnable then) {}

  /** Runs {@code then} when all appends that are under way now are settled; perhaps at once. */
  void add(SharedLane lane, Runnable then) {
    List<OwnAppend> underWay = lane.underWay();
    if (underWay.isEmpty()) {
      then.run();
    } else {
      waits.add(new Wait(lane, underWay.get(underWay.size() - 1), then));
    }
  }

  /** Runs the actions that need not wait any more; to be called again and again. */
  void look() {
    List<Runnable> ready = new ArrayList<>();
    for (Iterator<Wait> each = waits.iterator(); each.hasNext(); ) {
      Wait wait = each.next();
      if (!wait.lane().underWay().contains(wait.last())) {
        each.remove();
        ready.add(wait.then());
      }
    }
    ready.forEach(Runnable::run);
  }
}
