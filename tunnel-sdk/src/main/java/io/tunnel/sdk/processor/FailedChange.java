package io.tunnel.sdk.processor;

import io.tunnel.model.PrimaryKey;
import java.util.Objects;

/**
 * A change that a processor fails at.
 *
 * @param partition the partition of its row
 * @param position of the change in its partition, or of the first of several; of a base channel the
 *     number of its row
 * @param key its key, or that of the first of several
 * @param changes how many changes were processed together from there on; 1 when it is known which
 *     of them fails
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
