package io.tunnel.sdk.testing;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.ChannelType;
import io.tunnel.model.RefusedException;
import io.tunnel.wire.ChannelEnd;
import io.tunnel.wire.Delivery;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.FailureControl.Retry;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The holding of a channel by one session under one epoch: the deliveries since the last attach,
 * and the credit that is left. Ended holds are kept, to tell a race from a mistake of the client.
 */
final class Hold {

  private static final int DELIVERY_BYTES_MAX = 256 * 1024;

  private final MemoryChannel channel;
  private final MemorySession session;
  private final int handle;
  private final long epoch;
  private Optional<Attachment> attachment = Optional.empty();
  private long delivered;
  private long credit;
  private boolean hasCredit;
  private boolean hasEnded;
  private Optional<Retry> retry = Optional.empty();
  private State state = State.HELD;

  /** Where the channel is delivered: a connection, and the handle there. */
  private record Attachment(Peer peer, int handle) {}

  /** A hold moves from HELD, perhaps by REVOKED, to one of the end states. */
  enum State {
    /** The session holds the channel. */
    HELD,
    /** The session holds the channel, and was asked to give it back; nothing is delivered. */
    REVOKED,
    /** The worker gave the channel back. */
    GIVEN_BACK,
    /** The service took the channel; the worker may not know yet. */
    TAKEN,
    /**
     * The channel was stopped because its changes cannot be read; the worker was told, and will
     * send a stop request, too.
     */
    UNREADABLE
  }

  Hold(MemoryChannel channel, MemorySession session, int handle, long epoch) {
    this.channel = channel;
    this.session = session;
    this.handle = handle;
    this.epoch = epoch;
    this.delivered = channel.checkpointed();
  }

  MemoryChannel channel() {
    return channel;
  }

  MemorySession session() {
    return session;
  }

  int handle() {
    return handle;
  }

  long epoch() {
    return epoch;
  }

  long delivered() {
    return delivered;
  }

  State state() {
    return state;
  }

  boolean isHeld() {
    return state == State.HELD || state == State.REVOKED;
  }

  void over(State now) {
    state = now;
  }

  /** The service took the channel, unless its worker gave it up. */
  void taken() {
    if (isHeld()) {
      state = State.TAKEN;
    }
  }

  /** The holder's retries of a failing processor. */
  Optional<Retry> retry() {
    return retry;
  }

  /** Notes the holder's retries of a failing processor; empty when there are none. */
  void retry(Optional<Retry> how) {
    retry = how;
  }

  /** Starts the delivery behind {@code position} to a connection, under the handle {@code name}. */
  void attach(Peer peer, int name, long position) {
    attachment = Optional.of(new Attachment(peer, name));
    delivered = position;
    credit = 0;
    hasCredit = false;
    hasEnded = false;
  }

  boolean isAttached(Peer peer, int name) {
    return attachment.equals(Optional.of(new Attachment(peer, name)));
  }

  /** Ends the delivery until the next attach. */
  void detach() {
    attachment = Optional.empty();
  }

  /** Ends the delivery, and tells an attached worker the reason. */
  boolean refuse(RefusedException reason) {
    Optional<Attachment> former = attachment;
    attachment = Optional.empty();
    former.ifPresent(to -> to.peer().refuse(Operation.DELIVER.code(), to.handle(), reason));
    return former.isPresent();
  }

  /**
   * Adds credit.
   *
   * @return the credit now
   */
  long credit(int bytes) {
    hasCredit = true;
    credit += bytes;
    return credit;
  }

  /**
   * Delivers as much as there is credit for, and then the end of the channel, if reached.
   *
   * @return the end, when the worker was told now
   */
  OptionalLong pump() {
    return attachment.isPresent() && state == State.HELD
        ? pump(attachment.get())
        : OptionalLong.empty();
  }

  private OptionalLong pump(Attachment to) {
    boolean isUnder = credit > 0;
    while (isUnder) {
      Optional<ChangeBatch> next =
          channel.source().next(delivered, (int) Math.min(credit, DELIVERY_BYTES_MAX));
      next.ifPresent(batch -> deliver(to, batch));
      isUnder = next.isPresent() && credit > 0;
    }
    OptionalLong end = channel.source().end();
    boolean mayLook = hasCredit || channel.type() == ChannelType.Stream;
    if (hasEnded || !mayLook || end.isEmpty() || delivered < end.getAsLong()) {
      return OptionalLong.empty();
    }
    hasEnded = true;
    to.peer()
        .push(
            Operation.END_OF_CHANNEL, new ChannelEnd(to.handle(), epoch, end.getAsLong()).encode());
    return end;
  }

  private void deliver(Attachment to, ChangeBatch batch) {
    byte[] payload = new byte[Delivery.PREFIX_BYTES + batch.byteCount()];
    Delivery.writePrefix(payload, 0, to.handle(), epoch, delivered + 1);
    System.arraycopy(
        batch.array(), batch.offset(), payload, Delivery.PREFIX_BYTES, batch.byteCount());
    delivered = batch.lastPosition();
    credit -= payload.length;
    to.peer().push(Operation.DELIVER, payload);
  }
}
