package io.tunnel.flink.source.reader;

import io.tunnel.model.ChannelType;
import io.tunnel.sdk.StreamRecord;

/**
 * A record on its way through Flink's reader base, which hands one out at a time: so that one of
 * these serves for all records of a fetch.
 */
final class FetchedRecord {

  private final ChannelType type;
  private StreamRecord record;

  FetchedRecord(ChannelType type) {
    this.type = type;
  }

  FetchedRecord of(StreamRecord next) {
    record = next;
    return this;
  }

  ChannelType type() {
    return type;
  }

  StreamRecord record() {
    return record;
  }
}
