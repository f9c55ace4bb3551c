package io.tunnel.sdk.testing;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.tunnel.codec.MalformedException;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.sdk.testing.FaultsCore.Answer;
import io.tunnel.wire.Authentication;
import io.tunnel.wire.ChannelEnd;
import io.tunnel.wire.ChannelRef;
import io.tunnel.wire.Checkpoint;
import io.tunnel.wire.Credit;
import io.tunnel.wire.Delivery;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameAssembler;
import io.tunnel.wire.FrameException;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.ClusterControl.Attach;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.FailureControl.SkippingCheckpoint;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.PartitionControl;
import io.tunnel.wire.control.Renewal;
import io.tunnel.wire.control.SecurityControl;
import io.tunnel.wire.control.SessionControl;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;

/**
 * A client's connection between the socket and the engine: passes frames on in both directions, or
 * does with them what the test wants. For the service's thread.
 */
final class Peer extends ChannelDuplexHandler {

  private static final int NO_OPERATION = 0;

  /** Correlations of heartbeats that the test sends for the client, which counts from 1. */
  private static final int FIRST_CORRELATION_OF_TEST = Integer.MIN_VALUE;

  private static final Set<Operation> DELIVERIES =
      EnumSet.of(Operation.DELIVER, Operation.END_OF_CHANNEL, Operation.SETTLED);

  /** Requests about keys and rights, of which the kit has no rights. */
  private static final Set<Operation> ADMINISTRATION =
      EnumSet.of(
          Operation.CREATE_KEY,
          Operation.LIST_KEYS,
          Operation.REVOKE_KEY,
          Operation.ROTATE_KEY,
          Operation.GRANT,
          Operation.WITHDRAW,
          Operation.LIST_PERMISSIONS,
          Operation.CHANGE_GROUP,
          Operation.LIST_GROUPS,
          Operation.CREATE_TOKEN,
          Operation.LIST_TOKENS,
          Operation.REVOKE_TOKEN,
          Operation.SET_QUOTA,
          Operation.LIST_QUOTAS);

  private final Gate gate;
  private final int number;
  private final Keys.Login login;
  private final Learned learned;
  private final FrameAssembler fromClient = new FrameAssembler();
  private final FrameAssembler fromEngine = new FrameAssembler();

  /** Requests that the engine has not answered, by correlation. */
  private final Map<Integer, Learned.Asked> asked = new HashMap<>();

  /** Frames that wait for {@link Gate#holdBack} to end. */
  private final Queue<Frame> heldBack = new ArrayDeque<>();

  private ChannelHandlerContext context;
  private int lastOfTest = FIRST_CORRELATION_OF_TEST;

  /** Whether the client must authenticate before other requests. */
  private boolean mustProve;

  private boolean isOver;

  /** A request of a client that waits for its time. */
  record Arrived(Peer peer, Frame frame) {

    void serve() {
      peer.serve(frame);
    }
  }

  Peer(Gate gate, int number) {
    this.gate = gate;
    this.number = number;
    this.login = gate.keys().new Login();
    this.learned = new Learned(gate, number);
  }

  /** Numbers connections from 1, in the order in which they were accepted. */
  int number() {
    return number;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext added) {
    context = added;
  }

  @Override
  public void channelActive(ChannelHandlerContext active) {
    gate.connected(this);
    active.fireChannelActive();
  }

  @Override
  public void channelInactive(ChannelHandlerContext inactive) {
    isOver = true;
    gate.touch();
    gate.disconnected(this);
    inactive.fireChannelInactive();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext broken, Throwable cause) {
    if (!(cause instanceof IOException)) {
      gate.violations().add(Rule.PROTOCOL, "the service failed on what a client sent: " + cause);
    }
    close();
  }

  // From the client

  @Override
  public void channelRead(ChannelHandlerContext read, Object message) {
    gate.touch();
    ByteBuf bytes = (ByteBuf) message;
    try {
      for (ByteBuffer part : bytes.nioBuffers()) {
        fromClient.feed(part, this::receive);
      }
    } catch (FrameException e) {
      doom(NO_OPERATION, 0, e.code(), e.getMessage());
    } finally {
      bytes.release();
    }
  }

  private void receive(Frame frame) {
    if (isOver) {
      return;
    }
    if (!learned.isGreeted()) {
      pass(frame, Answer.GIVEN);
    } else if (mustProve) {
      authenticate(frame);
    } else if (frame.kind() == FrameKind.REQUEST) {
      requested(frame);
    } else {
      pushed(frame);
    }
  }

  private void pushed(Frame frame) {
    try {
      if (frame.kind() == FrameKind.PUSH && frame.operation() == Operation.CREDIT) {
        Credit credit = Credit.decode(frame.payload());
        if (credit.epoch() != PartitionControl.EPOCH) {
          gate.found(gate.rules().credited(credit));
        }
      } else if (frame.kind() == FrameKind.PUSH && frame.operation() == Operation.LIMIT) {
        var unused = ChannelEnd.decode(frame.payload());
      } else if (frame.kind() == FrameKind.PUSH && frame.operation() == Operation.RENEW) {
        var unused = Renewal.decode(frame.payload());
      } else {
        gate.violations()
            .add(
                Rule.PROTOCOL,
                "a "
                    + frame.kind()
                    + " of operation "
                    + frame.operationCode()
                    + " by a client, which sends requests and pushes credit, limits and grants");
      }
    } catch (MalformedException | IllegalArgumentException e) {
      gate.violations().add(Rule.PROTOCOL, "a malformed push: " + e.getMessage());
    }
    toEngine(frame);
  }

  private void authenticate(Frame frame) {
    try {
      if (frame.operation() != Operation.AUTHENTICATE || frame.kind() != FrameKind.REQUEST) {
        throw new RefusedException(
            ErrorCode.NOT_AUTHENTICATED,
            "this service authenticates its clients; give the client a key, in its profile or"
                + " with ClientConfig.withSecurity");
      }
      respond(frame, login.take(Authentication.Request.decode(frame.payload())).encode());
      mustProve = login.proved().isEmpty();
    } catch (RefusedException e) {
      // A wrong key violates no rule: a test may want to see the refusal.
      refuse(frame, e);
      close();
    } catch (MalformedException e) {
      doom(frame.operationCode(), frame.correlationId(), ErrorCode.INVALID_REQUEST, e.getMessage());
    }
  }

  private void requested(Frame frame) {
    Operation operation = frame.operation();
    if (operation == null) {
      gate.violations().add(Rule.PROTOCOL, "no operation has the code " + frame.operationCode());
      toEngine(frame);
      return;
    }
    try {
      operation.requireSize(frame.payload());
    } catch (RefusedException e) {
      gate.violations().add(Rule.PROTOCOL, e.getMessage());
      toEngine(frame);
      return;
    }
    if (!gate.faults().arrives(operation, new Arrived(this, frame), gate.engine().epochMicros())) {
      serve(frame);
    }
  }

  private void serve(Frame frame) {
    Operation operation = frame.operation();
    Optional<ErrorCode> refusal = gate.faults().refusal(operation);
    boolean isWrite = operation == Operation.WRITE;
    if (isOver) {
      // A write that has arrived complete is applied, even if its client has left.
      if (isWrite && refusal.isEmpty()) {
        gate.serveLate(frame);
      }
      return;
    }
    if (refusal.isPresent()) {
      refuse(frame, new RefusedException(refusal.get(), "the test wanted this refused"));
      return;
    }
    boolean isAnswered;
    try {
      isAnswered = answers(operation, frame);
    } catch (MalformedException | IllegalArgumentException e) {
      // The engine refuses the payload.
      isAnswered = false;
    }
    if (!isAnswered) {
      pass(frame, isWrite ? gate.faults().answer() : Answer.GIVEN);
    }
  }

  /** Looks at a request before the engine does; returns whether the engine is not asked. */
  private boolean answers(Operation operation, Frame frame) {
    byte[] payload = frame.payload();
    if (operation == Operation.ATTACH) {
      gate.found(gate.rules().attaches(Json.decode(payload, Attach.class)));
    } else if (operation == Operation.DETACH) {
      gate.rules().detached(ChannelRef.decode(payload).handle());
    } else if (operation == Operation.RELEASE) {
      ChannelRef ref = ChannelRef.decode(payload);
      if (isFaultless("RELEASE", ref.handle(), ref.epoch())) {
        gate.rules().givenBack(ref.handle());
      }
    } else if (operation == Operation.STOP_CHANNEL) {
      return stops(Json.decode(payload, SessionControl.StopChannel.class), frame);
    } else if (operation == Operation.CHECKPOINT) {
      return isBeyond(Checkpoint.decode(payload), frame);
    } else if (operation == Operation.CHECKPOINT_SKIPPING) {
      return isBeyond(Json.decode(payload, SkippingCheckpoint.class).checkpoint(), frame);
    } else if (operation == Operation.CLOSE_SESSION) {
      gate.rules().closed(Json.decode(payload, SessionControl.SessionId.class).sessionId());
    } else if (operation == Operation.HEARTBEAT) {
      learned.heartbeat(payload);
    } else if (login.proved().isPresent()) {
      return isOfKeys(operation, frame);
    }
    return false;
  }

  private boolean isFaultless(String what, int handle, long epoch) {
    Optional<RulesCore.Violation> violation = gate.rules().named(what, handle, epoch, number);
    gate.found(violation);
    return violation.isEmpty();
  }

  private boolean stops(SessionControl.StopChannel stop, Frame frame) {
    if (gate.rules().isBroken(stop.handle(), stop.epoch(), number)) {
      respond(frame, Json.encode(new Control.Empty()));
      return true;
    }
    if (isFaultless("STOP_CHANNEL", stop.handle(), stop.epoch()) && stop.code().isEmpty()) {
      gate.rules().givenBack(stop.handle());
    }
    return false;
  }

  private boolean isBeyond(Checkpoint checkpoint, Frame frame) {
    if (!isFaultless("CHECKPOINT", checkpoint.handle(), checkpoint.epoch())) {
      return false;
    }
    Optional<String> beyond = gate.rules().beyond(checkpoint);
    beyond.ifPresent(
        why -> {
          gate.violations().add(Rule.CHECKPOINT, why);
          refuse(frame, new RefusedException(ErrorCode.INVALID_CHECKPOINT, why));
        });
    return beyond.isPresent();
  }

  /** The engine knows no keys, so it does not know who the client is. */
  private boolean isOfKeys(Operation operation, Frame frame) {
    if (operation == Operation.WHO_AM_I) {
      Optional<String> principal = login.proved().map(Keys.Known::principal);
      respond(
          frame, Json.encode(new SecurityControl.Identity(principal, List.of(), List.of(), true)));
      return true;
    }
    if (ADMINISTRATION.contains(operation)) {
      refuse(frame, Gate.notAsked());
      return true;
    }
    return false;
  }

  private void pass(Frame frame, Answer answer) {
    asked.put(frame.correlationId(), new Learned.Asked(frame.operation(), frame.payload(), answer));
    toEngine(frame);
  }

  private void toEngine(Frame frame) {
    context.fireChannelRead(Unpooled.wrappedBuffer(frame.header(), frame.payload()));
    context.fireChannelReadComplete();
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext read) {
    read.flush();
  }

  /** Sends a heartbeat for each open session, as the client would. */
  void renewAll() {
    for (byte[] heartbeat : learned.heartbeats()) {
      toEngine(new Frame(Operation.HEARTBEAT, FrameKind.REQUEST, ++lastOfTest, heartbeat));
    }
  }

  // From the engine

  @Override
  public void write(ChannelHandlerContext out, Object message, ChannelPromise written) {
    ByteBuf bytes = (ByteBuf) message;
    try {
      for (ByteBuffer part : bytes.nioBuffers()) {
        fromEngine.feed(part, this::sent);
      }
      written.trySuccess();
    } finally {
      bytes.release();
    }
  }

  private void sent(Frame frame) {
    if (isOver) {
      return;
    }
    if (frame.kind() == FrameKind.PUSH) {
      learned.pushed(frame);
      if (gate.isHoldingBack() && DELIVERIES.contains(frame.operation())) {
        heldBack.add(frame);
      } else {
        toClient(frame);
      }
    } else if (frame.kind() == FrameKind.ERROR && frame.operation() == Operation.DELIVER) {
      gate.rules().detached(frame.correlationId());
      toClient(frame);
    } else if (frame.correlationId() > lastOfTest) {
      Learned.Asked request = asked.remove(frame.correlationId());
      if (request != null && learned.answered(request, frame)) {
        mustProve = gate.keys().isClosed();
      }
      answer(request, frame);
    }
  }

  private void answer(Learned.Asked request, Frame frame) {
    switch (request == null ? Answer.GIVEN : request.answer()) {
      case GIVEN -> toClient(frame);
      case DOUBTED ->
          refuse(frame, new RefusedException(ErrorCode.STORAGE_FAILED, "a test is in doubt"));
      case LOST -> close();
    }
  }

  /** Delivers what was held back. */
  void release() {
    for (Frame frame = heldBack.poll(); frame != null; frame = heldBack.poll()) {
      toClient(frame);
    }
  }

  private void toClient(Frame frame) {
    if (frame.kind() == FrameKind.PUSH && frame.operation() == Operation.DELIVER) {
      delivered(Delivery.decode(frame.payload()), frame.payload().length);
    }
    context.writeAndFlush(
        Unpooled.wrappedBuffer(frame.header(), frame.payload()), context.voidPromise());
  }

  private void delivered(Delivery delivery, int bytes) {
    if (delivery.epoch() != PartitionControl.EPOCH) {
      long last = delivery.batches().get(delivery.batches().size() - 1).lastPosition();
      gate.rules().delivered(delivery.handle(), bytes, last);
    }
  }

  // By the test

  /** Refuses and closes a client whose key was revoked. */
  void revoked(String keyId) {
    if (login.proved().filter(known -> known.key().id().equals(keyId)).isPresent()) {
      refuse(
          NO_OPERATION,
          0,
          new RefusedException(ErrorCode.NOT_AUTHENTICATED, "the key of this client was revoked"));
      close();
    }
  }

  /** Sends an error and closes, because further bytes may not be frames. */
  private void doom(int operation, int correlationId, ErrorCode code, String message) {
    gate.violations().add(Rule.PROTOCOL, message);
    refuse(operation, correlationId, new RefusedException(code, message));
    close();
  }

  private void respond(Frame request, byte[] payload) {
    send(new Frame(request.operationCode(), FrameKind.RESPONSE, request.correlationId(), payload));
  }

  private void refuse(Frame request, RefusedException reason) {
    refuse(request.operationCode(), request.correlationId(), reason);
  }

  /**
   * Sends an ERROR frame; an error of a channel has its handle in the place of the correlation id.
   */
  void refuse(int operation, int correlationId, RefusedException reason) {
    send(new Frame(operation, FrameKind.ERROR, correlationId, ErrorPayload.of(reason).encode()));
  }

  void push(Operation operation, Control payload) {
    send(new Frame(operation, FrameKind.PUSH, 0, Json.encode(payload)));
  }

  private void send(Frame frame) {
    if (!isOver) {
      toClient(frame);
    }
  }

  /** Closes the connection, and ignores received bytes from then on. */
  void close() {
    isOver = true;
    context.close();
  }
}
