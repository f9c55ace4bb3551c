package io.tunnel.sdk.fake;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.ChannelType;
import io.tunnel.wire.ChannelEnd;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.SessionControl;
import java.util.Optional;

/** A channel of a {@link FakeTunnel}: its holder, and the deliveries to the holder. */
final class FakeChannel {

  final int index;
  private final FakeLog log;
  Optional<FakeConnection> owner = Optional.empty();
  long epoch;
  long checkpointed;
  long delivered;
  long credit;
  long unreturned;
  long unreturnedMax;
  private long creditGiven;
  int deliveries;
  long end;
  boolean isAttached;

  FakeChannel(int index) {
    this.index = index;
    this.log = new FakeLog(index);
  }

  boolean isOwner(FakeConnection connection) {
    return owner.isPresent() && owner.get() == connection;
  }

  /** A session of {@code connection} holds the channel from now on. */
  void assign(String session, FakeConnection connection) {
    owner = Optional.of(connection);
    epoch++;
    isAttached = false;
    delivered = checkpointed;
    credit = 0;
    unreturned = 0;
    creditGiven = 0;
    connection.push(
        Operation.ASSIGN,
        Json.encode(
            new SessionControl.Assignment(
                session,
                "p" + index + "_1",
                index,
                index,
                epoch,
                checkpointed,
                ChannelType.Stream)));
  }

  /** The holder gives credit: the first credit, or the credit that it has used since. */
  void grant(long bytes) {
    if (creditGiven > 0) {
      unreturned -= bytes;
      if (unreturned < 0) {
        throw new AssertionError("more credit came back than was used: " + unreturned);
      }
    }
    creditGiven += bytes;
    credit += bytes;
    pump();
  }

  /** Appends a batch of rows, of seven keys in turn. */
  void append(int rows) {
    log.append(rows, log.last() + 1, i -> i % 7);
    pump();
  }

  private void pump() {
    while (owner.isPresent() && credit > 0) {
      Optional<ChangeBatch> next = log.behind(delivered);
      if (next.isEmpty()) {
        return;
      }
      ChangeBatch batch = next.get();
      long first = Math.max(batch.basePosition(), delivered + 1);
      byte[] payload = FakeLog.delivery(index, epoch, first, batch);
      credit -= payload.length;
      unreturned += payload.length;
      unreturnedMax = Math.max(unreturnedMax, unreturned);
      delivered = batch.lastPosition();
      deliveries++;
      owner.get().push(Operation.DELIVER, payload);
    }
  }

  /** Sends the first batch again. */
  void redeliver() {
    owner
        .orElseThrow()
        .push(Operation.DELIVER, FakeLog.delivery(index, epoch, 1, log.batches().get(0)));
  }

  /** Tells the holder the end of the channel. */
  void tellEnd() {
    owner.orElseThrow().push(Operation.END_OF_CHANNEL, new ChannelEnd(index, epoch, end).encode());
  }
}
