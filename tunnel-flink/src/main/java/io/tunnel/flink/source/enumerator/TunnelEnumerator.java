package io.tunnel.flink.source.enumerator;

import io.tunnel.flink.source.SourceSettings;
import io.tunnel.flink.source.split.TunnelSplit;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.connector.source.SplitsAssignment;
import org.apache.flink.util.FlinkRuntimeException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the present and later partitions of a table, and assigns each partition to a reader when
 * its parents have been read. Asks the service on other threads; the state belongs to the
 * coordinator's thread.
 */
public final class TunnelEnumerator implements SplitEnumerator<TunnelSplit, EnumeratorState> {

  private static final Logger LOG = LoggerFactory.getLogger(TunnelEnumerator.class);

  private final SplitEnumeratorContext<TunnelSplit> context;
  private final SourceSettings settings;
  private final TableLookup lookup;
  private final FirstSplits first;
  private final SplitsCore splits;
  private final Set<Integer> toldTheEnd = new HashSet<>();
  private Optional<Integer> tableId;

  /** A copy for the threads that ask the service. */
  private volatile Set<Integer> known;

  private volatile Set<Integer> whole;

  /** Restores an enumerator from a state, which may be empty. */
  public TunnelEnumerator(
      SplitEnumeratorContext<TunnelSplit> context,
      SourceSettings settings,
      TableLookup lookup,
      EnumeratorState state) {
    this.context = context;
    this.settings = settings;
    this.lookup = lookup;
    this.first = new FirstSplits(settings);
    this.splits = new SplitsCore(state);
    this.tableId = state.tableId();
    this.known = state.known();
    this.whole = state.whole();
  }

  @Override
  public void start() {
    if (tableId.isEmpty()) {
      context.callAsync(() -> first.find(lookup), this::foundFirst);
    } else {
      look();
      assign();
    }
  }

  private void foundFirst(FirstSplits.Found found, Throwable failure) {
    if (failure != null) {
      throw failed(failure);
    }
    LOG.info("table {} has {} partitions", settings.table().table(), found.splits().size());
    tableId = Optional.of(found.tableId());
    found(found.splits());
    splits.finished(
        found.splits().stream()
            .map(WaitingSplit::split)
            .filter(TunnelSplit::isFinished)
            .map(TunnelSplit::partition)
            .toList());
    assign();
    look();
  }

  private void found(List<WaitingSplit> found) {
    splits.found(found);
    known = Set.copyOf(splits.known());
    Set<Integer> all = new HashSet<>(whole);
    found.stream()
        .map(WaitingSplit::split)
        .filter(TunnelSplit::isWhole)
        .forEach(split -> all.add(split.partition()));
    whole = Set.copyOf(all);
  }

  private FlinkRuntimeException failed(Throwable failure) {
    return new FlinkRuntimeException(
        "cannot find the partitions of table "
            + settings.table().table()
            + " at "
            + settings.table().endpoint()
            + ": "
            + failure.getMessage(),
        failure);
  }

  /**
   * Schedules the lookup of new partitions. A bounded source reads only the partitions at its
   * start.
   */
  private void look() {
    long everyMs = settings.reading().discovery().toMillis();
    if (!settings.isBounded() && everyMs > 0) {
      context.callAsync(
          () -> first.findNew(lookup, known, whole), this::foundNew, everyMs, everyMs);
    }
  }

  /** Handles the result of a lookup; an exception here fails the job. */
  void foundNew(FirstSplits.Found found, Throwable failure) {
    if (failure instanceof RefusedException refused
        && refused.code() == ErrorCode.TABLE_NOT_FOUND) {
      throw failed(failure);
    }
    if (failure != null) {
      // The readers notice a lasting failure, and the next lookup may succeed.
      LOG.warn("cannot look for new partitions of {}", settings.table().table(), failure);
      return;
    }
    if (found.tableId() != tableId.orElseThrow()) {
      throw new FlinkRuntimeException(
          "table " + settings.table().table() + " was dropped and made anew under the job");
    }
    found(found.splits());
    assign();
  }

  @Override
  public void handleSplitRequest(int reader, String host) {
    // The enumerator pushes splits; readers do not ask.
  }

  @Override
  public void addSplitsBack(List<TunnelSplit> returned, int reader) {
    splits.returned(reader, returned);
    toldTheEnd.remove(reader);
    assign();
  }

  @Override
  public void addReader(int reader) {
    toldTheEnd.remove(reader);
    assign();
  }

  @Override
  public void handleSourceEvent(int reader, SourceEvent event) {
    if (event instanceof FinishedSplits finished) {
      LOG.info("partitions {} were read to their ends", finished.partitions());
      splits.finished(reader, finished.partitions());
      assign();
    }
  }

  private void assign() {
    if (tableId.isEmpty()) {
      return;
    }
    Map<Integer, List<TunnelSplit>> taken =
        splits.take(context.currentParallelism(), context.registeredReaders().keySet());
    if (!taken.isEmpty()) {
      LOG.info("assigning {}", taken);
      context.assignSplits(new SplitsAssignment<>(taken));
    }
    if (settings.isBounded() && !splits.hasWaiting()) {
      // Each reader is told once: a finished reader would fail on a second message.
      context.registeredReaders().keySet().stream()
          .filter(toldTheEnd::add)
          .forEach(context::signalNoMoreSplits);
    }
  }

  @Override
  public EnumeratorState snapshotState(long checkpointId) {
    splits.checkpoint(checkpointId);
    return new EnumeratorState(tableId, splits.known(), splits.finished(), whole, splits.waiting());
  }

  @Override
  public void notifyCheckpointComplete(long checkpointId) {
    splits.complete(checkpointId);
  }

  @Override
  public void close() {
    lookup.close();
  }
}
