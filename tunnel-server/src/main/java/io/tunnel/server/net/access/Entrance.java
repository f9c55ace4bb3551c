package io.tunnel.server.net.access;

import io.tunnel.codec.MalformedException;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.wire.Agreement;
import io.tunnel.wire.Authentication;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Hello;
import io.tunnel.wire.Operation;
import io.tunnel.wire.Protocol;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The first frames of a connection: its greeting, and who it is. Nothing else is decoded until the
 * client is {@linkplain Port#entered let in}. Belongs to the connection's event loop.
 */
public final class Entrance {

  /** How long a client may take to greet where nobody is asked who they are. */
  public static final long GREETING_DEADLINE_S = 10;

  /** How long a client may take until it has proved who it is. */
  public static final long AUTHENTICATION_DEADLINE_S = 5;

  private final Gate gate;
  private final Supplier<TlsPeer> peer;
  private final String serverName;
  private final Port port;
  private Stage stage = Stage.GREETING;
  private Optional<Greeted> greeted = Optional.empty();

  private enum Stage {
    /** Nothing has come. */
    GREETING,
    /** The client has greeted, and is asked who it is. */
    AUTHENTICATING,
    /** The client was refused, now or in a while; nothing more is taken. */
    FAILED,
    /** The client is let in. */
    PASSED
  }

  private record Greeted(Hello hello, Agreement agreed, Login login) {}

  /** The connection. */
  public interface Port {

    /** The client is let in; requests follow. */
    void entered(Hello hello, Agreement agreed, Caller caller);

    /** Answers a frame. */
    void answer(Frame frame, byte[] payload);

    /** Refuses a frame, and ends the connection. */
    void refuse(Frame frame, RefusedException reason);

    /** Refuses a client that has not proved who it is, and ends the connection, after a while. */
    void refuseLater(Frame frame, RefusedException reason);
  }

  /**
   * Of a new connection.
   *
   * @param peer what TLS knows of the client, asked when it greets
   */
  public Entrance(Gate gate, Supplier<TlsPeer> peer, String serverName, Port port) {
    this.gate = gate;
    this.peer = peer;
    this.serverName = serverName;
    this.port = port;
  }

  /** Whether the client is let in. */
  public boolean isPassed() {
    return stage == Stage.PASSED;
  }

  /** Whether the client is let in, or refused: nothing is waited for. */
  public boolean isOver() {
    return stage == Stage.PASSED || stage == Stage.FAILED;
  }

  /** Whether the client has greeted, whoever it is. */
  public boolean isGreeted() {
    return greeted.isPresent();
  }

  /** How long all of it may take, in seconds. */
  public long deadlineS() {
    return gate.isOpen() ? GREETING_DEADLINE_S : AUTHENTICATION_DEADLINE_S;
  }

  /** Takes a frame of a client that is not let in yet. */
  public void take(Frame frame) {
    try {
      switch (stage) {
        case GREETING -> greet(frame);
        case AUTHENTICATING -> authenticate(frame);
        case FAILED -> {}
        case PASSED -> throw new IllegalStateException("a client that is let in");
      }
    } catch (RefusedException e) {
      refuse(frame, e);
    } catch (MalformedException e) {
      refuse(frame, new RefusedException(ErrorCode.INVALID_REQUEST, e.getMessage()));
    }
  }

  private void refuse(Frame frame, RefusedException reason) {
    stage = Stage.FAILED;
    if (reason.code() == ErrorCode.NOT_AUTHENTICATED) {
      port.refuseLater(frame, reason);
    } else {
      port.refuse(frame, reason);
    }
  }

  private void greet(Frame frame) {
    if (frame.operation() != Operation.HELLO || frame.kind() != FrameKind.REQUEST) {
      throw new MalformedException("a connection opens with a HELLO request");
    }
    Hello hello = Hello.decode(frame.payload());
    Agreement agreed = hello.accept(Protocol.SPOKEN);
    TlsPeer known = peer.get();
    greeted = Optional.of(new Greeted(hello, agreed, new Login(gate, known.binding())));
    if (gate.isOpen()) {
      pass(Caller.anybody());
    } else if (known.certificate().isPresent()) {
      pass(welcome(gate.certified(known.certificate().get())));
    } else {
      stage = Stage.AUTHENTICATING;
    }
    port.answer(frame, hello.answer(agreed, Protocol.SPOKEN, serverName).encode());
  }

  private static Caller welcome(Caller certified) {
    if (!certified.isWelcome()) {
      throw new RefusedException(
          ErrorCode.NOT_AUTHENTICATED,
          "the certificate of '" + certified.name() + "' has expired; give the client another");
    }
    return certified;
  }

  private void authenticate(Frame frame) {
    if (frame.operation() != Operation.AUTHENTICATE || frame.kind() != FrameKind.REQUEST) {
      // At once: it has not tried to say who it is, and so has not failed to.
      stage = Stage.FAILED;
      port.refuse(
          frame,
          new RefusedException(
              ErrorCode.NOT_AUTHENTICATED,
              "this server asks everybody who they are; give the client a key: a profile, by"
                  + " --profile or TUNNEL_PROFILE"));
      return;
    }
    Login login = greeted.orElseThrow().login();
    Authentication.Answer answer = login.take(Authentication.Request.decode(frame.payload()));
    login.caller().ifPresent(this::pass);
    port.answer(frame, answer.encode());
  }

  private void pass(Caller caller) {
    stage = Stage.PASSED;
    Greeted who = greeted.orElseThrow();
    port.entered(who.hello(), who.agreed(), caller);
  }
}
