package io.tunnel.flink.sink;

import io.tunnel.model.Durability;
import io.tunnel.sdk.TableWriterConfig;

/** The failures that acknowledged rows survive once Flink's checkpoint completes. */
public enum WriteDurability {
  /** The table's option. */
  TABLE,
  /** Power loss. */
  FSYNC,
  /** A crash of the server's process, not of its machine. */
  OS;

  /** Adds the durability to the configuration of a writer. */
  public TableWriterConfig of(TableWriterConfig config) {
    return switch (this) {
      case TABLE -> config;
      case FSYNC -> config.withDurability(Durability.FSYNC);
      case OS -> config.withDurability(Durability.OS);
    };
  }
}
