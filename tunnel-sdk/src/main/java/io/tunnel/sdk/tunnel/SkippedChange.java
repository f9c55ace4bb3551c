package io.tunnel.sdk.tunnel;

import io.tunnel.model.ChannelType;
import io.tunnel.model.PrimaryKey;
import java.util.Objects;

/**
 * A change that a worker skipped, because its failure policy answered {@link
 * io.tunnel.sdk.processor.FailurePolicy.Skip}. The key finds the row; partition and position find
 * the change as long as the table keeps it.
 *
 * @param partition the partition of the row
 * @param type Stream for a change; BaseData for a row as it was when the tunnel was created
 * @param position the change's position in the partition; for base data the row's number
 * @param key the row's key
 * @param error the processor's failure, as text for people
 * @param skippedMs when the service stored the skip, in milliseconds since 1970
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
