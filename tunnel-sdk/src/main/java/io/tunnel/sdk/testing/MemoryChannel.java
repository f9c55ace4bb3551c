package io.tunnel.sdk.testing;

import io.tunnel.model.ChannelStatus;
import io.tunnel.model.ChannelType;
import io.tunnel.model.value.Bytes;
import io.tunnel.sdk.testing.table.ChannelSource;
import io.tunnel.sdk.testing.table.MemoryPartition;
import io.tunnel.wire.control.Control.ChannelDescription;
import io.tunnel.wire.control.FailureControl.FailedChange;
import io.tunnel.wire.control.FailureControl.Retry;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/** One channel of a tunnel: its progress, its holder, and the reasons against a holder. */
final class MemoryChannel {

  private final String id;
  private final ChannelType type;
  private final MemoryPartition partition;
  private final ChannelSource source;
  private final Optional<MemoryChannel> before;
  private ChannelStatus status = ChannelStatus.WAIT;
  private Optional<Hold> hold = Optional.empty();
  private Optional<String> error = Optional.empty();
  private Optional<FailedChange> failedAt = Optional.empty();
  private Optional<Retry> retry = Optional.empty();
  private boolean isPaused;
  private boolean hasSeenEnd;
  private long epoch;
  private long checkpointed;
  private long revokedUntilMicros;

  /**
   * A channel without a holder.
   *
   * @param before the channel that must finish first, if any
   */
  MemoryChannel(
      String tunnelId,
      ChannelType type,
      MemoryPartition partition,
      ChannelSource source,
      Optional<MemoryChannel> before) {
    String name = partition.id() + "_" + tunnelId;
    this.id = type == ChannelType.BaseData ? name + "_base" : name;
    this.type = type;
    this.partition = partition;
    this.source = source;
    this.before = before;
  }

  String id() {
    return id;
  }

  ChannelType type() {
    return type;
  }

  MemoryPartition partition() {
    return partition;
  }

  ChannelSource source() {
    return source;
  }

  ChannelStatus status() {
    return status;
  }

  Optional<Hold> hold() {
    return hold;
  }

  long checkpointed() {
    return checkpointed;
  }

  boolean isTerminated() {
    return status == ChannelStatus.TERMINATED;
  }

  boolean isHeldBy(MemorySession session) {
    return hold.isPresent() && hold.get().session() == session;
  }

  /** Whether the channel may be assigned to a session, now or when its holder has given it back. */
  boolean isWanted() {
    return !isTerminated() && !isPaused && error.isEmpty() && isReady();
  }

  private boolean isReady() {
    return before.map(MemoryChannel::isTerminated).orElse(true);
  }

  void assigned(Hold to) {
    hold = Optional.of(to);
    epoch = to.epoch();
    status = ChannelStatus.OPEN;
  }

  void revoked(long untilMicros) {
    status = ChannelStatus.CLOSING;
    revokedUntilMicros = untilMicros;
  }

  boolean isOverdue(long nowMicros) {
    return status == ChannelStatus.CLOSING && nowMicros >= revokedUntilMicros;
  }

  /** Ends the holding. */
  void taken(Hold.State how) {
    hold.ifPresent(held -> held.over(how));
    hold = Optional.empty();
    retry = Optional.empty();
    status = ChannelStatus.WAIT;
    hasSeenEnd = isAtEnd();
  }

  /** Notes that the holder has read up to the end. */
  void sawEnd() {
    hasSeenEnd = true;
  }

  /** The last position of the channel, once known; for base data, once all rows were read. */
  OptionalLong end() {
    return type == ChannelType.Stream || hasSeenEnd ? source.end() : OptionalLong.empty();
  }

  private boolean isAtEnd() {
    OptionalLong end = end();
    return end.isPresent() && checkpointed == end.getAsLong();
  }

  /**
   * Finishes the channel if all changes are processed and no session holds it.
   *
   * @return whether this call finished the channel
   */
  boolean finish() {
    boolean isFinishing = status == ChannelStatus.WAIT && isAtEnd() && isReady();
    if (isFinishing) {
      status = ChannelStatus.TERMINATED;
      clearError();
    }
    return isFinishing;
  }

  /** Moves the channel, which has no holder, behind another position. */
  void moveTo(long position, Bytes key, boolean isFinished) {
    checkpointed = position;
    source.moveTo(position, key);
    hasSeenEnd = isFinished;
    status =
        isFinished && type == ChannelType.BaseData ? ChannelStatus.TERMINATED : ChannelStatus.WAIT;
  }

  /**
   * Crashes with the server: the channel loses its holder, and checkpoints of lost changes are
   * taken back.
   */
  void crashed(long newEpoch) {
    hold = Optional.empty();
    retry = Optional.empty();
    epoch = newEpoch;
    status = isTerminated() ? status : ChannelStatus.WAIT;
    if (type == ChannelType.Stream) {
      checkpointed = Math.min(checkpointed, partition.committed());
    } else if (!isTerminated()) {
      hasSeenEnd = false;
      source.crashed(checkpointed);
    }
  }

  /** Whether all present changes are processed. */
  boolean isProcessed() {
    return isTerminated()
        || (type == ChannelType.Stream
            && checkpointed >= Math.min(partition.committed(), end().orElse(Long.MAX_VALUE)));
  }

  void checkpoint(long position) {
    checkpointed = position;
  }

  void pause(boolean paused) {
    isPaused = paused;
  }

  void stop(String reason, Optional<FailedChange> at) {
    error = Optional.of(reason);
    failedAt = at;
  }

  void clearError() {
    error = Optional.empty();
    failedAt = Optional.empty();
  }

  /** Notes the holder's retries of a failing processor; empty when there are none. */
  void retry(Optional<Retry> how) {
    retry = how;
  }

  /** The position of the last delivered change; without a holder, the checkpoint. */
  long delivered() {
    return hold.map(Hold::delivered).orElse(checkpointed);
  }

  /**
   * The remaining rows of a base channel; before the end is known, all rows of the partition count.
   */
  private long rowsAhead(OptionalLong end) {
    return Math.max(0, end.orElse(partition.rows().size()) - checkpointed);
  }

  ChannelDescription describe(long nowMicros, boolean isTunnelPaused) {
    boolean isStream = type == ChannelType.Stream;
    long committed = Math.max(source.committed(delivered()), delivered());
    long lagMs =
        isStream
            ? partition
                .commitMicrosAfter(checkpointed)
                .map(micros -> TimeUnit.MICROSECONDS.toMillis(nowMicros - micros))
                .orElse(0L)
            : 0;
    OptionalLong end = end();
    return new ChannelDescription(
        id,
        partition.id(),
        status,
        hold.map(held -> held.session().id()),
        hold.map(held -> held.session().clientTag()),
        epoch,
        checkpointed,
        delivered(),
        committed,
        isStream ? committed - checkpointed : rowsAhead(end),
        isStream ? partition.bytesAfter(checkpointed) : 0,
        lagMs,
        type,
        isPaused || isTunnelPaused,
        end.isPresent() ? Optional.of(end.getAsLong()) : Optional.empty(),
        error,
        before
            .filter(first -> !first.isTerminated())
            .map(first -> List.of(first.id()))
            .orElse(List.of()),
        Optional.empty(),
        failedAt,
        retry);
  }
}
