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

/** The keys with which clients may come. With none, nobody is asked. On the service's thread. */
final class Keys {

  /** Enough for any test; one more is refused. */
  static final int KEYS_MAX = 1_000;

  private final Map<String, Known> knownById = new LinkedHashMap<>();
  private boolean isClosed;
  private long nonces;

  /** A key, and whom it stands for. */
  record Known(String principal, AccessKey key) {}

  /** Whether everybody is asked who they are. */
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

  /** Different each time, and the same in each run of a test: there is nobody to be kept out. */
  private Bytes nonce() {
    return Bytes.copyOf(ByteBuffer.allocate(Authentication.NONCE_BYTES).putLong(++nonces).array());
  }

  /** Who a client is, step by step. */
  final class Login {
    private Optional<AuthenticationProof> challenged = Optional.empty();
    private Optional<Known> proved = Optional.empty();

    /** Who it is, once that is proved. */
    Optional<Known> proved() {
      return proved;
    }

    /**
     * Takes a step.
     *
     * @throws RefusedException NOT_AUTHENTICATED when it proves nothing
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
                      ErrorCode.NOT_AUTHENTICATED,
                      "there is no such key, or its secret is another"));
      return new Accepted(seen.ofServer(known.key().secret().utf8()), known.principal());
    }
  }
}
