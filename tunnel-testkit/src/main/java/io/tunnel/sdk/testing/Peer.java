package io.tunnel.sdk.testing;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.tunnel.codec.MalformedException;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.wire.Agreement;
import io.tunnel.wire.Authentication;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameAssembler;
import io.tunnel.wire.FrameException;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Hello;
import io.tunnel.wire.Operation;
import io.tunnel.wire.Protocol;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.Renewal;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.function.BiConsumer;

/** A client's connection: frames of bytes and back, and the greeting. */
final class Peer extends ChannelInboundHandlerAdapter {

  private static final int NO_OPERATION = 0;

  private final Requests requests;
  private final Violations violations;
  private final Keys keys;
  private final Keys.Login login;
  private final FrameAssembler assembler = new FrameAssembler();
  private ChannelHandlerContext context;
  private boolean isGreeted;

  /** Whether the client must authenticate before other requests. */
  private boolean mustProve;

  private boolean isOver;

  Peer(Requests requests, Keys keys, Violations violations) {
    this.requests = requests;
    this.keys = keys;
    this.login = keys.new Login();
    this.violations = violations;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext added) {
    context = added;
  }

  @Override
  public void channelActive(ChannelHandlerContext active) {
    requests.connected(this);
  }

  @Override
  public void channelInactive(ChannelHandlerContext inactive) {
    isOver = true;
    requests.disconnected(this);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext broken, Throwable cause) {
    if (!(cause instanceof IOException)) {
      violations.add(Rule.PROTOCOL, "the service failed on what a client sent: " + cause);
    }
    close();
  }

  @Override
  public void channelRead(ChannelHandlerContext read, Object message) {
    ByteBuf bytes = (ByteBuf) message;
    try {
      for (ByteBuffer part : bytes.nioBuffers()) {
        assembler.feed(part, this::receive);
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
    if (!isGreeted) {
      greet(frame);
    } else if (mustProve) {
      authenticate(frame);
    } else if (frame.kind() == FrameKind.REQUEST) {
      requests.handle(frame, this);
    } else if (frame.kind() == FrameKind.PUSH && frame.operation() == Operation.CREDIT) {
      pushed(frame, requests::credit);
    } else if (frame.kind() == FrameKind.PUSH && frame.operation() == Operation.LIMIT) {
      pushed(frame, requests::limit);
    } else if (frame.kind() == FrameKind.PUSH && frame.operation() == Operation.RENEW) {
      // Renews a channel's grant; this service makes no grants.
      pushed(frame, (pushed, peer) -> Renewal.decode(pushed.payload()));
    } else {
      doom(
          frame.operationCode(),
          frame.correlationId(),
          ErrorCode.INVALID_REQUEST,
          "a client sends requests and pushes credit, limits and grants, not a "
              + frame.kind()
              + " of operation "
              + frame.operationCode());
    }
  }

  private void pushed(Frame frame, BiConsumer<Frame, Peer> taker) {
    try {
      taker.accept(frame, this);
    } catch (MalformedException | IllegalArgumentException e) {
      doom(frame.operationCode(), 0, ErrorCode.INVALID_REQUEST, e.getMessage());
    }
  }

  private void greet(Frame frame) {
    try {
      if (frame.operation() != Operation.HELLO || frame.kind() != FrameKind.REQUEST) {
        throw new MalformedException("the first frame is a HELLO request");
      }
      Hello hello = Hello.decode(frame.payload());
      Agreement agreed = hello.accept(Protocol.SPOKEN);
      isGreeted = true;
      mustProve = keys.isClosed();
      respond(frame, Hello.answer(agreed, Protocol.SPOKEN, "in-memory").encode());
    } catch (RefusedException e) {
      doom(frame.operationCode(), frame.correlationId(), e.code(), e.getMessage());
    } catch (MalformedException e) {
      doom(frame.operationCode(), frame.correlationId(), ErrorCode.INVALID_REQUEST, e.getMessage());
    }
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

  /** The principal of the client's key, if the service authenticates clients. */
  Optional<String> principal() {
    return login.proved().map(Keys.Known::principal);
  }

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
    violations.add(Rule.PROTOCOL, message);
    send(operation, FrameKind.ERROR, correlationId, new ErrorPayload(code, message).encode());
    close();
  }

  void respond(Frame request, byte[] payload) {
    send(request.operationCode(), FrameKind.RESPONSE, request.correlationId(), payload);
  }

  void refuse(Frame request, RefusedException reason) {
    refuse(request.operationCode(), request.correlationId(), reason);
  }

  /**
   * Sends an ERROR frame; an error of a channel has its handle in the place of the correlation id.
   */
  void refuse(int operation, int correlationId, RefusedException reason) {
    byte[] payload = ErrorPayload.of(reason).encode();
    send(operation, FrameKind.ERROR, correlationId, payload);
  }

  void push(Operation operation, Control payload) {
    push(operation, Json.encode(payload));
  }

  void push(Operation operation, byte[] payload) {
    send(operation.code(), FrameKind.PUSH, 0, payload);
  }

  private void send(int operation, FrameKind kind, int correlationId, byte[] payload) {
    if (isOver) {
      return;
    }
    byte[] header = new byte[Frame.HEADER_BYTES];
    Frame.writeHeader(header, 0, operation, kind, correlationId, payload.length);
    ByteBuf frame = context.alloc().buffer(header.length + payload.length);
    frame.writeBytes(header).writeBytes(payload);
    context.writeAndFlush(frame, context.voidPromise());
  }

  /** Closes the connection, and ignores received bytes from then on. */
  void close() {
    isOver = true;
    context.close();
  }
}
