package io.tunnel.server.net;

import io.tunnel.server.session.SessionPort;
import io.tunnel.wire.ChannelEnd;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.Renewal;
import io.tunnel.wire.control.SessionControl.Assignment;
import io.tunnel.wire.control.SessionControl.Fence;
import io.tunnel.wire.control.SessionControl.Revocation;
import io.tunnel.wire.control.SessionControl.SessionEnd;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Messages to a connection's sessions. On the event loop, each message first ends the deliveries
 * that it concerns, and is sent behind earlier deliveries.
 */
final class SessionPushes implements SessionPort {

  private final Connection connection;
  private final Requests requests;

  /** Open sessions; a session ends with its connection. */
  private final AtomicInteger open = new AtomicInteger();

  SessionPushes(Connection connection, Requests requests) {
    this.connection = connection;
    this.requests = requests;
  }

  @Override
  public String holder() {
    return connection.caller().name();
  }

  @Override
  public void began() {
    open.incrementAndGet();
  }

  @Override
  public void ended() {
    open.decrementAndGet();
  }

  /** Whether the connection has no session. */
  boolean areNone() {
    return open.get() == 0;
  }

  @Override
  public void assign(Assignment assignment) {
    connection.execute(
        () -> {
          if (connection.isActive()) {
            connection.deliveries().carried().hold(assignment);
            connection.writer().push(Operation.ASSIGN, assignment);
          }
        });
  }

  @Override
  public OptionalLong delivered(String channelId, long epoch) {
    return requests.delivered(connection, channelId, epoch);
  }

  @Override
  public void revoke(Revocation revocation) {
    connection.execute(
        () -> {
          requests.release(connection, revocation.handle());
          connection.writer().push(Operation.REVOKE, revocation);
        });
  }

  @Override
  public void dropped(int handle) {
    connection.execute(() -> requests.release(connection, handle));
  }

  @Override
  public void fence(Fence fence) {
    dropped(fence.handle());
    connection.execute(() -> connection.writer().push(Operation.FENCE, fence));
  }

  @Override
  public void over(SessionEnd end) {
    connection.execute(() -> connection.writer().push(Operation.SESSION_END, end));
  }

  @Override
  public void renew(Renewal renewal) {
    connection.execute(
        () -> {
          requests.renewHeld(connection, renewal);
          connection.writer().push(Operation.RENEW, renewal.encode());
        });
  }

  @Override
  public void limit(ChannelEnd end) {
    connection.execute(() -> connection.writer().push(Operation.LIMIT, end.encode()));
  }
}
