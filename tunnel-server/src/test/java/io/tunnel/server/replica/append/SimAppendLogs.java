package io.tunnel.server.replica.append;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.server.log.AppendBatches;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * Logs of appends whose network does everything that a producer without a fault of the log may
 * meet: records of different nodes overtake each other, are lost with the ones after them in place,
 * land twice, and land without an acknowledgement.
 */
public final class SimAppendLogs {

  private final SplittableRandom random;
  private long markers;
  private final TreeMap<Integer, List<Landed>> logs = new TreeMap<>();
  private final List<InFlight> flight = new ArrayList<>();

  /** A record that is in the log. */
  static final class Landed {
    final AppendHeader header;
    final byte[] value;

    Landed(AppendHeader header, byte[] value) {
      this.header = header;
      this.value = value;
    }
  }

  private record InFlight(int node, int partition, Landed record, AppendLog.Appended appended) {}

  public SimAppendLogs(SplittableRandom random) {
    this.random = random;
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
          counted.addAll(
              AppendBatches.parse(
                  all.get(offset).value, partition, header.first(), header.changes()));
        }
      }
    }
    return counted;
  }

  /** The log, as a node sees it. */
  AppendLog of(int node) {
    return (partition, header, value, appended) ->
        flight.add(
            new InFlight(
                node, partition, new Landed(AppendHeader.decode(header), value), appended));
  }

  /** The records of a partition. */
  List<Landed> records(int partition) {
    return logs.computeIfAbsent(partition, id -> new ArrayList<>());
  }

  public boolean isIdle() {
    return flight.isEmpty();
  }

  /** What the node has sent and nobody has got is gone with the node; some of it may still land. */
  public void crashed(int node) {
    flight.removeIf(each -> each.node() == node && random.nextBoolean());
  }

  /** The oldest record of a node and a partition lands, or is lost. */
  public void land(boolean isCalm) {
    if (flight.isEmpty()) {
      return;
    }
    InFlight any = flight.get(random.nextInt(flight.size()));
    InFlight oldest =
        flight.stream()
            .filter(each -> each.node() == any.node() && each.partition() == any.partition())
            .findFirst()
            .orElseThrow();
    flight.remove(oldest);
    if (!isCalm && random.nextInt(40) == 0) {
      oldest.appended().done(OptionalLong.empty());
      return;
    }
    List<Landed> log = records(oldest.partition());
    log.add(oldest.record());
    long offset = log.size() - 1L;
    if (!isCalm && random.nextInt(60) == 0) {
      log.add(oldest.record());
    }
    boolean isAnswered = isCalm || random.nextInt(20) > 0;
    oldest.appended().done(isAnswered ? OptionalLong.of(offset) : OptionalLong.empty());
  }
}
