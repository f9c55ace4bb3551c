package io.tunnel.server.table;

import io.tunnel.model.value.Bytes;

/** Stored rows of a newer build. */
public final class NewerRows {

  private NewerRows() {}

  /** Reads a stored value whose names stand in it. */
  public static int columns(Bytes value) {
    return StoredRow.columns(value.toByteArray(), new Dictionaries(new StoredMap()).namesOf(1))
        .size();
  }
}
