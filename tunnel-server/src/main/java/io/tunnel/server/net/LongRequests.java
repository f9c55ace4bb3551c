package io.tunnel.server.net;

import io.tunnel.model.Limits;
import io.tunnel.wire.Frame;
import io.tunnel.wire.Operation;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * Requests in JSON that are too long to be parsed on an event loop, where all other connections of
 * the loop would wait. Each is decided (parsed, judged, and passed to its room or refused) on
 * another thread, in a turn of its principal.
 *
 * <p><b>Invariant:</b> a connection has one undecided request at most, and begins no later request
 * before that one is decided. So the rooms get the requests of a connection in the order in which
 * the client sent them, long or not.
 *
 * <p><b>Owners:</b> the event loop owns the mark that a request is undecided ({@link
 * OpenRequests#hold}); the deciding thread asks the loop to remove it ({@link
 * OpenRequests#decided}), and what it asked the loop to do before comes first. {@link Turns} owns
 * the turn. The request's memory belongs to {@link OpenRequests} until the answer. What only the
 * loop may touch, such as deliveries, is touched there: see {@link FrameWriter#onLoopAtOnce}.
 *
 * <p><b>A connection that closes</b>
 *
 * <ul>
 *   <li>before the turn: the turn comes, the request is not parsed and has no effect, and the turn
 *       ends. Until then its memory counts.
 *   <li>while its request is decided: the request is passed on as if it had come before the close.
 *       The rooms hear of the close behind it, because {@link OpenRequests#close} waits for the
 *       decision; so no session begins on a connection that has ended.
 *   <li>between the decision and a step on the loop: the step sees that the connection is closed,
 *       and does nothing.
 * </ul>
 *
 * <p>A turn ends with the decision, also when that fails with an error. Only a request of more than
 * {@link Limits#NAMING_REQUEST_BYTES_MAX} keeps its turn until its answer, because what it was
 * parsed to takes some ten times its memory until then.
 */
final class LongRequests {

  /**
   * Bytes of requests of one connection that the event loop parses before it serves the others: one
   * request, or several that the client sent at once. Further ones are long, however short each is.
   * To parse so many takes about as long as a change of threads and a wait for a turn, and nearly
   * every request of a well-behaved client is shorter.
   */
  static final int PARSED_AT_ONCE_BYTES_MAX = 8 * 1024;

  /** Bytes of requests that are parsed and keep their turns. */
  private static final long PARSED_BYTES_MAX = 2L * Frame.PAYLOAD_BYTES_MAX;

  /**
   * Bytes of requests of one principal that wait for their turns; further ones are refused. So one
   * principal does not take all memory for unanswered requests.
   */
  private static final long WAITING_BYTES_MAX = 4L * Frame.PAYLOAD_BYTES_MAX;

  /**
   * A request that finds no place is forgotten at once and refused after this time, and its
   * connection waits so long. Clients that were refused at once would send the next request at
   * once, and event loops would do nothing but receive.
   */
  static final int REFUSED_AFTER_MS = 1_000;

  private static final byte[] NOTHING = new byte[0];

  /** Requests that are not in JSON; those are decoded quickly, or not at all. */
  private static final Set<Operation> BINARY =
      EnumSet.of(
          Operation.ECHO,
          Operation.WRITE,
          Operation.OPEN_WRITER,
          Operation.GET_ROW,
          Operation.GET_ROWS,
          Operation.GET_RANGE,
          Operation.RELEASE,
          Operation.CHECKPOINT,
          Operation.DETACH);

  private final Turns turns;

  LongRequests(Executor thread) {
    this.turns = new Turns(thread, PARSED_BYTES_MAX, WAITING_BYTES_MAX);
  }

  /**
   * Whether parsing the request, with those that its connection sent at once before it, would delay
   * other connections of the event loop; on the event loop.
   */
  static boolean areTooLong(Operation operation, byte[] payload, OpenRequests open) {
    return !BINARY.contains(operation) && open.parsing(payload.length) > PARSED_AT_ONCE_BYTES_MAX;
  }

  private static boolean keepsTurn(Frame request) {
    return request.payload().length > Limits.NAMING_REQUEST_BYTES_MAX;
  }

  /**
   * Runs {@code decision} in a turn of the connection's principal; on the event loop. The decision
   * answers the request, or lets a room do so later.
   */
  void begin(Frame request, Connection connection, Runnable decision) {
    connection.open().hold();
    turns.begin(connection.owner(), new Turn(request, connection, decision));
  }

  /** A request was answered, or gets no answer. For any thread. */
  void answered(Frame request) {
    if (keepsTurn(request)) {
      turns.answered(request);
    }
  }

  private static void refuseLater(Frame request, Connection connection) {
    Runnable refusal =
        () -> {
          connection.refuse(request, RequestThreads.busy());
          connection.open().decided();
        };
    connection.execute(
        () -> {
          var unused = connection.schedule(refusal, REFUSED_AFTER_MS, TimeUnit.MILLISECONDS);
        });
  }

  /** A request that waits for its principal's turn. */
  private final class Turn implements Turns.Task {
    private final Frame request;
    private final Connection connection;
    private final Runnable decision;

    Turn(Frame request, Connection connection, Runnable decision) {
      this.request = request;
      this.connection = connection;
      this.decision = decision;
    }

    @Override
    public Frame request() {
      return request;
    }

    @Override
    public int bytes() {
      return request.payload().length;
    }

    @Override
    public void run() {
      boolean keepsTurn = false;
      try {
        decide();
        keepsTurn = keepsTurn(request);
      } finally {
        end(keepsTurn);
      }
    }

    private void decide() {
      if (connection.isActive()) {
        decision.run();
      } else {
        connection.answered(request);
      }
    }

    @Override
    public void refuse() {
      turns.answered(request);
      connection.open().forgetPayload(request);
      refuseLater(
          new Frame(request.operation(), request.kind(), request.correlationId(), NOTHING),
          connection);
    }

    private void end(boolean keepsTurn) {
      connection.open().decided();
      if (!keepsTurn) {
        turns.answered(request);
      }
    }
  }
}
