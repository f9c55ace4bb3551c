package io.tunnel.server.net.access;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.security.Principal;
import io.tunnel.wire.Agreement;
import io.tunnel.wire.Authentication;
import io.tunnel.wire.Authentication.Accepted;
import io.tunnel.wire.Authentication.Begin;
import io.tunnel.wire.Authentication.Challenge;
import io.tunnel.wire.Authentication.Prove;
import io.tunnel.wire.AuthenticationProof;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Hello;
import io.tunnel.wire.Operation;
import io.tunnel.wire.Protocol;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** An entrance, and what it says of the client that a test plays. */
final class EntranceFixture implements Entrance.Port {

  static final Bytes BINDING = TestGate.bytes(0xbb);

  /** When the certificate of a client expires that has one. */
  static final long CERTIFICATE_ENDS_MS = 1_000_000;

  static final Bytes NONCE = TestGate.bytes(0xcc);

  /** First byte of a payload that a node of the cluster has sealed. */
  static final byte SEALED = 7;

  final Entrance entrance;

  /** Who was let in. */
  Optional<Caller> entered = Optional.empty();

  boolean hasLostItsPlace;

  final List<byte[]> answers = new ArrayList<>();

  /** What was refused: at once, or in a while. */
  final List<String> refusals = new ArrayList<>();

  EntranceFixture(Gate gate, Optional<String> subject) {
    TlsPeer peer =
        new TlsPeer(
            BINDING,
            subject.map(
                name ->
                    new TlsPeer.ClientCertificate(
                        Principal.ofCertificate(name), CERTIFICATE_ENDS_MS)));
    entrance = new Entrance(gate, () -> peer, "server", this);
  }

  @Override
  public void entered(Hello hello, Agreement agreed, Caller caller) {
    if (entered.isPresent()) {
      throw new IllegalStateException("twice");
    }
    if (hasLostItsPlace) {
      throw new RefusedException(ErrorCode.BUSY, "its place is taken");
    }
    entered = Optional.of(caller);
  }

  @Override
  public void requireNode(byte[] payload) {
    if (payload.length == 0 || payload[0] != SEALED) {
      throw new RefusedException(
          payload.length == 0 ? ErrorCode.BUSY : ErrorCode.NOT_PERMITTED, "no seal");
    }
  }

  @Override
  public void answer(Frame frame, byte[] payload) {
    answers.add(payload);
  }

  @Override
  public void refuse(Frame frame, RefusedException reason) {
    refusals.add("at once " + reason.code() + " " + reason.getMessage());
  }

  @Override
  public void refuseLater(Frame frame, RefusedException reason) {
    refusals.add("later " + reason.code() + " " + reason.getMessage());
  }

  void take(Operation operation, FrameKind kind, byte[] payload) {
    entrance.take(new Frame(operation, kind, 1, payload));
  }

  void take(Authentication.Request step) {
    take(Operation.AUTHENTICATE, FrameKind.REQUEST, step.encode());
  }

  static byte[] hello() {
    return Hello.request(Protocol.SPOKEN, "client").encode();
  }

  EntranceFixture greet() {
    take(Operation.HELLO, FrameKind.REQUEST, hello());
    return this;
  }

  /** Begins, and is challenged. */
  AuthenticationProof begin(String keyId, Bytes binding) {
    take(new Begin(keyId, NONCE));
    Challenge challenge = (Challenge) Authentication.Answer.decode(last());
    return new AuthenticationProof(keyId, NONCE, challenge.nonce(), binding);
  }

  /** Begins and proves; says whether that let the client in, and the server has proved the same. */
  boolean authenticate(String keyId, String secret, Bytes binding) {
    return authenticate(keyId, secret.getBytes(StandardCharsets.UTF_8), binding);
  }

  /** As {@link #authenticate(String, String, Bytes)}, with a secret that is no text. */
  boolean authenticate(String keyId, byte[] bytes, Bytes binding) {
    AuthenticationProof seen = begin(keyId, binding);
    take(new Prove(seen.ofClient(bytes)));
    if (entered.isEmpty()) {
      return false;
    }
    Accepted accepted = (Accepted) Authentication.Answer.decode(last());
    if (!accepted.proof().equals(seen.ofServer(bytes))
        || !accepted.principal().equals(entered.get().name())) {
      throw new IllegalStateException("a server that proves nothing");
    }
    return true;
  }

  boolean authenticate(String keyId, String secret) {
    return authenticate(keyId, secret, BINDING);
  }

  private byte[] last() {
    return answers.get(answers.size() - 1);
  }
}
