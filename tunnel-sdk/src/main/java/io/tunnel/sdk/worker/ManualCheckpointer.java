package io.tunnel.sdk.worker;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.sdk.ICheckpointer;
import io.tunnel.sdk.transport.Caller;
import io.tunnel.sdk.transport.EventLoops;
import io.tunnel.wire.Frame;
import io.tunnel.wire.Operation;
import java.util.concurrent.CompletableFuture;

/** Stores a channel's progress when its processor says so, on the processor's own thread. */
final class ManualCheckpointer implements ICheckpointer {

  private static final String FINISHED = "finished";

  private final ChannelRunner channel;
  private final WorkerRuntime runtime;

  ManualCheckpointer(ChannelRunner channel, WorkerRuntime runtime) {
    this.channel = channel;
    this.runtime = runtime;
  }

  @Override
  public void checkpoint(String token) {
    EventLoops.requireMayBlock("checkpoint");
    long position = position(token);
    CompletableFuture<Frame> stored =
        channel.port().request(Operation.CHECKPOINT, channel.checkpointPayload(position));
    try {
      var unused = Caller.await(stored);
      runtime.post(() -> channel.stored(position));
    } catch (RefusedException e) {
      if (e.code() != ErrorCode.INVALID_CHECKPOINT) {
        runtime.post(() -> channel.refused(e));
      }
      throw e;
    }
  }

  private long position(String token) {
    long given = channel.given();
    if (token == null || token.equals(FINISHED)) {
      return given;
    }
    long position;
    try {
      position = Long.parseLong(token);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("'" + token + "' is not a token of getNextToken()", e);
    }
    if (position < 0 || position > given) {
      throw new IllegalArgumentException(
          "token " + token + " is not 0 to " + given + ", the last that the processor was given");
    }
    return position;
  }
}
