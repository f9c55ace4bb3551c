package io.tunnel.sdk.processor;

import io.tunnel.model.PrimaryKey;
import java.util.Objects;

/**
 * A change at which a processor fails.
 *
 * @param partition the partition of the changed row
 * @param position position of the change in its partition, or of the first of several changes; in a
 *     base channel the number of the row
 * @param key primary key of the row at {@code position}
 * @param changes number of changes, from {@code position} on, that were processed together; 1 when
 *     the failing change is known
 */
public record FailedChange(int partition, long position, PrimaryKey key, int changes) {

  /** Refuses null. */
  public FailedChange {
    Objects.requireNonNull(key, "key");
  }

  /** For people: {@code position 7 of partition 3, key (id=8)}. */
  @Override
  public String toString() {
    String place = "position " + position + " of partition " + partition + ", key " + key;
    return changes == 1 ? place : "one of " + changes + " changes from " + place;
  }
}
