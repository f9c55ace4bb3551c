package io.tunnel.server.net.access;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.net.access.Gate.Candidate;
import io.tunnel.server.security.AccessKey;
import io.tunnel.server.security.Principal;
import io.tunnel.server.security.Voucher;
import io.tunnel.wire.Authentication;
import io.tunnel.wire.Authentication.Accepted;
import io.tunnel.wire.Authentication.Answer;
import io.tunnel.wire.Authentication.Begin;
import io.tunnel.wire.Authentication.Challenge;
import io.tunnel.wire.Authentication.Prove;
import io.tunnel.wire.Authentication.Request;
import io.tunnel.wire.AuthenticationProof;
import java.util.Optional;

/**
 * One attempt of a client to authenticate. An unknown key gets a challenge like a known one, and
 * its proof is checked against a secret that no client has: neither the answers nor their duration
 * tell which keys exist.
 */
final class Login {

  private final Gate gate;
  private final Bytes binding;
  private Optional<AuthenticationProof> challenged = Optional.empty();
  private Optional<Caller> caller = Optional.empty();

  Login(Gate gate, Bytes binding) {
    this.gate = gate;
    this.binding = binding;
  }

  /** The caller, after a valid proof. */
  Optional<Caller> caller() {
    return caller;
  }

  /**
   * Takes a step.
   *
   * @throws RefusedException NOT_AUTHENTICATED when the proof is wrong, INVALID_REQUEST when the
   *     step is out of turn
   */
  Answer take(Request request) {
    if (request instanceof Begin begin) {
      return begin(begin);
    }
    return prove((Prove) request);
  }

  private Challenge begin(Begin begin) {
    if (challenged.isPresent()) {
      throw new RefusedException(
          ErrorCode.INVALID_REQUEST, "an authentication has begun; prove it, or connect again");
    }
    Bytes nonce = gate.chance(Authentication.NONCE_BYTES);
    challenged = Optional.of(new AuthenticationProof(begin.keyId(), begin.nonce(), nonce, binding));
    return new Challenge(nonce);
  }

  private Accepted prove(Prove prove) {
    AuthenticationProof seen =
        challenged.orElseThrow(
            () ->
                new RefusedException(
                    ErrorCode.INVALID_REQUEST, "a proof without a key; begin with the key's id"));
    return Voucher.isKeyId(seen.keyId())
        ? proveVoucher(seen, prove.proof())
        : proveKey(seen, prove.proof());
  }

  /** A voucher is read only after its proof, which covers its whole text. */
  private Accepted proveVoucher(AuthenticationProof seen, Bytes proof) {
    byte[] secret = gate.voucherSecret(seen.keyId()).toByteArray();
    boolean isProved = AuthenticationProof.areEqual(seen.ofClient(secret), proof);
    Voucher voucher =
        (isProved ? Voucher.read(seen.keyId()) : Optional.<Voucher>empty())
            .filter(one -> one.isValid(gate.epochMs()))
            .orElseThrow(Login::notProved);
    caller = Optional.of(gate.vouched(voucher));
    return new Accepted(seen.ofServer(secret), voucher.principal().name());
  }

  private Accepted proveKey(AuthenticationProof seen, Bytes proof) {
    Optional<AccessKey> key = gate.key(seen.keyId());
    Optional<Candidate> proved = Optional.empty();
    for (Candidate candidate : gate.candidates(key)) {
      // All candidates are checked even after a match, so that the duration tells nothing.
      boolean isProved =
          AuthenticationProof.areEqual(seen.ofClient(candidate.secret().toByteArray()), proof);
      if (isProved && candidate.isOfKey()) {
        proved = Optional.of(candidate);
      }
    }
    if (proved.isPresent()) {
      Principal principal = key.orElseThrow().principal();
      Caller.Proof shown = new Caller.Proof(seen.keyId(), proved.get().sealed());
      caller = Optional.of(gate.caller(principal, Optional.of(shown)));
      return new Accepted(seen.ofServer(proved.get().secret().toByteArray()), principal.name());
    }
    throw notProved();
  }

  private static RefusedException notProved() {
    return new RefusedException(
        ErrorCode.NOT_AUTHENTICATED,
        "there is no such key, or its secret is another, or somebody stands between client and"
            + " server");
  }
}
