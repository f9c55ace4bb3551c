package io.tunnel.sdk.tunnel;

import io.tunnel.model.StreamStart;
import java.util.Objects;
import java.util.Optional;

/**
 * Where the stream of a tunnel starts and ends.
 *
 * @param flag where the stream starts without a {@code startOffset}
 * @param startOffset starts with the first change committed at or after this moment, in
 *     milliseconds since 1970
 * @param endOffset ends before the first change committed at or after this moment, in milliseconds
 *     since 1970; if absent, the stream never ends
 */
public record StreamTunnelConfig(
    StreamStart flag, Optional<Long> startOffset, Optional<Long> endOffset) {

  /** Starts with the first change after the tunnel's creation. */
  public static final StreamTunnelConfig LATEST = of(StreamStart.LATEST);

  /** Starts with the oldest kept change. */
  public static final StreamTunnelConfig EARLIEST = of(StreamStart.EARLIEST);

  /** Refuses null, moments before 1970, and an end that is not after the start. */
  public StreamTunnelConfig {
    Objects.requireNonNull(flag, "flag");
    Objects.requireNonNull(startOffset, "startOffset");
    Objects.requireNonNull(endOffset, "endOffset");
    startOffset.ifPresent(ms -> requireMoment("startOffset", ms));
    endOffset.ifPresent(ms -> requireMoment("endOffset", ms));
    if (startOffset.isPresent() && endOffset.isPresent() && startOffset.get() >= endOffset.get()) {
      throw new IllegalArgumentException(
          "endOffset " + endOffset.get() + " is not after startOffset " + startOffset.get());
    }
  }

  private static void requireMoment(String name, long ms) {
    if (ms < 0) {
      throw new IllegalArgumentException(name + " is milliseconds since 1970, not " + ms);
    }
  }

  /** A stream that starts at {@code flag} and never ends. */
  public static StreamTunnelConfig of(StreamStart flag) {
    return new StreamTunnelConfig(flag, Optional.empty(), Optional.empty());
  }

  /** A stream that starts with the first change committed at or after a moment. */
  public static StreamTunnelConfig fromTime(long startOffset) {
    return new StreamTunnelConfig(StreamStart.LATEST, Optional.of(startOffset), Optional.empty());
  }

  /** A copy that ends before the first change committed at or after a moment. */
  public StreamTunnelConfig withEnd(long newEndOffset) {
    return new StreamTunnelConfig(flag, startOffset, Optional.of(newEndOffset));
  }
}
