package io.tunnel.sdk.testing;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.sdk.security.AccessKey;
import io.tunnel.wire.Authentication;
import io.tunnel.wire.Authentication.Accepted;
import io.tunnel.wire.Authentication.Answer;
import io.tunnel.wire.Authentication.Begin;
import io.tunnel.wire.Authentication.Challenge;
import io.tunnel.wire.Authentication.Prove;
import io.tunnel.wire.Authentication.Request;
import io.tunnel.wire.AuthenticationProof;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The keys of clients. Without a key, the service authenticates no clients. On the service's
 * thread.
 */
final class Keys {

  /** The most keys; enough for any test. */
  static final int KEYS_MAX = 1_000;

  private final Map<String, Known> knownById = new LinkedHashMap<>();
  private boolean isClosed;
  private long nonces;

  /** A key and its principal. */
  record Known(String principal, AccessKey key) {}

  /** Whether the service authenticates its clients. */
  boolean isClosed() {
    return isClosed;
  }

  void add(String principal, AccessKey key) {
    if (knownById.size() == KEYS_MAX && !knownById.containsKey(key.id())) {
      throw new IllegalArgumentException("a service has " + KEYS_MAX + " keys at most");
    }
    isClosed = true;
    knownById.put(key.id(), new Known(principal, key));
  }

  void remove(String keyId) {
    if (knownById.remove(keyId) == null) {
      throw new IllegalArgumentException(
          "there is no key '" + keyId + "'; the keys are " + knownById.keySet());
    }
  }

  /** Unique within a run, and equal in each run of a test: a test has no attackers. */
  private Bytes nonce() {
    return Bytes.copyOf(ByteBuffer.allocate(Authentication.NONCE_BYTES).putLong(++nonces).array());
  }

  /** The authentication of one client, step by step. */
  final class Login {
    private Optional<AuthenticationProof> challenged = Optional.empty();
    private Optional<Known> proved = Optional.empty();

    /** The client's key and principal, once proved. */
    Optional<Known> proved() {
      return proved;
    }

    /**
     * Takes a step.
     *
     * @throws RefusedException NOT_AUTHENTICATED when the proof is wrong
     */
    Answer take(Request request) {
      if (request instanceof Begin begin) {
        Bytes nonce = nonce();
        challenged =
            Optional.of(
                new AuthenticationProof(
                    begin.keyId(), begin.nonce(), nonce, AuthenticationProof.NO_CHANNEL));
        return new Challenge(nonce);
      }
      return prove((Prove) request);
    }

    private Accepted prove(Prove prove) {
      AuthenticationProof seen =
          challenged.orElseThrow(
              () ->
                  new RefusedException(
                      ErrorCode.INVALID_REQUEST, "a proof without a key; begin with the key's id"));
      proved =
          Optional.ofNullable(knownById.get(seen.keyId()))
              .filter(
                  known ->
                      AuthenticationProof.areEqual(
                          seen.ofClient(known.key().secret().utf8()), prove.proof()));
      Known known =
          proved.orElseThrow(
              () ->
                  new RefusedException(
                      ErrorCode.NOT_AUTHENTICATED, "the key is unknown, or its secret is wrong"));
      return new Accepted(seen.ofServer(known.key().secret().utf8()), known.principal());
    }
  }
}
