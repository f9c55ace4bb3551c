package io.tunnel.it.sim.cluster;

import io.tunnel.model.Level;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.replica.shared.SharedLog.Entry;
import io.tunnel.server.replica.shared.SharedLog.Stored;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.IntToLongFunction;
import java.util.function.LongSupplier;

/**
 * The log that all nodes share: all records ever appended, and the records that compaction has
 * left.
 */
final class SimLog {

  static final long FOREVER = Long.MAX_VALUE;

  private final LongSupplier nowMicros;
  private final long lagMicros;
  private final TreeMap<Integer, Partition> partitions = new TreeMap<>();
  private final List<Runnable> readers = new ArrayList<>();

  /** One partition. */
  static final class Partition {
    final List<Stored> everything = new ArrayList<>();
    final NavigableMap<Long, Stored> kept = new TreeMap<>();

    /** By offset, the level of the form of a record that is above the first. */
    private final Map<Long, Integer> levels = new TreeMap<>();

    private int leaderEpoch;

    long end() {
      return everything.size();
    }

    /** The level of the form of a record: builds below do not know the form. */
    int levelOf(Stored record) {
      return levels.getOrDefault(record.offset(), Level.FIRST);
    }
  }

  /**
   * An empty log.
   *
   * @param lagMicros how long every record is kept at least
   */
  SimLog(LongSupplier nowMicros, long lagMicros) {
    this.nowMicros = nowMicros;
    this.lagMicros = lagMicros;
  }

  long nowMicros() {
    return nowMicros.getAsLong();
  }

  long lagMicros() {
    return lagMicros;
  }

  Partition partition(int id) {
    return partitions.computeIfAbsent(id, key -> new Partition());
  }

  /** Is told whenever something has landed. */
  void listen(Runnable reader) {
    readers.add(reader);
  }

  void forget(Runnable reader) {
    readers.remove(reader);
  }

  /**
   * The log takes a record, and stamps it, in milliseconds.
   *
   * @param level the level of the record's form
   */
  void land(int partition, Entry entry, int level) {
    Partition log = partition(partition);
    long now = nowMicros.getAsLong();
    Stored stored = new Stored(log.end(), now - now % 1_000, entry, log.leaderEpoch);
    log.everything.add(stored);
    if (level > Level.FIRST) {
      log.levels.put(stored.offset(), level);
    }
    log.kept.put(stored.offset(), stored);
    List.copyOf(readers).forEach(Runnable::run);
  }

  /** Another broker leads the log of a partition, and has all of it. */
  void ledByAnother(int partition) {
    partition(partition).leaderEpoch++;
  }

  /** Of the broker that leads the log of a partition. */
  int leaderEpoch(int partition) {
    return partition(partition).leaderEpoch;
  }

  /** Whether anything is kept, at that offset or behind it, of what was appended under a leader. */
  boolean keepsOf(int partition, long leaderEpoch, long offset) {
    return partition(partition).kept.tailMap(offset).values().stream()
        .anyMatch(record -> record.leaderEpoch() == leaderEpoch);
  }

  /** The first position from which on every record is kept. */
  long whole(int partition) {
    Partition log = partition(partition);
    if (lagMicros == FOREVER) {
      return 0;
    }
    long first = log.end();
    while (first > 0 && isYoung(log.everything.get((int) first - 1))) {
      first--;
    }
    return first;
  }

  private boolean isYoung(Stored record) {
    return lagMicros == FOREVER || record.timeMicros() >= nowMicros.getAsLong() - lagMicros;
  }

  /**
   * Of what is old enough only the last of each key stays. Returns how many records went.
   *
   * @param border by partition, the offset from which on everything stays, however old it is
   */
  int compact(IntToLongFunction border) {
    int gone = 0;
    for (Map.Entry<Integer, Partition> each : partitions.entrySet()) {
      Partition log = each.getValue();
      long end = Math.min(log.end() - 1, border.applyAsLong(each.getKey()));
      Map<Bytes, Long> last = new TreeMap<>();
      List<Stored> old = new ArrayList<>();
      for (Stored record : log.kept.values()) {
        if (isYoung(record) || record.offset() >= end) {
          break;
        }
        old.add(record);
        last.put(record.entry().key(), record.offset());
      }
      for (Stored record : old) {
        if (last.get(record.entry().key()) != record.offset()) {
          log.kept.remove(record.offset());
          gone++;
        }
      }
    }
    return gone;
  }
}
