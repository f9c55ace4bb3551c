package io.tunnel.server.net.delivery;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.channel.Channel;
import io.tunnel.wire.control.ClusterControl.Attach;
import io.tunnel.wire.control.ClusterControl.Attached;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;

/**
 * One channel that somebody attached to, or is about to. Its state belongs to the event loop of its
 * connection.
 *
 * <p>Moves: WAITING to OPEN when it begins to be delivered; to OVER from anywhere. A request that
 * waits is answered once, and a client that was answered is told when the attachment is over,
 * unless the client ended it.
 */
final class Attachment {

  private Wanted wanted;
  private final boolean isGranted;

  /**
   * The nanosecond at which the newest grant ends; never moves back. Written on the event loop,
   * read by any thread, and without a meaning where there is no grant.
   */
  private volatile long deadlineNanos;

  private final Attachments.Port connection;
  private final Consumer<Attachment> gone;
  private State state = State.WAITING;

  /** As long as it waits: the answer holds the request, as long as it came. */
  private Optional<Attachments.Answer> answer;

  /** Set when it is opened; read by any thread. */
  private volatile Optional<Channel> channel = Optional.empty();

  private enum State {
    WAITING,
    OPEN,
    OVER
  }

  /**
   * One that waits.
   *
   * @param deadlineNanos when its grant ends; empty without a grant, when it is not certain that
   *     the request is of the session that holds the channel
   * @param gone is told when it is over, at least once
   */
  Attachment(
      Wanted wanted,
      OptionalLong deadlineNanos,
      Attachments.Port connection,
      Attachments.Answer answer,
      Consumer<Attachment> gone) {
    this.wanted = wanted;
    this.isGranted = deadlineNanos.isPresent();
    this.deadlineNanos = deadlineNanos.orElse(0);
    this.connection = connection;
    this.answer = Optional.of(answer);
    this.gone = gone;
  }

  Wanted wanted() {
    return wanted;
  }

  Attach request() {
    return wanted.request();
  }

  boolean isGranted() {
    return isGranted;
  }

  /** Whether its grant has ended. For any thread. */
  boolean isOverdue(long nowNanos) {
    return isGranted && nowNanos - deadlineNanos >= 0;
  }

  /** A newer grant lasts until then; a late, older grant changes nothing. */
  void lastsUntil(long nanos) {
    if (nanos - deadlineNanos > 0) {
      deadlineNanos = nanos;
    }
  }

  /** It is known now where the channel ends; said again, it means nothing new. */
  void endAt(long position) {
    if (!request().end().equals(Optional.of(position))) {
      wanted = wanted.endingAt(position);
      channel.ifPresent(opened -> opened.endAt(position));
    }
  }

  int handle() {
    return wanted.handle();
  }

  Attachments.Port connection() {
    return connection;
  }

  /** The position up to which its client has everything, once it is open; for any thread. */
  OptionalLong delivered() {
    return channel.stream().mapToLong(Channel::delivered).findFirst();
  }

  boolean isWaiting() {
    return state == State.WAITING;
  }

  /** Begins to deliver what is of that incarnation, if it has one. */
  void open(Channel opened, Optional<Long> incarnation) {
    if (state != State.WAITING) {
      throw new IllegalStateException("handle " + handle() + " is opened when it is " + state);
    }
    state = State.OPEN;
    channel = Optional.of(opened);
    connection.carried().carry(handle(), opened);
    takeAnswer().orElseThrow().attached(new Attached(handle(), incarnation));
    // Not before: a channel may begin with its end.
    opened.start();
  }

  private Optional<Attachments.Answer> takeAnswer() {
    Optional<Attachments.Answer> taken = answer;
    answer = Optional.empty();
    return taken;
  }

  /** Delivers nothing any more, and says why. */
  void take(RefusedException reason) {
    State former = state;
    Optional<Attachments.Answer> waiting = takeAnswer();
    over();
    if (waiting.isPresent()) {
      waiting.get().refused(reason);
    } else if (former == State.OPEN) {
      connection.pushFailure(handle(), reason);
    }
  }

  /** Delivers nothing any more, and answers nothing: the request is refused by somebody else. */
  void failed() {
    answer = Optional.empty();
    over();
  }

  /** Delivers nothing any more, for somebody who knows. */
  void over() {
    state = State.OVER;
    takeAnswer().ifPresent(Attachments.Answer::dropped);
    connection.carried().drop(handle());
    gone.accept(this);
  }

  /**
   * Delivers nothing any more, because somebody attached to the channel under that epoch. With the
   * same epoch it was the same worker, whose requests on two connections may come in another order
   * than they were made: if the one that it waits on no more comes last, it has to attach again,
   * and must not take itself for fenced.
   */
  void replacedBy(long epoch) {
    take(
        epoch != request().epoch()
            ? fenced(request(), epoch)
            : new RefusedException(
                ErrorCode.BUSY,
                "channel "
                    + request().channelId()
                    + " was attached to once more under epoch "
                    + epoch));
  }

  /** The channel is delivered under a newer epoch than that of the request. */
  static RefusedException fenced(Attach request, long newest) {
    return new RefusedException(
        ErrorCode.FENCED,
        "channel "
            + request.channelId()
            + " was attached to under epoch "
            + newest
            + ", and is delivered under epoch "
            + request.epoch()
            + " no more");
  }
}
