package io.tunnel.server.net;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.tunnel.codec.MalformedException;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.net.NetMeter.Farewell;
import io.tunnel.server.net.access.Caller;
import io.tunnel.server.net.access.Entrance;
import io.tunnel.server.net.access.HeldRights;
import io.tunnel.server.net.access.Pace;
import io.tunnel.server.net.access.TlsPeer;
import io.tunnel.server.partition.read.ReadTurns;
import io.tunnel.server.session.SessionPort;
import io.tunnel.wire.Agreement;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameException;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Hello;
import io.tunnel.wire.Operation;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client's connection: decodes frames, greets, dispatches requests, and sends answers and
 * deliveries. The state belongs to the event loop; calls of other threads are posted there.
 */
final class Connection extends ChannelInboundHandlerAdapter
    implements ReadTurns.Asker, Places.Holder {

  private static final Logger LOGGER = LoggerFactory.getLogger(Connection.class);
  private static final String STOPPING = "the server is stopping; try again when it is back";

  private final Requests requests;
  private final NetMeter meter;
  private final NetServer.Budgets budgets;
  private final Untaken.Account account;
  private final FrameIntake intake;
  private final OpenRequests openRequests;
  private final DeliveryPushes deliveries;
  private final Pace pace;
  private final HeldRights held;
  private final SessionPushes sessions;
  private ChannelHandlerContext context;
  private FrameWriter writer;
  private final NetServer.Door door;
  private final Entrance entrance;
  private Closing closing;

  /** The client; set on the event loop before any request is served, read by any thread. */
  private volatile Caller caller;

  /** Set on the event loop, read by any thread. */
  private volatile boolean isLeaving;

  Connection(
      Requests requests,
      NetServer.Door door,
      NetMeter meter,
      String serverName,
      NetServer.Budgets budgets) {
    this.requests = requests;
    this.deliveries = new DeliveryPushes(this, requests);
    this.sessions = new SessionPushes(this, requests);
    this.door = door;
    this.caller = door.gate().stranger();
    this.meter = meter;
    this.entrance =
        new Entrance(
            door.gate(), () -> TlsPeer.of(context.pipeline()), serverName, new EntrancePort());
    this.budgets = budgets;
    this.pace = new Pace(budgets.shares(), new PacePort());
    this.held = new HeldRights(budgets.shares());
    this.account = budgets.untaken().open(this::closeAtOnce, () -> execute(this::goOn));
    this.intake = new FrameIntake(budgets.partial(), budgets.limits(), new IntakeOwner());
    this.openRequests = budgets.openRequests(account, new OpenRequestsPort());
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    context = ctx;
    writer = new FrameWriter(ctx, meter, account);
    closing = new Closing(ctx, writer, meter, budgets.limits());
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    meter.connected();
    Future<?> look = schedule(this::requireEntrance, entrance.deadlineS(), TimeUnit.SECONDS);
    ctx.channel().closeFuture().addListener(unused -> look.cancel(false));
  }

  /** Runs {@code task} on the event loop after {@code delay}. */
  Future<?> schedule(Runnable task, long delay, TimeUnit unit) {
    return context.channel().eventLoop().schedule(task, delay, unit);
  }

  private void requireEntrance() {
    if (!entrance.isOver()) {
      if (entrance.isGreeted()) {
        door.audit().notEntered(ErrorCode.NOT_AUTHENTICATED, address());
      }
      farewell(entrance.isGreeted() ? Farewell.NOT_AUTHENTICATED : Farewell.NOT_GREETED);
    }
  }

  /** Refuses a client before its first frame. */
  void refuseConnection(Farewell why) {
    execute(() -> farewell(why));
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    meter.disconnected();
    budgets.places().left(this);
    pace.left();
    held.close(caller);
    account.close();
    intake.close();
    deliveries.carried().stopAll();
    openRequests.close(() -> requests.disconnected(this));
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ByteBuf bytes = (ByteBuf) message;
    try {
      meter.received(bytes.readableBytes());
      if (!closing.isDoomed()) {
        intake.take(bytes);
      }
    } catch (FrameException e) {
      doom(Closing.NO_OPERATION, 0, e.code(), e.getMessage());
    } finally {
      bytes.release();
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (cause instanceof IOException || cause.getCause() instanceof SSLException) {
      LOGGER.debug("connection {} broke", ctx.channel().remoteAddress(), cause);
    } else {
      LOGGER.error("connection {} failed", ctx.channel().remoteAddress(), cause);
    }
    ctx.close();
  }

  private void receive(Frame frame) {
    if (closing.isDoomed()) {
      return;
    }
    if (!entrance.isPassed()) {
      entrance.take(frame);
      if (entrance.isPassed() && frame.operation() == Operation.LOOK) {
        openRequests.take(frame);
      }
    } else if (DeliveryPushes.takes(frame)) {
      pushed(frame);
    } else if (frame.kind() != FrameKind.REQUEST) {
      doom(
          frame.operationCode(),
          frame.correlationId(),
          ErrorCode.INVALID_REQUEST,
          "a client sends requests and pushes credit, limits and grants, not a %s of operation %d"
              .formatted(frame.kind(), frame.operationCode()));
    } else {
      openRequests.take(frame);
    }
  }

  private final class IntakeOwner implements FrameIntake.Owner {

    @Override
    public void take(Frame frame) {
      receive(frame);
    }

    @Override
    public boolean isReading() {
      return context.channel().config().isAutoRead();
    }

    @Override
    public boolean isIdle() {
      return sessions.areNone() && openRequests.areNone() && deliveries.carried().areNone();
    }

    @Override
    public void end(Farewell why) {
      execute(() -> farewell(why));
    }

    @Override
    public Future<?> schedule(Runnable task, long delay, TimeUnit unit) {
      return Connection.this.schedule(task, delay, unit);
    }
  }

  private final class OpenRequestsPort implements OpenRequests.Port {

    @Override
    public boolean mayServe() {
      return isLeaving || (isWritable() && pace.mayServe());
    }

    @Override
    public boolean mayServe(Frame request, boolean isAlone) {
      return isLeaving || requests.mayServe(request, isAlone, pace);
    }

    @Override
    public void serve(Frame request) {
      if (isLeaving) {
        refuse(request, new RefusedException(ErrorCode.SHUTTING_DOWN, STOPPING));
      } else {
        pace.requested();
        requests.handle(request, Connection.this);
      }
    }

    @Override
    public void refuse(Frame request, RefusedException reason) {
      error(request, reason);
    }

    @Override
    public void read(boolean isReading) {
      Connection.this.read(isReading);
    }

    @Override
    public void execute(Runnable action) {
      Connection.this.execute(action);
    }
  }

  private final class PacePort implements Pace.Port {

    @Override
    public Future<?> schedule(Runnable action, long delay, TimeUnit unit) {
      return Connection.this.schedule(action, delay, unit);
    }

    @Override
    public void serve() {
      openRequests.serveWaiting();
    }

    @Override
    public void deliver() {
      deliveries.carried().resume();
    }
  }

  private final class EntrancePort implements Entrance.Port {

    @Override
    public void entered(Hello hello, Agreement agreed, Caller who) {
      if (!budgets.places().greeted(Connection.this)) {
        // Without this check the client would learn that it is in, and lose its first request.
        throw new RefusedException(
            ErrorCode.BUSY,
            "the server has all the connections that it takes, and gave the place of this one to"
                + " another before the client was let in; connect again");
      }
      pace.entered(who);
      caller = who;
      intake.greeted();
      closing.entered();
      door.audit().entered(who, address());
      LOGGER.debug("{} as '{}' connected from {}: {}", who, hello.name(), address(), agreed);
    }

    @Override
    public void requireNode(byte[] payload) {
      requests.requireNode(payload);
    }

    @Override
    public void answer(Frame frame, byte[] payload) {
      writer.send(frame.operationCode(), FrameKind.RESPONSE, frame.correlationId(), payload);
    }

    @Override
    public void refuse(Frame frame, RefusedException reason) {
      door.audit().notEntered(reason.code(), address());
      doom(frame.operationCode(), frame.correlationId(), reason.code(), reason.getMessage());
    }

    @Override
    public void refuseLater(Frame frame, RefusedException reason) {
      read(false);
      long delayNanos = door.gate().failed(address());
      var unused = schedule(() -> refuse(frame, reason), delayNanos, TimeUnit.NANOSECONDS);
    }
  }

  private SocketAddress address() {
    return context.channel().remoteAddress();
  }

  /** The client. */
  Caller caller() {
    return caller;
  }

  /** The messages to the client's sessions. */
  SessionPort sessions() {
    return sessions;
  }

  boolean isActive() {
    return context.channel().isActive();
  }

  FrameWriter writer() {
    return writer;
  }

  OpenRequests open() {
    return openRequests;
  }

  /** The rights that the client uses beyond single requests. */
  HeldRights held() {
    return held;
  }

  /** Checks the client's rights again after a change of permissions. For any thread. */
  void reviseRights() {
    execute(
        () -> {
          if (entrance.isPassed() && !closing.isDoomed()) {
            held.lost(caller).ifPresent(this::endRights);
          }
        });
  }

  private void endRights(RefusedException why) {
    door.audit().ended(caller, why.code(), address());
    doom(Closing.NO_OPERATION, 0, why.code(), String.valueOf(why.getMessage()));
  }

  private void pushed(Frame frame) {
    try {
      deliveries.take(frame);
    } catch (MalformedException e) {
      doom(frame.operationCode(), 0, ErrorCode.INVALID_REQUEST, e.getMessage());
    }
  }

  DeliveryPushes deliveries() {
    return deliveries;
  }

  /** The throttling of this connection. */
  Pace pace() {
    return pace;
  }

  /** Counts a refusal. */
  void refused(ErrorCode code) {
    meter.refused(code);
  }

  private void doom(int operation, int correlationId, ErrorCode code, String message) {
    intake.close();
    closing.doom(operation, correlationId, code, message);
  }

  private void farewell(Farewell why) {
    intake.close();
    closing.farewell(why, openRequests.areNone());
  }

  private void read(boolean isReading) {
    context.channel().config().setAutoRead(isReading);
  }

  @Override
  public void closeAtOnce(Farewell why) {
    execute(() -> closing.atOnce(why));
  }

  /** Answers a request. For any thread. */
  void respond(Frame request, byte[] payload) {
    if (payload.length > Frame.PAYLOAD_BYTES_MAX) {
      refuse(request, Refusals.tooLong(request, payload.length));
      return;
    }
    door.audit().done(request, payload, caller, address());
    writer.send(request.operationCode(), FrameKind.RESPONSE, request.correlationId(), payload);
    answered(request);
  }

  /** Refuses a request. For any thread. */
  void refuse(Frame request, RefusedException reason) {
    error(request, reason);
    answered(request);
  }

  private void error(Frame request, RefusedException reason) {
    meter.refused(reason.code());
    budgets.shares().refused(caller, reason.code());
    door.audit().refused(request, caller, reason.code(), address());
    byte[] told = ErrorPayload.of(caller.told(reason)).encode();
    writer.send(request.operationCode(), FrameKind.ERROR, request.correlationId(), told);
  }

  /** Ends a request that gets no further answer. For any thread. */
  void answered(Frame request) {
    openRequests.answered(request);
    requests.answered(request);
    if (isLeaving) {
      execute(this::leaveWhenAnswered);
    }
  }

  /**
   * The server stops: requests that have begun are answered, later ones are not begun, and then the
   * client is told. So the client knows that requests without an answer had no effect.
   */
  void leave() {
    execute(
        () -> {
          isLeaving = true;
          openRequests.serveWaiting();
          leaveWhenAnswered();
        });
  }

  private void leaveWhenAnswered() {
    if (openRequests.areNone() && !closing.isDoomed()) {
      doom(Closing.NO_OPERATION, 0, ErrorCode.SHUTTING_DOWN, STOPPING);
    }
  }

  /** Whether the client reads what the server sends. */
  boolean isWritable() {
    return context.channel().isWritable();
  }

  @Override
  public boolean takesAnswers() {
    // A closed connection is never writable again, so its reads must not wait for that.
    return context.channel().isActive()
        ? isWritable() && account.promise(Untaken.AnswerKind.ROWS)
        : account.promiseAnyway(Untaken.AnswerKind.ROWS);
  }

  @Override
  public void answered() {
    account.giveBack(Untaken.AnswerKind.ROWS);
  }

  @Override
  public Object owner() {
    return caller.principal().<Object>map(who -> who).orElse(this);
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    if (ctx.channel().isWritable()) {
      goOn();
    } else if (!closing.isDoomed()) {
      // While a client does not read its answers, its requests are not read.
      read(false);
    }
  }

  /** Continues when the client reads its answers again, or when there is room for more. */
  private void goOn() {
    if (!closing.isDoomed()) {
      openRequests.serveWaiting();
      requests.takesAnswers(this);
      deliveries.carried().resume();
    }
  }

  /** The bytes that are promised to the client or unread by it. */
  Untaken.Account account() {
    return account;
  }

  /** Runs {@code action} on the event loop, unless the server has stopped. */
  void execute(Runnable action) {
    writer.onLoop(action);
  }
}
