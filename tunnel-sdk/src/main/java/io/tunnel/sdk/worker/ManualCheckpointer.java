package io.tunnel.sdk.worker;

import io.tunnel.sdk.processor.ICheckpointer;
import io.tunnel.sdk.transport.Caller;
import io.tunnel.sdk.transport.EventLoops;
import java.util.concurrent.CompletableFuture;

/** Stores a channel's progress when its processor says so; from any thread. */
final class ManualCheckpointer implements ICheckpointer {

  private static final String FINISHED = "finished";

  private final ChannelRunner channel;

  ManualCheckpointer(ChannelRunner channel) {
    this.channel = channel;
  }

  @Override
  public void checkpoint(String token) {
    EventLoops.requireMayBlock("checkpoint");
    var unused = Caller.await(channel.done(position(token), true));
  }

  @Override
  public CompletableFuture<Void> checkpointAsync(String token) {
    return channel.doneAsync(position(token));
  }

  private long position(String token) {
    if (token == null || token.equals(FINISHED)) {
      return channel.givenAndNotThrown();
    }
    long given = channel.given();
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
