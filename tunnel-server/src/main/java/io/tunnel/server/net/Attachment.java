package io.tunnel.server.net;

import io.tunnel.model.RefusedException;
import io.tunnel.server.channel.Channel;
import io.tunnel.wire.control.ClusterControl.Attach;
import io.tunnel.wire.control.ClusterControl.Attached;
import java.util.Optional;

/**
 * One channel that a worker attached to, or is about to. Its state belongs to the event loop of its
 * connection.
 *
 * <p>Moves: WAITING to OPEN when it begins to be delivered; to OVER from anywhere. A request that
 * waits is answered once, and a client that was answered is told when the attachment is over,
 * unless the client ended it.
 */
final class Attachment {

  private final Attach request;
  private final boolean isGranted;
  private final int handle;
  private final Connection connection;
  private final Answer answer;
  private State state = State.WAITING;

  /** Set when it is opened; read by any thread. */
  private volatile Optional<Channel> channel = Optional.empty();

  private enum State {
    WAITING,
    OPEN,
    OVER
  }

  /** Is told once what became of a request to attach, on the connection's event loop. */
  interface Answer {

    /** Deliveries follow. */
    void attached(Attached attached);

    /** There will be none. */
    void refused(RefusedException reason);
  }

  /**
   * One that waits.
   *
   * @param isGranted whether the request is certainly of the session that holds the channel
   */
  Attachment(Attach request, boolean isGranted, int handle, Connection connection, Answer answer) {
    this.request = request;
    this.isGranted = isGranted;
    this.handle = handle;
    this.connection = connection;
    this.answer = answer;
  }

  Attach request() {
    return request;
  }

  boolean isGranted() {
    return isGranted;
  }

  int handle() {
    return handle;
  }

  Connection connection() {
    return connection;
  }

  /** The position up to which its client has everything; readable by any thread. */
  long delivered() {
    return channel.map(Channel::delivered).orElse(request.position());
  }

  boolean isWaiting() {
    return state == State.WAITING;
  }

  /** Begins to deliver. */
  void open(Channel opened) {
    open(opened, Optional.empty());
  }

  /** Begins to deliver what is of that incarnation, if it has one. */
  void open(Channel opened, Optional<Long> incarnation) {
    if (state != State.WAITING) {
      throw new IllegalStateException("handle " + handle + " is opened when it is " + state);
    }
    state = State.OPEN;
    channel = Optional.of(opened);
    connection.carry(handle, opened);
    answer.attached(new Attached(handle, incarnation));
    // Not before: a channel may begin with its end.
    opened.start();
  }

  /** Delivers nothing any more, and says why. */
  void take(RefusedException reason) {
    State former = state;
    over();
    if (former == State.WAITING) {
      answer.refused(reason);
    } else if (former == State.OPEN) {
      connection.pushFailure(handle, reason);
    }
  }

  /** Delivers nothing any more, for somebody who knows. */
  void over() {
    state = State.OVER;
    connection.dropAttachment(handle);
  }
}
