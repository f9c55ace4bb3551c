package io.tunnel.server.net;

import io.tunnel.model.RefusedException;
import io.tunnel.server.changes.Extents;
import io.tunnel.server.net.delivery.Attachments;
import io.tunnel.server.net.delivery.CarriedChannels;
import io.tunnel.wire.ChannelEnd;
import io.tunnel.wire.Credit;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.Renewal;
import java.io.IOException;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** Deliveries on a connection, to attached workers and readers. */
final class DeliveryPushes implements Attachments.Port {

  /** Pushes of clients, which get no answer. */
  private static final Set<Operation> TAKEN =
      EnumSet.of(Operation.CREDIT, Operation.LIMIT, Operation.RENEW);

  private final Connection connection;
  private final Requests requests;
  private final CarriedChannels carried = new CarriedChannels();

  /** Pages of base channels with promised room. */
  private int pages;

  /** Base channels that wait for room, in the order of their requests. */
  private final Set<Runnable> waiting = new LinkedHashSet<>();

  /** Whether room was refused since the last page ended. */
  private boolean isRefused;

  DeliveryPushes(Connection connection, Requests requests) {
    this.connection = connection;
    this.requests = requests;
  }

  /** Whether a client may push that. */
  static boolean takes(Frame frame) {
    return frame.kind() == FrameKind.PUSH && TAKEN.contains(frame.operation());
  }

  /**
   * Takes credit, a grant or an end for a channel, which may be delivered here or elsewhere.
   *
   * @throws io.tunnel.codec.MalformedException when the push is malformed
   */
  void take(Frame pushed) {
    if (pushed.operation() == Operation.CREDIT) {
      carried.credit(Credit.decode(pushed.payload()));
      return;
    }
    if (pushed.operation() == Operation.RENEW) {
      requests.renew(connection, Renewal.decode(pushed.payload()));
      return;
    }
    ChannelEnd end = ChannelEnd.decode(pushed.payload());
    if (carried.isAttached(end.handle())) {
      carried.limit(end);
    } else {
      requests.limit(connection, end);
    }
  }

  @Override
  public CarriedChannels carried() {
    return carried;
  }

  @Override
  public String holder() {
    return connection.caller().name();
  }

  @Override
  public boolean isWritable() {
    return connection.isWritable()
        && connection.account().hasRoom(Untaken.AnswerKind.DELIVERY)
        && connection.pace().mayDeliver();
  }

  @Override
  public boolean promisePage(Runnable again) {
    Untaken.Account account = connection.account();
    // While pages are under way, the end of each wakes one waiting channel.
    boolean isPromised =
        pages == 0
            ? account.promise(Untaken.AnswerKind.BASE_PAGE)
            : account.promiseNow(Untaken.AnswerKind.BASE_PAGE);
    if (isPromised) {
      pages++;
      waiting.remove(again);
    } else {
      isRefused = true;
      waiting.add(again);
    }
    return isPromised;
  }

  @Override
  public void pageOver() {
    pages--;
    connection.account().giveBack(Untaken.AnswerKind.BASE_PAGE);
    isRefused = false;
    while (!isRefused && !waiting.isEmpty() && isWritable()) {
      Runnable next = waiting.iterator().next();
      next.run();
      if (!isRefused) {
        waiting.remove(next);
      }
    }
  }

  @Override
  public void execute(Runnable action) {
    connection.execute(action);
  }

  @Override
  public void after(long nanos, Runnable action) {
    var unused = connection.schedule(action, nanos, TimeUnit.NANOSECONDS);
  }

  @Override
  public int deliver(int handle, long epoch, long firstPosition, Extents batches)
      throws IOException {
    long rows = batches.lastPosition() - firstPosition + 1;
    int bytes = connection.writer().deliver(handle, epoch, firstPosition, batches);
    charge(handle, rows, bytes);
    return bytes;
  }

  @Override
  public int deliver(int handle, long epoch, long firstPosition, byte[] batches, long rows) {
    int bytes = connection.writer().deliver(handle, epoch, firstPosition, batches, rows);
    charge(handle, rows, bytes);
    return bytes;
  }

  @Override
  public void charge(int handle, long rows, long bytes) {
    if (connection.caller().principal().isPresent()) {
      carried
          .partition(handle)
          .flatMap(requests::table)
          .ifPresent(table -> connection.pace().delivered(table, rows, bytes));
    }
  }

  @Override
  public void end(ChannelEnd end) {
    connection.writer().push(Operation.END_OF_CHANNEL, end.encode());
  }

  @Override
  public void settled(ChannelEnd upTo) {
    connection.writer().push(Operation.SETTLED, upTo.encode());
  }

  @Override
  public void fail(int handle, RefusedException reason) {
    carried.take(handle, reason);
  }

  @Override
  public void pushFailure(int handle, RefusedException reason) {
    connection.refused(reason.code());
    connection
        .writer()
        .send(Operation.DELIVER.code(), FrameKind.ERROR, handle, ErrorPayload.of(reason).encode());
  }
}
