package io.tunnel.server.session;

import io.tunnel.model.Bytes;
import io.tunnel.server.channel.Channel;
import io.tunnel.wire.ChannelEnd;
import java.util.OptionalLong;

/**
 * A channel of a session that another node, or another connection, delivers: the one that the
 * worker attaches to. Here it is only known who holds it, and what the worker says of it.
 */
final class AttachedChannel implements Channel {

  private final Hold hold;
  private final SessionPort port;
  private volatile long reported;
  private volatile OptionalLong end;

  AttachedChannel(Hold hold, OptionalLong end, SessionPort port) {
    this.hold = hold;
    this.end = end;
    this.port = port;
    this.reported = hold.checkpointed();
  }

  @Override
  public void start() {
    // The worker has to attach.
  }

  @Override
  public long epoch() {
    return hold.epoch();
  }

  /** What the worker said it has; it may have more. */
  @Override
  public long delivered() {
    return reported;
  }

  /** The worker has processed everything up to here. */
  void reported(long position) {
    reported = Math.max(reported, position);
  }

  @Override
  public OptionalLong end() {
    return end;
  }

  @Override
  public void endAt(long position) {
    end = OptionalLong.of(position);
    port.limit(new ChannelEnd(hold.handle(), hold.epoch(), position));
  }

  /** Only who delivers it knows the keys of base data; the worker says them. */
  @Override
  public Resume resumeAt(long position) {
    return new Resume(position, Bytes.EMPTY);
  }

  @Override
  public void credit(int bytes) {
    // It is given where the channel is delivered.
  }

  @Override
  public void resume() {
    // Nothing is delivered here.
  }

  @Override
  public void stop() {
    // The worker detaches.
  }
}
