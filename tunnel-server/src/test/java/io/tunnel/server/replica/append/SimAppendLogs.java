package io.tunnel.server.replica.append;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.server.log.AppendBatches;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.LongSupplier;

/**
 * Logs of appends whose network does everything that a producer without a fault of the log may
 * meet: records of different nodes overtake each other, are lost with the ones after them in place,
 * land twice, and land without an acknowledgement. A log may also get another leader, lose its end
 * with that, and be trimmed.
 */
public final class SimAppendLogs {

  private final SplittableRandom random;
  private final LongSupplier nowMs;
  private long markers;
  private final TreeMap<Integer, Log> logs = new TreeMap<>();
  private final List<InFlight> flight = new ArrayList<>();
  private boolean isFull;

  /** The log of a partition. */
  static final class Log {
    final List<Landed> records = new ArrayList<>();
    int leaderEpoch;
    int first;

    /** As a broker answers: where the records end that leaders up to {@code epoch} took. */
    int end(int epoch) {
      int end = records.size();
      while (end > 0 && records.get(end - 1).leaderEpoch > epoch) {
        end--;
      }
      return end;
    }
  }

  /** A record that is in the log. */
  static final class Landed {
    final AppendHeader header;
    final byte[] value;
    final int leaderEpoch;
    final long timeMs;

    Landed(AppendHeader header, byte[] value, int leaderEpoch, long timeMs) {
      this.header = header;
      this.value = value;
      this.leaderEpoch = leaderEpoch;
      this.timeMs = timeMs;
    }
  }

  private static final class InFlight {
    final int node;
    final int partition;
    final AppendHeader header;
    final byte[] value;
    final AppendLog.Appended appended;

    InFlight(int node, int partition, byte[] header, byte[] value, AppendLog.Appended appended) {
      this.node = node;
      this.partition = partition;
      this.header = AppendHeader.decode(header);
      this.value = value;
      this.appended = appended;
    }
  }

  /**
   * Empty logs.
   *
   * @param nowMs the clock of the logs
   */
  public SimAppendLogs(SplittableRandom random, LongSupplier nowMs) {
    this.random = random;
    this.nowMs = nowMs;
  }

  /** Random bytes of a marker. */
  long marker() {
    return ++markers;
  }

  /** The batches of a partition that count, by the rule as the page says it. */
  public List<ChangeBatch> counted(int partition) {
    List<ChangeBatch> counted = new ArrayList<>();
    long epoch = -1;
    long marker = 0;
    long number = 0;
    long position = 1;
    List<Landed> all = records(partition);
    for (int offset = 0; offset < all.size(); offset++) {
      AppendHeader header = all.get(offset).header;
      if (header.kind() == AppendHeader.Kind.MARKER) {
        epoch = offset;
        marker = header.marker();
        number = 0;
      } else if (header.epoch() == epoch && header.marker() == marker) {
        boolean counts = header.number() == number + 1 && header.first() == position;
        epoch = counts ? epoch : -1;
        number++;
        if (counts) {
          position += header.changes();
          if (header.kind() == AppendHeader.Kind.BATCHES) {
            counted.addAll(
                AppendBatches.parse(
                    all.get(offset).value, partition, header.first(), header.changes()));
          }
        }
      }
    }
    return counted;
  }

  /** The log, as a node sees it. */
  AppendLog of(int node) {
    return new AppendLog() {
      @Override
      public void append(int partition, byte[] header, byte[] value, Appended appended) {
        flight.add(new InFlight(node, partition, header, value, appended));
      }

      @Override
      public boolean isFull() {
        return isFull;
      }
    };
  }

  Log log(int partition) {
    return logs.computeIfAbsent(partition, id -> new Log());
  }

  /** The records of a partition. */
  List<Landed> records(int partition) {
    return log(partition).records;
  }

  /** The number of records of a partition, trimmed ones included. */
  public long size(int partition) {
    return records(partition).size();
  }

  public boolean isIdle() {
    return flight.isEmpty();
  }

  /** No more can be in flight, or there is room again. */
  public void setFull(boolean toBeFull) {
    isFull = toBeFull;
  }

  /** What the node has sent and nobody has got is gone with the node; some of it may still land. */
  public void crashed(int node) {
    flight.removeIf(each -> each.node == node && random.nextBoolean());
  }

  /** Another broker leads the log of a partition, and lacks so many of its last records. */
  public void elect(int partition, int lost) {
    Log log = log(partition);
    log.leaderEpoch++;
    int end = Math.max(log.first, log.records.size() - lost);
    log.records.subList(end, log.records.size()).clear();
  }

  /** The log of a partition begins at this offset. */
  public void trim(int partition, int first) {
    Log log = log(partition);
    log.first = Math.max(log.first, first);
  }

  /** A record lands that no node sent. */
  void land(int partition, AppendHeader header, byte[] value) {
    Log log = log(partition);
    log.records.add(new Landed(header, value, log.leaderEpoch, nowMs.getAsLong()));
  }

  /** The oldest record of a node and a partition lands, or is lost. */
  public void land(boolean isCalm) {
    if (flight.isEmpty()) {
      return;
    }
    InFlight any = flight.get(random.nextInt(flight.size()));
    InFlight oldest =
        flight.stream()
            .filter(each -> each.node == any.node && each.partition == any.partition)
            .findFirst()
            .orElseThrow();
    flight.remove(oldest);
    if (!isCalm && random.nextInt(40) == 0) {
      oldest.appended.done(Optional.empty());
      return;
    }
    land(oldest.partition, oldest.header, oldest.value);
    long offset = size(oldest.partition) - 1;
    if (!isCalm && random.nextInt(60) == 0) {
      land(oldest.partition, oldest.header, oldest.value);
    }
    boolean isAnswered = isCalm || random.nextInt(20) > 0;
    oldest.appended.done(
        isAnswered
            ? Optional.of(new AppendLog.Placed(offset, nowMs.getAsLong()))
            : Optional.empty());
  }

  /** All that is in flight fails. */
  public void failAll() {
    List<InFlight> failed = List.copyOf(flight);
    flight.clear();
    failed.forEach(each -> each.appended.done(Optional.empty()));
  }
}
