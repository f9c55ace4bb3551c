package io.tunnel.programs.torture.hostile;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.value.Bytes;
import io.tunnel.programs.torture.hostile.RawConnection.Begun;
import io.tunnel.sdk.security.AccessKey;
import io.tunnel.sdk.security.Secret;
import io.tunnel.wire.Authentication;
import io.tunnel.wire.AuthenticationProof;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Operation;
import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;
import java.util.SplittableRandom;

/** Attacks of a client that claims the key of another principal. */
final class ProofAttacks {

  private static final int CORRELATION_ID = 77;

  private ProofAttacks() {}

  private static ErrorPayload refused(RawConnection connection, byte[] proof) throws IOException {
    connection.send(
        RawConnection.bytesOf(
            Operation.AUTHENTICATE.code(), FrameKind.REQUEST, CORRELATION_ID, proof));
    // What comes behind a failed proof is not looked at, however long the refusal waits.
    connection.sendWhileOpen(
        RawConnection.bytesOf(
            Operation.LIST_TABLES.code(), FrameKind.REQUEST, CORRELATION_ID + 1, new byte[0]));
    ErrorPayload error = connection.closedWith(Optional.of(ErrorCode.NOT_AUTHENTICATED));
    if (!error.message().startsWith("there is no such key, or its secret is another")) {
      throw new HoleException("a failed proof says which of its parts was wrong: " + error);
    }
    return error;
  }

  static void guessed(Scene scene, SplittableRandom random) throws IOException {
    AccessKey guess =
        new AccessKey(
            random.nextBoolean() ? scene.owner().id() : "tk" + Long.toHexString(random.nextLong()),
            Secret.of("a guess of " + random.nextLong() + " and more"));
    try (RawConnection connection = RawConnection.greeted(scene.target())) {
      Begun begun = connection.begin(guess, RawConnection.nonce(random.nextLong()));
      byte[] proof = begun.proof();
      if (random.nextInt(4) == 0) {
        // The server's own side, of a client that has nothing to say of itself.
        proof = new Authentication.Prove(begun.seen().ofServer(guess.secret().utf8())).encode();
      }
      var unused = refused(connection, proof);
    }
  }

  static void replayed(Scene scene, SplittableRandom random) throws IOException {
    Bytes nonce = RawConnection.nonce(random.nextLong());
    byte[] seen;
    try (RawConnection connection = RawConnection.greeted(scene.target())) {
      seen = connection.begin(scene.owner(), nonce).proof();
      if (random.nextBoolean()) {
        var unused = connection.request(Operation.AUTHENTICATE, seen);
      }
    }
    try (RawConnection connection = RawConnection.greeted(scene.target())) {
      var begun = connection.begin(scene.owner(), nonce);
      if (Arrays.equals(begun.proof(), seen)) {
        throw new HoleException("a server has challenged twice with the same nonce");
      }
      var unused = refused(connection, seen);
    }
  }

  /** A man in the middle, with another certificate. */
  static void relayed(Scene scene, SplittableRandom random) throws IOException {
    try (RawConnection connection = RawConnection.greeted(scene.target())) {
      AuthenticationProof seen =
          connection.begin(scene.owner(), RawConnection.nonce(random.nextLong())).seen();
      Bytes binding =
          random.nextBoolean() && scene.target().isTls()
              ? AuthenticationProof.NO_CHANNEL
              : RawConnection.nonce(random.nextLong());
      AuthenticationProof other =
          new AuthenticationProof(seen.keyId(), seen.clientNonce(), seen.serverNonce(), binding);
      var unused =
          refused(
              connection,
              new Authentication.Prove(other.ofClient(scene.owner().secret().utf8())).encode());
    }
  }
}
