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

/** One channel of a tunnel: its progress, who holds it, and why nobody may. */
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
   * A channel that nobody holds.
   *
   * @param before the channel that has to be finished first, if any
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

  /** Whether a session may be given it, now or when its holder has given it back. */
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

  /** Nobody holds it any more. */
  void taken(Hold.State how) {
    hold.ifPresent(held -> held.over(how));
    hold = Optional.empty();
    retry = Optional.empty();
    status = ChannelStatus.WAIT;
    hasSeenEnd = isAtEnd();
  }

  /** Its holder has read up to the end. */
  void sawEnd() {
    hasSeenEnd = true;
  }

  /** The position behind which it ends, once that is known: of base data when it was read. */
  OptionalLong end() {
    return type == ChannelType.Stream || hasSeenEnd ? source.end() : OptionalLong.empty();
  }

  private boolean isAtEnd() {
    OptionalLong end = end();
    return end.isPresent() && checkpointed == end.getAsLong();
  }

  /**
   * It is finished when all of it was processed and nobody holds it.
   *
   * @return whether it was finished by this
   */
  boolean finish() {
    boolean isFinishing = status == ChannelStatus.WAIT && isAtEnd() && isReady();
    if (isFinishing) {
      status = ChannelStatus.TERMINATED;
      clearError();
    }
    return isFinishing;
  }

  /** Goes on behind another position; nobody holds it. */
  void moveTo(long position, Bytes key, boolean isFinished) {
    checkpointed = position;
    source.moveTo(position, key);
    hasSeenEnd = isFinished;
    status =
        isFinished && type == ChannelType.BaseData ? ChannelStatus.TERMINATED : ChannelStatus.WAIT;
  }

  /** The server has crashed: nobody holds it, and checkpoints of lost changes are taken back. */
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

  /** Whether nothing is left to be processed now. */
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

  /** Its holder tries again what its processor failed at, or does not (any more). */
  void retry(Optional<Retry> how) {
    retry = how;
  }

  /** Position of the last change that its holder was sent, or would be sent next to. */
  long delivered() {
    return hold.map(Hold::delivered).orElse(checkpointed);
  }

  /** Of a base channel: as far as is known before its end, all rows of the partition. */
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
