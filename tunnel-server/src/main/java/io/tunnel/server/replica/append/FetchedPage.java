package io.tunnel.server.replica.append;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.MalformedException;
import io.tunnel.codec.NewerFormatException;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.changes.LostHistory;
import io.tunnel.server.log.AppendBatches;
import io.tunnel.server.replica.append.AppendTail.Stored;
import io.tunnel.server.replica.append.PagesCore.Fetch;
import io.tunnel.server.replica.append.SearchCore.Side;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Reads one page of old changes: first searches the record of the page's first position, unless its
 * offset is known, then takes the batches of the records that count, until the page is full or
 * reaches its limit.
 */
final class FetchedPage {

  private final Fetch fetch;
  private final int bytesMax;

  /** Empty while records are read for the page. */
  private Optional<SearchCore> search;

  private final List<ChangeBatch> batches = new ArrayList<>();

  /** The offset of the next record of the page. */
  private long nextOffset;

  /** The position after the last batch; of an empty page, the position that is searched. */
  private long position;

  /** The offset after the last record that was taken. */
  private long takenTo;

  /** Bytes of the records that were taken. */
  private long heldBytes;

  private Optional<OldPage> page = Optional.empty();

  /** A fetch that searches a record from {@code low} to before {@code high}. */
  FetchedPage(Fetch fetch, SearchCore search, KnownLog known, int bytesMax) {
    this.fetch = fetch;
    this.search = Optional.of(search);
    this.bytesMax = bytesMax;
    this.position = fetch.position();
    startIfFound(known);
  }

  /** A fetch that begins with the record at {@code offset}. */
  FetchedPage(Fetch fetch, long offset, int bytesMax) {
    this.fetch = fetch;
    this.search = Optional.empty();
    this.bytesMax = bytesMax;
    this.position = fetch.position();
    this.nextOffset = offset;
  }

  Fetch fetch() {
    return fetch;
  }

  /** The offset to read from. */
  long next() {
    return search.map(SearchCore::next).orElse(nextOffset);
  }

  /** The page, when the page is complete. */
  Optional<OldPage> page() {
    return page;
  }

  /** Bytes of records that are held for the page so far. */
  long heldBytes() {
    return heldBytes;
  }

  /**
   * Takes what was read from {@link #next} on.
   *
   * @param readTo the tail has read all records before this offset
   * @param known what the node knows of the log now
   */
  void read(List<Stored> records, long readTo, KnownLog known) {
    if (search.isPresent()) {
      search.get().read(records, readTo, record -> side(record, known, fetch.position()));
      startIfFound(known);
      return;
    }
    for (Stored record : records) {
      if (page.isEmpty() && known.counts(record) && record.header().changes() > 0) {
        take(record);
      }
    }
    nextOffset = readTo;
    if (page.isEmpty() && readTo >= known.follow().next()) {
      end();
    }
  }

  /** On which side of the change at {@code position} a record is. */
  static Side side(Stored record, KnownLog known, long position) {
    if (!known.counts(record)) {
      return Side.UNUSABLE;
    }
    long first = record.header().first();
    if (first > position) {
      return Side.AFTER;
    }
    return first + record.header().changes() > position ? Side.EXACT : Side.BEFORE;
  }

  private void startIfFound(KnownLog known) {
    SearchCore searched = search.get();
    if (searched.isDone()) {
      search = Optional.empty();
      nextOffset = searched.found().map(Stored::offset).orElse(searched.last());
      if (nextOffset >= known.follow().next()) {
        end();
      }
    }
  }

  private void take(Stored record) {
    long begins = record.header().first();
    boolean isFirst = batches.isEmpty();
    if (isFirst && begins + record.header().changes() <= position) {
      return;
    }
    if (begins > position) {
      end(new LostHistory(fetch.partition(), position, begins - 1).refusal());
      return;
    }
    if (!isFirst && begins < position) {
      refuse(ErrorCode.CORRUPT, record.offset(), "has position " + begins + " again");
      return;
    }
    try {
      for (ChangeBatch batch :
          AppendBatches.parse(
              record.value(), fetch.partition(), begins, record.header().changes())) {
        if (batch.rowCount() > 0 && batch.lastPosition() >= position) {
          batches.add(batch);
        }
      }
    } catch (NewerFormatException e) {
      held(record.offset(), e.getMessage());
      return;
    } catch (MalformedException e) {
      refuse(ErrorCode.CORRUPT, record.offset(), e.getMessage());
      return;
    }
    position = begins + record.header().changes();
    takenTo = record.offset() + 1;
    heldBytes += record.value().length;
    if (heldBytes >= bytesMax || position >= fetch.limit()) {
      end();
    }
  }

  private void refuse(ErrorCode code, long offset, String reason) {
    end(new RefusedException(code, where(offset) + reason));
  }

  private String where(long offset) {
    return "record " + offset + " of partition " + fetch.partition() + ": ";
  }

  /** The log has no record of the page after those that were taken. */
  private void end() {
    end(new LostHistory(fetch.partition(), position, fetch.limit() - 1).refusal());
  }

  /** Ends the page; the page says why only where it has no change. The next page says the rest. */
  private void end(RefusedException reason) {
    page =
        Optional.of(
            batches.isEmpty()
                ? OldPage.refused(fetch.partition(), position, reason)
                : new OldPage(
                    fetch.partition(),
                    batches.get(0).basePosition(),
                    position,
                    batches,
                    heldBytes,
                    takenTo,
                    Optional.empty()));
  }

  /** The log begins at {@code start} now. Ends a page with changes; otherwise searches again. */
  void trimmed(long start, KnownLog known) {
    if (!batches.isEmpty()) {
      end();
      return;
    }
    if (search.isPresent()) {
      search.get().trimmed(start);
    } else {
      search = Optional.of(new SearchCore(start, known.follow().next(), true));
    }
    startIfFound(known);
  }

  /**
   * The record at {@code offset} is of a newer build, so a node of that build delivers the changes,
   * or this node after its upgrade.
   */
  void held(long offset, String reason) {
    end(RefusedException.notLeader(where(offset) + reason, Optional.empty()));
  }
}
