package io.tunnel.flink.source.reader;

import io.tunnel.sdk.PartitionRecords;
import io.tunnel.sdk.processor.StreamRecord;
import io.tunnel.sdk.table.PartitionPositions;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToLongFunction;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.SourceReaderMetricGroup;
import org.apache.flink.util.clock.Clock;

/**
 * The lag of each channel of a reader, in positions, from the partitions' last positions, which the
 * service is asked for now and then. Thread-safe.
 */
final class ChannelFigures {

  /** The group of a channel's gauges. */
  static final String GROUP = "channel";

  static final String POSITION = "position";
  static final String LAG = "lag";

  /** A standard metric of Flink's sources that Flink does not fill by itself. */
  static final String FETCH_LAG = "currentFetchEventTimeLag";

  private static final long NONE = -1;

  private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final SourceReaderMetricGroup group;
  private final Clock clock;
  private final Map<Integer, Figures> channels = new ConcurrentHashMap<>();

  /** Partitions with registered gauges, which Flink never removes. */
  private final Set<Integer> registered = ConcurrentHashMap.newKeySet();

  private final AtomicLong lookedNanos;
  private final AtomicLong fetchLagMs = new AtomicLong(NONE);
  private final Counter bytesIn;

  /** Gauges in {@code group}. */
  ChannelFigures(SourceReaderMetricGroup group, Clock clock) {
    this.group = group;
    this.clock = clock;
    this.lookedNanos = new AtomicLong(clock.relativeTimeNanos() - LOOK_NANOS);
    this.bytesIn = group.getIOMetricGroup().getNumBytesInCounter();
    group.setPendingRecordsGauge(this::pending);
    group.gauge(FETCH_LAG, (Gauge<Long>) fetchLagMs::get);
  }

  /** The figures of one channel. */
  static final class Figures {
    private final AtomicLong emitted;
    private final AtomicLong latest;

    Figures(long emitted) {
      this.emitted = new AtomicLong(emitted);
      this.latest = new AtomicLong(emitted);
    }

    /** Notes the position of the last emitted change. */
    void emitted(long position) {
      emitted.lazySet(position);
    }

    long position() {
      return emitted.get();
    }

    long lag() {
      return Math.max(0, latest.get() - emitted.get());
    }
  }

  /** Starts the figures of a channel. */
  Figures channel(int partition, long position) {
    Figures figures = new Figures(position);
    channels.put(partition, figures);
    if (registered.add(partition)) {
      MetricGroup channel = group.addGroup(GROUP, Integer.toString(partition));
      channel.gauge(POSITION, (Gauge<Long>) () -> of(partition, Figures::position));
      channel.gauge(LAG, (Gauge<Long>) () -> of(partition, Figures::lag));
    }
    return figures;
  }

  /** Ends the figures of a channel. */
  void forget(int partition) {
    channels.remove(partition);
  }

  /** Notes delivered records. */
  void fetched(PartitionRecords delivered) {
    List<StreamRecord> records = delivered.records();
    if (!records.isEmpty()) {
      long commitMicros = records.get(records.size() - 1).commitMicros();
      fetchLagMs.set(clock.absoluteTimeMillis() - TimeUnit.MICROSECONDS.toMillis(commitMicros));
    }
  }

  /**
   * Counts records that the job takes. Only on the task's thread, because Flink's counters are not
   * thread-safe.
   */
  void taken(PartitionRecords delivered) {
    bytesIn.inc(delivered.bytes());
  }

  /** Counts a record that could not be emitted. Only on the task's thread. */
  void failed() {
    group.getNumRecordsInErrorsCounter().inc();
  }

  private long of(int partition, ToLongFunction<Figures> figure) {
    Figures figures = channels.get(partition);
    return figures == null ? 0 : figure.applyAsLong(figures);
  }

  /** How many positions of all channels are not emitted yet. */
  long pending() {
    return channels.values().stream().mapToLong(Figures::lag).sum();
  }

  /**
   * Asks for the partitions' last positions, unless asked recently; does not wait for the answer.
   */
  void look(PartitionSource source) {
    long nowNanos = clock.relativeTimeNanos();
    if (nowNanos - lookedNanos.get() < LOOK_NANOS) {
      return;
    }
    lookedNanos.set(nowNanos);
    var unused =
        source
            .positions()
            .thenAccept(found -> found.partitions().forEach(this::found))
            // The next look may succeed; reading itself notices a lasting failure.
            .exceptionally(failure -> null);
  }

  private void found(PartitionPositions positions) {
    Figures figures = channels.get(positions.partition());
    if (figures != null) {
      figures.latest.set(positions.latest());
    }
  }
}
