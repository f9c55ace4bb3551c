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
 * A connection's attachment to one channel, or a request for it. The state belongs to the
 * connection's event loop.
 *
 * <p>Moves: WAITING to OPEN when deliveries begin; to OVER from any state. A waiting request is
 * answered once. A client with an answer is told when the attachment is over, unless the client
 * ended it.
 */
final class Attachment {

  private Wanted wanted;
  private final boolean isGranted;

  /**
   * The nanosecond at which the newest grant ends; never moves back. Written by the event loop,
   * read by any thread; meaningless for a reader, which needs no grant.
   */
  private volatile long deadlineNanos;

  private final Attachments.Port connection;
  private final Consumer<Attachment> gone;
  private State state = State.WAITING;

  /** Present only in WAITING: the answer keeps the whole request in memory. */
  private Optional<Attachments.Answer> answer;

  /** Set by {@link #open}; read by any thread. */
  private volatile Optional<Channel> channel = Optional.empty();

  private enum State {
    WAITING,
    OPEN,
    OVER
  }

  /**
   * A waiting attachment.
   *
   * @param deadlineNanos when the grant ends; empty for a reader
   * @param gone called at least once when the attachment is over
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

  /** Whether the grant has ended. For any thread. */
  boolean isOverdue(long nowNanos) {
    return isGranted && nowNanos - deadlineNanos >= 0;
  }

  /** A newer grant lasts until then; a late, older grant changes nothing. */
  void lastsUntil(long nanos) {
    if (nanos - deadlineNanos > 0) {
      deadlineNanos = nanos;
    }
  }

  /** Sets the end of the channel; idempotent. */
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

  /**
   * The position of the last change that the client was sent; empty before OPEN. For any thread.
   */
  OptionalLong delivered() {
    return channel.stream().mapToLong(Channel::delivered).findFirst();
  }

  boolean isWaiting() {
    return state == State.WAITING;
  }

  /** Begins deliveries of changes of {@code incarnation}, or of any when it is empty. */
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

  /** Ends the attachment and tells the client why. */
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

  /** Ends the attachment without an answer: the caller refuses the request. */
  void failed() {
    answer = Optional.empty();
    over();
  }

  /** Ends the attachment of a client that needs no message. */
  void over() {
    state = State.OVER;
    takeAnswer().ifPresent(Attachments.Answer::dropped);
    connection.carried().drop(handle());
    gone.accept(this);
  }

  /**
   * Ends the attachment because a client attached to the channel under {@code epoch}. Under an
   * equal epoch that client is the same worker on a second connection. Its two requests may arrive
   * out of order, so the refusal must not say FENCED: the worker would stop instead of attaching
   * again.
   *
   * <p>A worker that gave its channel back may be told FENCED here: on a node of a cluster that
   * does not coordinate the tunnel, the next holder's ATTACH can arrive before the worker's DETACH.
   * It logs that its epoch is over, and nothing is lost or repeated, because it has released the
   * channel. On the session's own server {@link Attachments#release} ended the attachment first.
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
