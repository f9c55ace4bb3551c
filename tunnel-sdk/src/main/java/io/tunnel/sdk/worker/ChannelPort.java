package io.tunnel.sdk.worker;

import io.tunnel.wire.Frame;
import io.tunnel.wire.Operation;
import java.util.concurrent.CompletableFuture;

/** What a channel needs of the session that holds it. Called on the worker's thread. */
interface ChannelPort {

  /** Asks the server; the future completes on the worker's thread. */
  CompletableFuture<Frame> request(Operation operation, byte[] payload);

  /** The channel takes more than it did: who delivers it is to be told. */
  void granted(ChannelRunner channel);

  /** Tells the server something that has no answer. */
  void push(Operation operation, byte[] payload);

  /** The session is over. */
  void sessionEnded(Throwable reason);

  /** A checkpoint was stored. */
  void checkpointStored();

  /** The channel is in trouble that the log says already. */
  void noted(String channelId, Throwable reason);

  /** The channel is in trouble that somebody should see. */
  void troubled(String channelId, Throwable reason);

  /** The channel can be delivered to: it needs credit. */
  void opened(ChannelRunner channel);

  /** The channel has processed something, which took that much credit; 0 when it ends. */
  void processed(ChannelRunner channel, int bytes);

  /** The channel is over. */
  void closed(ChannelRunner channel);
}
