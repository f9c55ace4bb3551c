package io.tunnel.flink.source.reader;

import io.tunnel.model.ChannelType;
import io.tunnel.sdk.PartitionRecords.SeenIn;
import io.tunnel.sdk.processor.StreamRecord;
import java.util.Optional;

/**
 * A record, or the end of rows that changes follow, on its way through Flink's reader base, which
 * hands one out at a time: so that one of these serves for all records of a fetch.
 */
final class FetchedRecord {

  private final ChannelType type;
  private final SeenIn seenIn;
  private Optional<StreamRecord> record = Optional.empty();

  /** The end of rows, until it is given a record. */
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

  /** What the service says of its position, or of that at which rows, or their end, were read. */
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
