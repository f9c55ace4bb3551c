package io.tunnel.server.net;

import io.tunnel.codec.SessionProof;
import io.tunnel.server.net.access.Administration;
import io.tunnel.server.session.RowSessions;
import io.tunnel.wire.Frame;
import io.tunnel.wire.control.Control.Empty;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.RowSessionControl;

/** Serves requests about row sessions, on the control thread. */
final class RowSessionRequests {

  private static final byte[] NOTHING = Json.encode(new Empty());

  private final NetServer.Rooms rooms;
  private final RequestThreads threads;
  private final Administration administration;

  RowSessionRequests(NetServer.Rooms rooms, RequestThreads threads, Administration administration) {
    this.rooms = rooms;
    this.threads = threads;
    this.administration = administration;
  }

  /**
   * The sessions of a server.
   *
   * @throws io.tunnel.model.RefusedException FEATURE_NOT_ENABLED where there are none
   */
  static RowSessions of(NetServer.Rooms rooms) {
    SingleServer.ROW_SESSIONS.require(rooms.tables().logs(), rooms.cluster());
    return rooms.rows().sessions().orElseThrow();
  }

  void open(Frame frame, Connection connection) {
    RowSessions sessions = of(rooms);
    RowSessionControl.Open request = Json.decode(frame.payload(), RowSessionControl.Open.class);
    threads.post(
        threads.control(),
        frame,
        connection,
        () ->
            sessions
                .open(request, connection.caller().name())
                .whenComplete(
                    (id, failure) -> {
                      if (failure == null) {
                        connection.respond(frame, Json.encode(new RowSessionControl.Opened(id)));
                      } else {
                        connection.refuse(frame, threads.refusals().of(frame, (Exception) failure));
                      }
                    }));
  }

  void renew(Frame frame, Connection connection) {
    RowSessions sessions = of(rooms);
    RowSessionControl.Named session = named(frame);
    threads.answer(
        threads.control(),
        frame,
        connection,
        () -> {
          sessions.renew(session, connection.caller().name());
          return new Empty();
        });
  }

  void close(Frame frame, Connection connection) {
    RowSessions sessions = of(rooms);
    RowSessionControl.Named session = named(frame);
    threads.post(
        threads.control(),
        frame,
        connection,
        () ->
            sessions.close(
                session, connection.caller().name(), () -> connection.respond(frame, NOTHING)));
  }

  /** An operator looks at the sessions of all principals. */
  void list(Frame frame, Connection connection) {
    RowSessions sessions = of(rooms);
    long after = Json.decode(frame.payload(), RowSessionControl.After.class).sessionId();
    threads.answer(threads.control(), frame, connection, () -> sessions.page(after));
  }

  /** An operator ends a session. */
  void end(Frame frame, Connection connection) {
    RowSessions sessions = of(rooms);
    long id = Json.decode(frame.payload(), RowSessionControl.Numbered.class).sessionId();
    threads.post(
        threads.control(),
        frame,
        connection,
        () -> {
          sessions
              .owner(id)
              .ifPresent(owner -> administration.requireMayEnd(owner, connection.caller()));
          sessions.endByOperator(id, () -> connection.respond(frame, NOTHING));
        });
  }

  /** Refuses a batch whose writer does not have the session that it binds rows to. */
  void require(SessionProof proof, Connection connection) {
    of(rooms).require(proof, connection.caller().name());
  }

  private static RowSessionControl.Named named(Frame frame) {
    return Json.decode(frame.payload(), RowSessionControl.Named.class);
  }
}
