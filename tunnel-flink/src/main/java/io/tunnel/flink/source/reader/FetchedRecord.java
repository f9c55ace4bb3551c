package io.tunnel.flink.source.reader;

import io.tunnel.model.ChannelType;
import io.tunnel.sdk.PartitionRecords.SeenIn;
import io.tunnel.sdk.processor.StreamRecord;
import java.util.Optional;

/**
 * A record, or the end of rows before changes, on its way through Flink's reader base. The base
 * handles one record at a time, so one object serves all records of a fetch.
 */
final class FetchedRecord {

  private final ChannelType type;
  private final SeenIn seenIn;
  private Optional<StreamRecord> record = Optional.empty();

  /** The end of rows, until a record is set. */
  FetchedRecord(ChannelType type, SeenIn seenIn) {
    this.type = type;
    this.seenIn = seenIn;
  }

  FetchedRecord of(StreamRecord next) {
    record = Optional.of(next);
    return this;
  }

  ChannelType type() {
    return type;
  }

  /** The incarnation of the position, or the position at which rows or their end were read. */
  SeenIn seenIn() {
    return seenIn;
  }

  boolean isRowsEnd() {
    return record.isEmpty();
  }

  StreamRecord record() {
    return record.orElseThrow();
  }
}
