package io.tunnel.server.net;

import io.tunnel.model.RefusedException;
import io.tunnel.server.net.access.Administration;
import io.tunnel.server.session.RowSessionHost;
import io.tunnel.server.session.RowSessions;
import io.tunnel.wire.Frame;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.Control.Empty;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.RowSessionControl;
import java.util.concurrent.CompletionException;

/** Serves requests about row sessions, on the control thread. */
final class RowSessionRequests {

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
   * @throws io.tunnel.model.RefusedException FEATURE_NOT_ENABLED below the level of row sessions
   */
  static RowSessionHost of(NetServer.Rooms rooms) {
    RowFeature.ROW_SESSIONS.require(rooms.cluster());
    return rooms.rows().sessions().orElseThrow();
  }

  /** Serves a request with the sessions that this node owns. */
  private interface Service {
    void serve(RowSessions sessions, Answer answer);
  }

  /**
   * Answers a request, once it is certain that this node still owned the sessions after the request
   * had come: a former owner knows neither sessions nor renewals of its successor, so its refusals
   * wait, too. For the control thread.
   */
  private final class Answer implements RowSessions.Ended {
    private final Frame frame;
    private final Connection connection;
    private final RowSessionHost host;

    Answer(Frame frame, Connection connection, RowSessionHost host) {
      this.frame = frame;
      this.connection = connection;
      this.host = host;
    }

    void answer(Control control) {
      host.confirm(() -> connection.respond(frame, Json.encode(control)), this::refuse);
    }

    @Override
    public void ended() {
      answer(new Empty());
    }

    @Override
    public void refused(RefusedException reason) {
      host.confirm(() -> refuse(reason), this::refuse);
    }

    void failed(Throwable failure) {
      Throwable cause =
          failure instanceof CompletionException && failure.getCause() != null
              ? failure.getCause()
              : failure;
      refused(threads.refusals().of(frame, (Exception) cause));
    }

    private void refuse(RefusedException reason) {
      connection.refuse(frame, threads.refusals().ofCatalog(frame, reason));
    }
  }

  private void serve(Frame frame, Connection connection, Service service) {
    RowSessionHost host = of(rooms);
    threads.post(
        threads.control(),
        frame,
        connection,
        () -> {
          Answer answer = new Answer(frame, connection, host);
          RowSessions led;
          try {
            led = host.led();
          } catch (RefusedException e) {
            answer.refuse(e);
            return;
          }
          try {
            service.serve(led, answer);
          } catch (RuntimeException e) {
            answer.failed(e);
          }
        });
  }

  void open(Frame frame, Connection connection) {
    RowSessionControl.Open request = Json.decode(frame.payload(), RowSessionControl.Open.class);
    serve(
        frame,
        connection,
        (sessions, answer) ->
            sessions
                .open(request, connection.caller().name())
                .whenComplete(
                    (id, failure) -> {
                      if (failure == null) {
                        answer.answer(new RowSessionControl.Opened(id));
                      } else {
                        answer.failed(failure);
                      }
                    }));
  }

  void renew(Frame frame, Connection connection) {
    RowSessionControl.Named session = named(frame);
    serve(
        frame,
        connection,
        (sessions, answer) -> {
          sessions.renew(session, connection.caller().name());
          answer.ended();
        });
  }

  void close(Frame frame, Connection connection) {
    RowSessionControl.Named session = named(frame);
    serve(
        frame,
        connection,
        (sessions, answer) -> sessions.close(session, connection.caller().name(), answer));
  }

  /** An operator looks at the sessions of all principals. */
  void list(Frame frame, Connection connection) {
    long after = Json.decode(frame.payload(), RowSessionControl.After.class).sessionId();
    serve(
        frame,
        connection,
        (sessions, answer) ->
            sessions
                .page(after)
                .whenComplete(
                    (page, failure) -> {
                      if (failure == null) {
                        answer.answer(page);
                      } else {
                        answer.failed(failure);
                      }
                    }));
  }

  /** An operator ends a session. */
  void end(Frame frame, Connection connection) {
    long id = Json.decode(frame.payload(), RowSessionControl.Numbered.class).sessionId();
    serve(
        frame,
        connection,
        (sessions, answer) -> {
          sessions
              .owner(id)
              .ifPresent(owner -> administration.requireMayEnd(owner, connection.caller()));
          sessions.endByOperator(id, answer);
        });
  }

  private static RowSessionControl.Named named(Frame frame) {
    return Json.decode(frame.payload(), RowSessionControl.Named.class);
  }
}
