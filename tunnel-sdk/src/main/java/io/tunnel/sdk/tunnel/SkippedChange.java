package io.tunnel.sdk.tunnel;

import io.tunnel.model.ChannelType;
import io.tunnel.model.PrimaryKey;
import io.tunnel.sdk.processor.FailurePolicy;
import java.util.Objects;

/**
 * A change that a worker left out, because its {@link FailurePolicy} said {@link
 * FailurePolicy.Skip}. Its row can be looked at by its key, and the change by partition and
 * position as long as the table keeps it.
 *
 * @param partition the partition of its row
 * @param type Stream for a change; BaseData for a row as it was when the tunnel was created
 * @param position of the change in its partition; of base data the number of the row
 * @param key the row's key
 * @param error what the processor threw, for people
 * @param skippedMs when this was stored, in milliseconds since 1970
 */
public record SkippedChange(
    int partition, ChannelType type, long position, PrimaryKey key, String error, long skippedMs) {

  /** Refuses null. */
  public SkippedChange {
    Objects.requireNonNull(type, "type");
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(error, "error");
  }
}
