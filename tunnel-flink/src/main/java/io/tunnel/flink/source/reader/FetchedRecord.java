package io.tunnel.flink.source.reader;

import io.tunnel.model.ChannelType;
import io.tunnel.sdk.StreamRecord;
import java.util.Optional;

/**
 * A record, or the end of rows that changes follow, on its way through Flink's reader base, which
 * hands one out at a time: so that one of these serves for all records of a fetch.
 */
final class FetchedRecord {

  private final ChannelType type;
  private final Optional<Long> rowsAt;
  private Optional<StreamRecord> record = Optional.empty();

  /** The end of rows, until it is given a record. */
  FetchedRecord(ChannelType type, Optional<Long> rowsAt) {
    this.type = type;
    this.rowsAt = rowsAt;
  }

  FetchedRecord of(StreamRecord next) {
    record = Optional.of(next);
    return this;
  }

  ChannelType type() {
    return type;
  }

  /** Of rows and of their end, at which position they were read, if the service says so. */
  Optional<Long> rowsAt() {
    return rowsAt;
  }

  boolean isRowsEnd() {
    return record.isEmpty();
  }

  StreamRecord record() {
    return record.orElseThrow();
  }
}
