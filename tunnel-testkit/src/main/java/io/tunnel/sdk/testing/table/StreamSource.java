package io.tunnel.sdk.testing.table;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.value.Bytes;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/** The changes of a partition, up to an end in time if there is one. */
public final class StreamSource implements ChannelSource {

  private final MemoryPartition partition;
  private final Optional<Long> endMs;
  private final VirtualTime time;

  /** The changes committed before {@code endMs}, or all. */
  public StreamSource(MemoryPartition partition, Optional<Long> endMs, VirtualTime time) {
    this.partition = partition;
    this.endMs = endMs;
    this.time = time;
  }

  @Override
  public Optional<ChangeBatch> next(long position, int bytesMax) {
    long last = end().orElse(Long.MAX_VALUE);
    return partition.changes().stream()
        .filter(batch -> batch.lastPosition() > position)
        .findFirst()
        .filter(batch -> batch.basePosition() <= last && mayShow(batch));
  }

  /** Changes at or after the end are never shown, even before the end is known. */
  private boolean mayShow(ChangeBatch batch) {
    return endMs.isEmpty() || batch.commitMicros() < endMicros();
  }

  private long endMicros() {
    return TimeUnit.MILLISECONDS.toMicros(endMs.orElseThrow());
  }

  @Override
  public OptionalLong end() {
    return endMs.isPresent() && time.micros() >= endMicros()
        ? OptionalLong.of(partition.lastBefore(endMicros()))
        : OptionalLong.empty();
  }

  @Override
  public long committed(long delivered) {
    return partition.committed();
  }

  @Override
  public Bytes keyAt(long position) {
    return Bytes.EMPTY;
  }

  @Override
  public void moveTo(long position, Bytes key) {
    // A stream needs no key beside the position.
  }

  @Override
  public void crashed(long checkpointed) {
    // Changes are read from the partition each time, without state here.
  }
}
