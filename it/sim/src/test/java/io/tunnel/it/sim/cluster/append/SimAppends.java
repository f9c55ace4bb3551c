package io.tunnel.it.sim.cluster.append;

import io.tunnel.server.replica.append.AppendHeader;
import io.tunnel.server.replica.append.AppendTail.Stored;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.LongSupplier;

/** The log of appends that all nodes share. */
public final class SimAppends {

  private final LongSupplier nowMicros;
  private final TreeMap<Integer, Log> logs = new TreeMap<>();
  private final List<Runnable> readers = new ArrayList<>();

  /** The log of a partition. */
  static final class Log {
    final List<Stored> records = new ArrayList<>();
    int leaderEpoch;
    long first;

    long end() {
      return records.size();
    }

    /** As a broker answers: where the records end that leaders up to {@code epoch} took. */
    long end(int epoch) {
      int end = records.size();
      while (end > 0 && records.get(end - 1).leaderEpoch() > epoch) {
        end--;
      }
      return end;
    }
  }

  /** Empty logs, whose broker has this clock. */
  public SimAppends(LongSupplier nowMicros) {
    this.nowMicros = nowMicros;
  }

  Log log(int partition) {
    return logs.computeIfAbsent(partition, id -> new Log());
  }

  /** All records of a partition, in order; not a copy. */
  public List<Stored> records(int partition) {
    return log(partition).records;
  }

  /** The offset of the first record that was not deleted. */
  public long first(int partition) {
    return log(partition).first;
  }

  /** Records before an offset may go; returns the first offset that is left. */
  long deleteBefore(int partition, long offset) {
    Log log = log(partition);
    log.first = Math.max(log.first, offset);
    return log.first;
  }

  /** Another broker leads the log of a partition, and has all of the log. */
  public void ledByAnother(int partition) {
    log(partition).leaderEpoch++;
  }

  /**
   * Another broker leads the log of a partition, and lacks the end: records from {@code end} on are
   * gone, and their offsets are given again.
   */
  public void cut(int partition, int end) {
    Log log = log(partition);
    log.leaderEpoch++;
    log.records.subList(end, log.records.size()).clear();
    List.copyOf(readers).forEach(Runnable::run);
  }

  /** Is told whenever something has landed. */
  public void listen(Runnable reader) {
    readers.add(reader);
  }

  void forget(Runnable reader) {
    readers.remove(reader);
  }

  long nowMs() {
    return nowMicros.getAsLong() / 1_000;
  }

  /** The log takes a record; returns the offset of the record. */
  long land(int partition, byte[] header, byte[] value) {
    Log log = log(partition);
    long offset = log.end();
    log.records.add(
        new Stored(offset, log.leaderEpoch, nowMs(), AppendHeader.decode(header), value));
    List.copyOf(readers).forEach(Runnable::run);
    return offset;
  }
}
