package io.tunnel.sdk.tunnel;

import io.tunnel.model.ChannelType;
import io.tunnel.sdk.checkpoint.ChannelMove;
import java.util.List;

/**
 * The result of a seek or of its dry run.
 *
 * @param moves one element per channel, in the order of the channels
 * @param serverMs the clock of the server that answered, in milliseconds since 1970
 */
public record SeekTunnelResponse(List<ChannelMove> moves, long serverMs) {

  /** Copies the list. */
  public SeekTunnelResponse {
    moves = List.copyOf(moves);
  }

  /** How many positions all channels of a type deliver again. */
  public long again(ChannelType type) {
    return moves.stream().filter(move -> move.type() == type).mapToLong(ChannelMove::again).sum();
  }

  /** How many positions all channels of a type skip. */
  public long skipped(ChannelType type) {
    return moves.stream().filter(move -> move.type() == type).mapToLong(ChannelMove::skipped).sum();
  }
}
