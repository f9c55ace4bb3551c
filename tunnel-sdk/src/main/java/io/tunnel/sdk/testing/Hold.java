package io.tunnel.sdk.testing;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.ChannelType;
import io.tunnel.model.RefusedException;
import io.tunnel.wire.ChannelEnd;
import io.tunnel.wire.Delivery;
import io.tunnel.wire.Operation;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A channel in the hands of one session under one epoch: what its worker was sent since it attached
 * last, and how much more it accepts. It is kept when it is over, to tell a race from a mistake.
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
  private State state = State.HELD;

  /** Where it is delivered: the connection that attached to it, and its name there. */
  private record Attachment(Peer peer, int handle) {}

  /** From HELD it goes to one of the others, once. */
  enum State {
    /** The session's own. */
    HELD,
    /** The worker gave it back, and knows that. */
    GIVEN_BACK,
    /** It was taken; the worker may not know yet. */
    TAKEN,
    /** It cannot be read, and was stopped for that; the worker was told, and will say so too. */
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

  void over(State now) {
    state = now;
  }

  /** Is delivered to that connection under that name from now on, behind {@code position}. */
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

  /** Nothing is delivered until it is attached to again. */
  void detach() {
    attachment = Optional.empty();
  }

  /** It is not delivered any more; its worker is told why, if it is attached. */
  boolean refuse(RefusedException reason) {
    Optional<Attachment> former = attachment;
    attachment = Optional.empty();
    former.ifPresent(to -> to.peer().refuse(Operation.DELIVER.code(), to.handle(), reason));
    return former.isPresent();
  }

  /**
   * The worker accepts more.
   *
   * @return what it accepts now
   */
  long credit(int bytes) {
    hasCredit = true;
    credit += bytes;
    return credit;
  }

  /** Delivers what there is credit for; then says that nothing more will come, if so. */
  void pump() {
    attachment.ifPresent(this::pump);
  }

  private void pump(Attachment to) {
    boolean isUnder = credit > 0;
    while (isUnder) {
      Optional<ChangeBatch> next =
          channel.source().next(delivered, (int) Math.min(credit, DELIVERY_BYTES_MAX));
      next.ifPresent(batch -> deliver(to, batch));
      isUnder = next.isPresent() && credit > 0;
    }
    OptionalLong end = channel.source().end();
    boolean mayLook = hasCredit || channel.type() == ChannelType.Stream;
    if (mayLook && !hasEnded && end.isPresent() && delivered >= end.getAsLong()) {
      hasEnded = true;
      channel.sawEnd();
      to.peer()
          .push(
              Operation.END_OF_CHANNEL,
              new ChannelEnd(to.handle(), epoch, end.getAsLong()).encode());
    }
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
