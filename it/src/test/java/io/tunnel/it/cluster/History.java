package io.tunnel.it.cluster;

import io.tunnel.fixtures.Poll;
import io.tunnel.it.ledger.Seen;
import io.tunnel.it.process.Service;
import io.tunnel.model.ChannelType;
import io.tunnel.model.KnownPosition;
import io.tunnel.model.RefusedException;
import io.tunnel.sdk.PartitionReader;
import io.tunnel.sdk.PartitionReaderConfig;
import io.tunnel.sdk.PartitionRecords;
import io.tunnel.sdk.ReadStart;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.processor.StreamRecord;
import io.tunnel.sdk.table.PartitionInfo;
import io.tunnel.sdk.table.TableInfo;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The changes of one partition, from the first one on.
 *
 * @param known by a reader that has seen the change with the same index
 */
record History(List<Seen> changes, List<KnownPosition> known) {

  private static final Duration POLL = Duration.ofSeconds(1);

  History {
    changes = List.copyOf(changes);
    known = List.copyOf(known);
  }

  /** The position of the last change. */
  long end() {
    return changes.isEmpty() ? 0 : changes.get(changes.size() - 1).position();
  }

  /** The changes up to a position. */
  List<Seen> upTo(long position) {
    return changes.stream().filter(each -> each.position() <= position).toList();
  }

  /** What a reader knows that has read up to a position. */
  KnownPosition knownAt(long position) {
    return known.stream().filter(each -> each.position() == position).findFirst().orElseThrow();
  }

  /** Reads a table up to the ends that its partitions have now. */
  static Map<Integer, History> of(Service service, TableClient tables, String name) {
    Map<Integer, Long> ends = ends(tables, name);
    Map<Integer, History> all = new TreeMap<>();
    TableInfo table = tables.describeTable(name);
    ends.forEach((partition, end) -> all.put(partition, read(service, table, partition, end)));
    return all;
  }

  /** The positions of the last changes, when the leader of each partition tells them. */
  static Map<Integer, Long> ends(TableClient tables, String name) {
    Map<Integer, Long> ends = new TreeMap<>();
    Poll.until(
        Poll.LONG,
        () -> {
          ends.clear();
          List<PartitionInfo> partitions = partitions(tables, name);
          for (PartitionInfo each : partitions) {
            each.figures().ifPresent(figures -> ends.put(each.id(), figures.committed()));
          }
          return !partitions.isEmpty() && ends.size() == partitions.size();
        },
        () -> "the ends of all partitions of " + name + ", but " + ends);
    return ends;
  }

  /** Empty while no node tells the figures of the partitions. */
  private static List<PartitionInfo> partitions(TableClient tables, String name) {
    try {
      return tables.describeTable(name).partitions();
    } catch (RefusedException e) {
      if (!e.retriable()) {
        throw e;
      }
      return List.of();
    }
  }

  private static History read(Service service, TableInfo table, int partition, long end) {
    List<Seen> changes = new ArrayList<>();
    List<KnownPosition> known = new ArrayList<>();
    try (PartitionReader reader =
        new PartitionReader(service.client(), table, PartitionReaderConfig.DEFAULTS)) {
      reader.start(ReadStart.changes(partition, 0));
      long[] last = {0};
      Poll.until(
          Poll.LONG,
          () -> {
            Optional<PartitionRecords> read = poll(reader);
            read.ifPresent(
                records -> {
                  for (StreamRecord each : records.records()) {
                    if (each.position() <= end) {
                      changes.add(Seen.of(ChannelType.Stream, each));
                      long in = records.incarnation().orElseThrow();
                      known.add(new KnownPosition(each.position(), in));
                    }
                    last[0] = each.position();
                  }
                  records.release();
                });
            return last[0] >= end;
          },
          () -> "partition " + partition + " is read to " + end + ", but " + last[0]);
    }
    return new History(changes, known);
  }

  private static Optional<PartitionRecords> poll(PartitionReader reader) {
    try {
      return reader.poll(POLL);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted while reading", e);
    }
  }

  /** Whether a reader that knows a position may go on behind it. */
  static PartitionReader going(Service service, TableInfo table, int partition, KnownPosition at) {
    PartitionReader reader =
        new PartitionReader(service.client(), table, PartitionReaderConfig.DEFAULTS);
    reader.start(ReadStart.changes(partition, at.position()).knowing(at));
    return reader;
  }
}
