package io.tunnel.server.engine;

import io.tunnel.server.disk.DiskCondition;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs when a disk stalls, and when it resumes: the thread that writes hangs in the system's call
 * and cannot log. The shards and the catalog log other conditions. For one thread, which touches no
 * disk.
 */
public final class DiskLook implements Runnable {

  /** Interval of the looks. */
  public static final long EVERY_MS = 1_000;

  private static final Logger LOGGER = LoggerFactory.getLogger(DiskLook.class);

  private final Map<String, Supplier<DiskCondition>> conditions;
  private final Map<String, DiskCondition> last = new HashMap<>();

  /** Looks at the condition of each disk's user, by its name. */
  public DiskLook(Map<String, Supplier<DiskCondition>> conditions) {
    this.conditions = Map.copyOf(conditions);
  }

  @Override
  public void run() {
    conditions.forEach((name, condition) -> look(name, condition.get()));
  }

  private void look(String name, DiskCondition now) {
    DiskCondition before = last.put(name, now);
    if (now == DiskCondition.DISK_STALLED && before != now) {
      LOGGER.warn(
          "the disk of {} stalls: a write or sync takes longer than 3 s, and further writes wait"
              + " for it",
          name);
    } else if (before == DiskCondition.DISK_STALLED && now != before) {
      LOGGER.info("the disk of {} stalls no longer; its condition is {}", name, now);
    }
  }
}
