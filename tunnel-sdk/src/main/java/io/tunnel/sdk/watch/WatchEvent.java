package io.tunnel.sdk.watch;

import io.tunnel.sdk.processor.StreamRecord;
import java.util.Objects;

/**
 * A row that a watch has found, or a change that it has seen.
 *
 * @param type which of the two
 * @param record the row as a PUT, or the change; without columns if the watch asked for keys only.
 *     The position of a row is its number, and not that of a change
 */
public record WatchEvent(Type type, StreamRecord record) {

  /** What an event is. */
  public enum Type {
    /** A row that was there when the watch began. */
    ROW,
    /** A change. */
    CHANGE
  }

  /** Refuses null. */
  public WatchEvent {
    Objects.requireNonNull(type, "type");
    Objects.requireNonNull(record, "record");
  }
}
