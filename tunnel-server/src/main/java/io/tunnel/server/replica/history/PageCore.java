package io.tunnel.server.replica.history;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.MalformedException;
import io.tunnel.codec.NewerFormatException;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.changes.LostHistory;
import io.tunnel.server.replica.history.HistoryCore.Fetch;
import io.tunnel.server.replica.shared.RecordCodec;
import io.tunnel.server.replica.shared.RecordHeader;
import io.tunnel.server.replica.shared.RecordValue;
import io.tunnel.server.replica.shared.RunCore;
import io.tunnel.server.replica.shared.SharedLog.Entry;
import io.tunnel.server.replica.shared.SharedLog.Kind;
import io.tunnel.server.replica.shared.SharedLog.Stored;
import java.util.List;
import java.util.Optional;

/**
 * Makes a page of the records of a fetch.
 *
 * <p>Every offset of a page was there when it was read, but for those of known markers. Offsets of
 * a partition have no gaps before they are compacted, so nothing is missing; and what counts is
 * said by the {@link EpochHistory} of a replica that read the same part when it was whole.
 */
final class PageCore {

  /** What a record takes in memory beside its bytes, about. */
  private static final int RECORD_OVERHEAD_BYTES = 100;

  private final Fetch fetch;
  private final int bytesMax;
  private final RunCore runs;
  private long next;
  private long micros;
  private long bytes;
  private Optional<RefusedException> refusal = Optional.empty();
  private boolean isDone;

  /**
   * A page that is empty.
   *
   * @param bytesMax of records, after which it is done
   * @param mergedBytesMax up to which records are put into one batch
   */
  PageCore(Fetch fetch, int bytesMax, int mergedBytesMax) {
    this.fetch = fetch;
    this.bytesMax = bytesMax;
    this.runs = new RunCore(fetch.partition(), mergedBytesMax);
    this.next = fetch.from();
    this.micros = fetch.micros();
  }

  Fetch fetch() {
    return fetch;
  }

  /** The offset that has to be read next. */
  long next() {
    return next;
  }

  /**
   * Takes what was read from {@link #next} on.
   *
   * @param end the offset behind all that was read; what is missing before it is gone
   * @param epochHistory which knows {@link #next}
   * @return whether the page is done
   */
  boolean read(List<Stored> records, long end, EpochHistory epochHistory) {
    if (next < epochHistory.from()) {
      throw new IllegalStateException(
          "what counts is known from " + epochHistory.from() + " on, not from " + next);
    }
    try {
      for (Stored record : records) {
        if (!isDone && comesTo(record.offset(), epochHistory)) {
          read(record, epochHistory);
        }
      }
      if (!isDone && end > next) {
        comesTo(end, epochHistory);
      }
    } catch (NewerFormatException e) {
      // As a replica does: a newer node goes on, or this node after its upgrade.
      refuse(RefusedException.notLeader(where() + e.getMessage(), Optional.empty()));
    } catch (MalformedException e) {
      refuse(new RefusedException(ErrorCode.CORRUPT, where() + e.getMessage()));
    }
    return isDone;
  }

  private String where() {
    return "record " + next + " of partition " + fetch.partition() + ": ";
  }

  /** The log has nothing from {@link #next} on that could be waited for. */
  void lose() {
    refuse(new LostHistory(fetch.partition(), next, fetch.limit() - 1).refusal());
  }

  /** Whether the page goes on to {@code offset}, that is: nothing is missing before. */
  private boolean comesTo(long offset, EpochHistory epochHistory) {
    while (next < Math.min(offset, fetch.limit()) && epochHistory.isMarker(next)) {
      next++;
    }
    if (next >= fetch.limit()) {
      isDone = true;
    } else if (next < offset) {
      long end = Math.min(offset, fetch.limit());
      refuse(new LostHistory(fetch.partition(), next, end - 1).refusal());
    }
    return !isDone;
  }

  /**
   * Ends the page before the refused position: the next page reports the reason, or this page if it
   * is empty.
   */
  private void refuse(RefusedException reason) {
    isDone = true;
    if (next == fetch.from()) {
      refusal = Optional.of(reason);
    }
  }

  private void read(Stored record, EpochHistory epochHistory) {
    Entry entry = record.entry();
    RecordHeader.requireKnown(entry);
    if (epochHistory.counts(record)) {
      // As in the local log, where commit times never fall.
      Optional<RecordValue> value =
          entry.value().map(stored -> RecordCodec.decode(entry.key(), stored));
      micros = Math.max(micros, record.timeMicros());
      if (entry.kind() == Kind.CHANGE) {
        runs.add(record.offset(), micros, false, new RunCore.Row(entry, value));
      }
    }
    next = record.offset() + 1;
    bytes += RECORD_OVERHEAD_BYTES + entry.key().length();
    bytes += entry.value().map(Bytes::length).orElse(0) + entry.attributes().length();
    isDone = bytes >= bytesMax || next >= fetch.limit();
  }

  /** What came of it; to be asked once. */
  HistoryPage page() {
    List<ChangeBatch> batches =
        runs.take().stream().map(run -> run.changes().orElseThrow()).toList();
    // Of a page that is refused, what lies behind is not known; it stands for its first position.
    long end = refusal.isPresent() ? fetch.from() + 1 : next;
    return new HistoryPage(fetch.partition(), fetch.from(), end, batches, micros, refusal);
  }
}
