package io.tunnel.server.channel.watch;

import io.tunnel.model.RefusedException;
import io.tunnel.server.channel.Channel;
import io.tunnel.server.channel.DeliveryPort;
import io.tunnel.server.channel.Failure;
import io.tunnel.server.channel.watch.HubCore.Member;
import io.tunnel.wire.ChannelEnd;
import io.tunnel.wire.KeyTerms;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.RejectedExecutionException;

/**
 * Delivers the changes that a hub finds for one watch. The state belongs to the connection's event
 * loop, but for the member, which belongs to the hub.
 */
final class WatchChannel implements Channel {

  private final Start start;
  private final Watches.Entered entered;
  private final KeyTerms terms;
  private final WatchHub hub;
  private final Watches watches;
  private final WatchBudget budget;
  private final DeliveryPort port;
  private final CreditCore credit;
  private final Deque<WatchPage> pending = new ArrayDeque<>();
  private boolean isStarted;
  private boolean isStopped;
  private boolean isAwake;
  private volatile long delivered;

  /** Set and used by the hub. */
  private Member<WatchChannel> member;

  /** A watch whose place in the budget is taken. */
  WatchChannel(Start start, Watches.Entered entered, Watches watches, DeliveryPort port) {
    this.start = start;
    this.entered = entered;
    this.terms = entered.terms();
    this.hub = entered.hub();
    this.watches = watches;
    this.budget = watches.budget();
    this.port = port;
    this.credit = new CreditCore(watches.windowBytesMax());
    this.delivered = start.checkpointed();
  }

  // For the hub.

  Member<WatchChannel> member() {
    return member;
  }

  void setMember(Member<WatchChannel> joined) {
    member = joined;
  }

  boolean isKeysOnly() {
    return terms.isKeysOnly();
  }

  /** Runs {@code action} on the connection's thread after {@code nanos}. */
  void after(long nanos, Runnable action) {
    port.after(nanos, action);
  }

  /** Takes a page, whose bytes were taken from the budget. */
  void give(WatchPage page) {
    try {
      port.execute(() -> take(page));
    } catch (RejectedExecutionException e) {
      // The connection's thread has ended: no request waits for the page.
      budget.giveBack(page.batches().length);
    }
  }

  /** The hub cannot continue it, and has forgotten it. */
  void fail(RefusedException reason) {
    try {
      port.execute(
          () -> {
            if (!isStopped) {
              stop();
              port.fail(start.handle(), reason);
            }
          });
    } catch (RejectedExecutionException e) {
      return;
    }
  }

  // For the connection.

  @Override
  public void start() {
    isStarted = true;
    hub.join(this, terms, start.checkpointed());
  }

  @Override
  public long epoch() {
    return start.epoch();
  }

  @Override
  public long delivered() {
    return delivered;
  }

  @Override
  public void endAt(long position) {
    throw new IllegalStateException("a watch has no end, and not one at " + position);
  }

  @Override
  public void credit(int bytes) {
    credit.credit(bytes);
    giveRoom();
  }

  private void giveRoom() {
    long room = credit.giveMore();
    if (room > 0 && !isStopped) {
      hub.room(this, room);
    }
  }

  /** May be called during a delivery of this channel, so it looks after the delivery is counted. */
  @Override
  public void resume() {
    if (!isAwake && !pending.isEmpty()) {
      isAwake = true;
      port.execute(
          () -> {
            isAwake = false;
            deliver();
          });
    }
  }

  @Override
  public void stop() {
    if (!isStopped) {
      isStopped = true;
      pending.forEach(page -> budget.giveBack(page.batches().length));
      pending.clear();
      if (isStarted) {
        hub.leave(this);
      }
      watches.left(start.partition(), entered);
    }
  }

  private void take(WatchPage page) {
    if (isStopped) {
      budget.giveBack(page.batches().length);
      return;
    }
    credit.arrived(page.batches().length);
    if (page.isMark() && !pending.isEmpty() && pending.getLast().isMark()) {
      WatchPage former = pending.removeLast();
      pending.add(WatchPage.mark(page.upTo(), former.scanned().and(page.scanned())));
    } else {
      pending.add(page);
    }
    deliver();
  }

  private void deliver() {
    try {
      while (!isStopped && !pending.isEmpty() && port.isWritable()) {
        send(pending.removeFirst());
      }
      giveRoom();
    } catch (RuntimeException | VirtualMachineError e) {
      RefusedException reason = Failure.of(start.partition(), e);
      stop();
      port.fail(start.handle(), reason);
    }
  }

  private void send(WatchPage page) {
    int bytes = page.batches().length;
    budget.giveBack(bytes);
    if (page.isMark()) {
      if (page.upTo() > delivered) {
        delivered = page.upTo();
        port.settled(new ChannelEnd(start.handle(), start.epoch(), page.upTo()));
      }
    } else {
      int payload =
          port.deliver(start.handle(), start.epoch(), page.first(), page.batches(), page.rows());
      credit.sent(bytes, payload);
      delivered = page.upTo();
    }
    // What was read for this watch alone, and is not among what was delivered.
    long rows = page.scanned().rows() - page.rows();
    long scanned = page.scanned().bytes() - bytes;
    if (rows > 0 || scanned > 0) {
      port.charge(start.handle(), Math.max(0, rows), Math.max(0, scanned));
    }
  }
}
