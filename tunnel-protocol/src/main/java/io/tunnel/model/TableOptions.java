package io.tunnel.model;

import java.util.Objects;

/** Options of a table. */
public record TableOptions(Durability durability) {

  /** What a table has when nothing is said: {@link Durability#FSYNC}. */
  public static final TableOptions DEFAULT = new TableOptions(Durability.FSYNC);

  /** Refuses null. */
  public TableOptions {
    Objects.requireNonNull(durability, "durability (FSYNC or OS)");
  }
}
