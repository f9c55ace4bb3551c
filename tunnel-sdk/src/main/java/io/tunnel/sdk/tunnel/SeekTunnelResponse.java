package io.tunnel.sdk.tunnel;

import io.tunnel.model.ChannelType;
import io.tunnel.sdk.checkpoint.ChannelMove;
import java.util.List;

/**
 * What a seek did, or would do.
 *
 * @param moves one for each channel, in the order of the channels
 */
public record SeekTunnelResponse(List<ChannelMove> moves) {

  /** Copies the list. */
  public SeekTunnelResponse {
    moves = List.copyOf(moves);
  }

  /** Positions that are delivered again, of all channels of a type. */
  public long again(ChannelType type) {
    return moves.stream().filter(move -> move.type() == type).mapToLong(ChannelMove::again).sum();
  }

  /** Positions that are skipped, of all channels of a type. */
  public long skipped(ChannelType type) {
    return moves.stream().filter(move -> move.type() == type).mapToLong(ChannelMove::skipped).sum();
  }
}
