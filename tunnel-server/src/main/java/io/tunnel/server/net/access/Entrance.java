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
 * The first frames of a connection: greeting and authentication. No other frame is decoded until
 * the client is {@linkplain Port#entered let in}. A node of the cluster sends a LOOK in place of an
 * authentication: the seal of the LOOK proves the node. Belongs to the connection's event loop.
 */
public final class Entrance {

  /** Seconds that a client may take to greet, without authentication. */
  public static final long GREETING_DEADLINE_S = 10;

  /** Seconds that a client may take to greet and authenticate. */
  public static final long AUTHENTICATION_DEADLINE_S = 5;

  private final Gate gate;
  private final Supplier<TlsPeer> peer;
  private final String serverName;
  private final Port port;
  private Stage stage = Stage.GREETING;
  private Optional<Greeted> greeted = Optional.empty();

  private enum Stage {
    /** No frame has arrived. */
    GREETING,
    /** The client has greeted and must authenticate. */
    AUTHENTICATING,
    /** The client was refused, now or after a delay; further frames are dropped. */
    FAILED,
    /** The client is let in. */
    PASSED
  }

  private record Greeted(Hello hello, Agreement agreed, Login login) {}

  /** The connection. */
  public interface Port {

    /**
     * The client is let in; requests follow.
     *
     * @throws RefusedException when the connection has lost its place meanwhile
     */
    void entered(Hello hello, Agreement agreed, Caller caller);

    /**
     * Checks that a LOOK comes from a node of this cluster.
     *
     * @throws RefusedException when the seal of the payload is not this cluster's
     */
    void requireNode(byte[] payload);

    /** Answers a frame. */
    void answer(Frame frame, byte[] payload);

    /** Refuses a frame, and ends the connection. */
    void refuse(Frame frame, RefusedException reason);

    /** Refuses a client whose authentication failed, and ends the connection, after a delay. */
    void refuseLater(Frame frame, RefusedException reason);
  }

  /**
   * The entrance of a new connection.
   *
   * @param peer the TLS peer, read when the client greets
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

  /** Whether the client is let in or refused, so that no deadline runs. */
  public boolean isOver() {
    return stage == Stage.PASSED || stage == Stage.FAILED;
  }

  /** Whether the client has greeted. */
  public boolean isGreeted() {
    return greeted.isPresent();
  }

  /** Seconds from the connection to the end of authentication. */
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
    port.answer(frame, Hello.answer(agreed, Protocol.SPOKEN, serverName).encode());
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
    if (frame.operation() == Operation.LOOK && frame.kind() == FrameKind.REQUEST) {
      requireNode(frame.payload());
      pass(Caller.node());
      return;
    }
    if (frame.operation() != Operation.AUTHENTICATE || frame.kind() != FrameKind.REQUEST) {
      // Refused at once: the client did not try to authenticate, so no attempt failed.
      stage = Stage.FAILED;
      port.refuse(
          frame,
          new RefusedException(
              ErrorCode.NOT_AUTHENTICATED,
              "this server requires authentication; give the client a key: a profile, by"
                  + " --profile or TUNNEL_PROFILE"));
      return;
    }
    Login login = greeted.orElseThrow().login();
    Authentication.Answer answer = login.take(Authentication.Request.decode(frame.payload()));
    login.caller().ifPresent(this::pass);
    port.answer(frame, answer.encode());
  }

  /** Counts a wrong seal as a failed attempt to authenticate. */
  private void requireNode(byte[] payload) {
    try {
      port.requireNode(payload);
    } catch (RefusedException e) {
      throw e.code() == ErrorCode.NOT_PERMITTED
          ? new RefusedException(ErrorCode.NOT_AUTHENTICATED, e.getMessage())
          : e;
    }
  }

  private void pass(Caller caller) {
    stage = Stage.PASSED;
    Greeted who = greeted.orElseThrow();
    port.entered(who.hello(), who.agreed(), caller);
  }
}
