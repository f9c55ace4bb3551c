package io.tunnel.sdk.testing;

import io.tunnel.model.ChannelType;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.KnownPosition;
import io.tunnel.model.RefusedException;
import io.tunnel.sdk.testing.table.BaseSource;
import io.tunnel.sdk.testing.table.ChannelSource;
import io.tunnel.sdk.testing.table.MatchingSource;
import io.tunnel.sdk.testing.table.MemoryPartition;
import io.tunnel.sdk.testing.table.MemoryTable;
import io.tunnel.sdk.testing.table.StreamSource;
import io.tunnel.sdk.testing.table.VirtualTime;
import io.tunnel.wire.KeyTerms;
import io.tunnel.wire.control.PartitionControl.FindPositions;
import io.tunnel.wire.control.PartitionControl.FoundPositions;
import io.tunnel.wire.control.PartitionControl.Positions;
import io.tunnel.wire.control.PartitionControl.ReadPartition;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** The readings of partitions without a tunnel. A restart forgets all readings. */
final class MemoryReadings {

  /** Above the handles of channels, so that handles are unique. */
  private static final int HANDLE_FIRST = 1 << 30;

  private final VirtualTime time;
  private final Map<Integer, MemoryReading> byHandle = new LinkedHashMap<>();
  private int handles = HANDLE_FIRST;

  /** How often the service has started. */
  private long incarnation = 1;

  MemoryReadings(VirtualTime time) {
    this.time = time;
  }

  /** Notes a restart of the service. */
  void restarted() {
    incarnation++;
  }

  /** The incarnation of all positions given from now on. */
  long incarnation() {
    return incarnation;
  }

  /** Refuses a reader that knows lost changes. */
  void requireKept(MemoryPartition partition, KnownPosition known) {
    boolean isKnown = known.incarnation() >= 1 && known.incarnation() <= incarnation;
    long shared = isKnown ? partition.sharedUpTo(known.incarnation()) : 0;
    long last = Math.min(shared, partition.committed());
    if (known.position() > last) {
      throw new RefusedException(
          ErrorCode.POSITION_REPLACED,
          "changes of partition "
              + partition.id()
              + " up to position "
              + known.position()
              + " were read, and those behind "
              + last
              + " were lost since");
    }
  }

  /**
   * Starts a reading; returns its handle.
   *
   * @param terms the keys of a watch; empty for all
   * @param tables all tables
   */
  int read(
      ReadPartition request, Optional<KeyTerms> terms, Collection<MemoryTable> tables, Peer peer) {
    MemoryTable table =
        tables.stream()
            .filter(each -> each.partitions().stream().anyMatch(of -> isOf(of, request)))
            .findFirst()
            .orElseThrow(
                () ->
                    new RefusedException(
                        ErrorCode.TABLE_NOT_FOUND,
                        "no table has a partition " + request.partition()));
    MemoryPartition partition = table.partition(request.partition());
    terms.ifPresent(given -> given.require(table.meta().primaryKey()));
    request.known().ifPresent(known -> requireKept(partition, known));
    if (request.type() == ChannelType.Stream && request.position() > partition.committed()) {
      throw new RefusedException(
          ErrorCode.INVALID_POSITION,
          "there is no position "
              + request.position()
              + " to go on behind; the newest of partition "
              + partition.id()
              + " is "
              + partition.committed());
    }
    int handle = handles++;
    ChannelSource source = source(request, terms, table, partition);
    byHandle.put(
        handle,
        new MemoryReading(handle, peer, request, terms.isPresent(), source, partition.committed()));
    return handle;
  }

  private static boolean isOf(MemoryPartition partition, ReadPartition request) {
    return partition.id() == request.partition();
  }

  private ChannelSource source(
      ReadPartition request,
      Optional<KeyTerms> terms,
      MemoryTable table,
      MemoryPartition partition) {
    if (request.type() == ChannelType.Stream && terms.isPresent()) {
      return new MatchingSource(partition, terms.get());
    }
    if (request.type() == ChannelType.Stream) {
      // The reader finds the end by commit times; here the end in time only holds later changes
      // back.
      return new StreamSource(
          partition, request.end().isPresent() ? Optional.empty() : request.endMs(), time);
    }
    BaseSource rows = new BaseSource(partition, table.meta().primaryKey(), time.micros(), terms);
    rows.moveTo(request.position(), request.key());
    return rows;
  }

  /** The reading under a handle, unless it has ended. */
  Optional<MemoryReading> of(int handle, Peer peer) {
    return Optional.ofNullable(byHandle.get(handle)).filter(reading -> reading.peer() == peer);
  }

  void detach(int handle, Peer peer) {
    if (of(handle, peer).isPresent()) {
      byHandle.remove(handle);
    }
  }

  void disconnected(Peer peer) {
    byHandle.values().removeIf(reading -> reading.peer() == peer);
  }

  void dropped(MemoryTable table) {
    List<Integer> partitions = table.partitions().stream().map(MemoryPartition::id).toList();
    lost(
        partitions,
        new RefusedException(ErrorCode.TABLE_NOT_FOUND, "table " + table.name() + " was dropped"));
  }

  /** Ends all deliveries of the partitions with a reason. */
  void lost(Collection<Integer> partitions, RefusedException reason) {
    byHandle
        .values()
        .removeIf(
            reading -> {
              boolean isLost = partitions.contains(reading.partition());
              if (isLost) {
                reading.lost(reason);
              }
              return isLost;
            });
  }

  void pump() {
    byHandle.values().forEach(MemoryReading::pump);
  }

  /** The first and last positions of a table's partitions, and their positions at a moment. */
  FoundPositions find(FindPositions request, MemoryTable table) {
    if (request.timeMs().isPresent()
        && (request.timeMs().get() < 0 || request.timeMs().get() > time.ms())) {
      throw new RefusedException(
          ErrorCode.INVALID_POSITION,
          "the time must be between 1970 and now, "
              + Instant.ofEpochMilli(time.ms())
              + ", not "
              + Instant.ofEpochMilli(request.timeMs().get()));
    }
    return new FoundPositions(
        table.tableId(),
        table.partitions().stream()
            .map(
                partition ->
                    new Positions(
                        partition.id(),
                        0,
                        partition.committed(),
                        request
                            .timeMs()
                            .map(ms -> partition.lastBefore(TimeUnit.MILLISECONDS.toMicros(ms))),
                        Optional.of(incarnation)))
            .toList(),
        time.ms());
  }
}
