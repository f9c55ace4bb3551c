package io.tunnel.flink.sink;

import io.tunnel.model.Durability;
import io.tunnel.sdk.TableWriterConfig;

/** What an acknowledged row has survived when Flink's checkpoint completes. */
public enum WriteDurability {
  /** What the table's options say. */
  TABLE,
  /** Power loss. */
  FSYNC,
  /** A crash of the server's process, not of its machine. */
  OS;

  /** The configuration of a writer of rows that are to be so durable. */
  public TableWriterConfig of(TableWriterConfig config) {
    return switch (this) {
      case TABLE -> config;
      case FSYNC -> config.withDurability(Durability.FSYNC);
      case OS -> config.withDurability(Durability.OS);
    };
  }
}
