package io.tunnel.server.catalog;

import io.tunnel.codec.MalformedException;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.wire.LookAnswer;
import io.tunnel.wire.LookRequest;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Optional;
import javax.crypto.Mac;

/**
 * Seals LOOK requests and answers between the nodes of a cluster. A seal is an authentication code
 * under a key that is derived from the catalog's secret, which all nodes of the cluster read and no
 * client knows. The seal of a request covers both nodes, the time and the questions; the seal of an
 * answer covers the seal of its request and the answer. So no process without the secret can ask or
 * answer, a request counts at one node only and for {@value #WINDOW_MS} ms, and an answer counts
 * for one request only. An eavesdropper can repeat a request within these milliseconds, and learns
 * the positions that the first answer had. Safe for use by any thread.
 */
public final class NodeSeals {

  /**
   * Milliseconds between the making of a request and its arrival, with the difference of the clocks
   * of both nodes.
   */
  public static final long WINDOW_MS = 30_000;

  private static final String PURPOSE = "looks between nodes";
  private static final byte[] ASK = "ask".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] ANSWER = "answer".getBytes(StandardCharsets.US_ASCII);

  private final ChannelGrants grants;

  /** Seals with the secret of {@code catalog}. */
  public NodeSeals(Catalog catalog) {
    this.grants = catalog.grants();
  }

  /**
   * The payload of a request.
   *
   * @throws RefusedException BUSY until the node has read the catalog
   */
  public byte[] seal(LookRequest request) {
    byte[] body = request.encode();
    return joined(code(ASK, new byte[0], body), body);
  }

  /**
   * Opens the payload of a request.
   *
   * @param self name of this node
   * @param nowMs milliseconds since 1970
   * @throws RefusedException NOT_PERMITTED when the seal does not match, the request is for another
   *     node, or was made at another time; BUSY until the node has read the catalog
   * @throws MalformedException when a sealed payload is no request
   */
  public LookRequest open(byte[] payload, String self, long nowMs) {
    if (!isSealed(ASK, new byte[0], payload)) {
      throw notPermitted("only a node of this cluster may LOOK, with the catalog's secret");
    }
    LookRequest request = LookRequest.decode(body(payload));
    if (!request.asked().equals(self)) {
      throw notPermitted("a look for node " + request.asked() + ", and this is node " + self);
    }
    long ageMs = nowMs - request.sentMs();
    if (ageMs > WINDOW_MS || ageMs < -WINDOW_MS) {
      throw notPermitted(
          "a look of node "
              + request.asking()
              + " that was made "
              + ageMs
              + " ms ago by the clock of node "
              + self
              + "; set the clocks of both nodes");
    }
    return request;
  }

  /** The payload of an answer to the request with {@code payload}. */
  public byte[] sealAnswer(byte[] payload, LookAnswer answer) {
    byte[] body = answer.encode();
    return joined(code(ANSWER, sealOf(payload), body), body);
  }

  /**
   * Opens the payload of an answer.
   *
   * @param payload payload of the request
   * @throws MalformedException when the seal does not match, or the bytes are no answer
   */
  public LookAnswer openAnswer(byte[] payload, byte[] answer) {
    if (!isSealed(ANSWER, sealOf(payload), answer)) {
      throw new MalformedException("an answer without the seal of this cluster");
    }
    return LookAnswer.decode(body(answer));
  }

  private static RefusedException notPermitted(String why) {
    return new RefusedException(ErrorCode.NOT_PERMITTED, why);
  }

  private static byte[] sealOf(byte[] payload) {
    return Arrays.copyOf(payload, LookRequest.SEAL_BYTES);
  }

  private static byte[] body(byte[] payload) {
    return Arrays.copyOfRange(payload, LookRequest.SEAL_BYTES, payload.length);
  }

  private static byte[] joined(byte[] seal, byte[] body) {
    byte[] payload = Arrays.copyOf(seal, seal.length + body.length);
    System.arraycopy(body, 0, payload, seal.length, body.length);
    return payload;
  }

  private boolean isSealed(byte[] kind, byte[] context, byte[] payload) {
    return payload.length >= LookRequest.SEAL_BYTES
        && MessageDigest.isEqual(code(kind, context, body(payload)), sealOf(payload));
  }

  private byte[] code(byte[] kind, byte[] context, byte[] body) {
    Optional<Bytes> key = grants.derived(PURPOSE);
    Mac mac =
        ChannelGrants.mac(
            key.orElseThrow(
                () ->
                    new RefusedException(
                        ErrorCode.BUSY,
                        "this node has not read its catalog, and cannot look yet; ask later")));
    mac.update(kind);
    mac.update(context);
    mac.update(body);
    return Arrays.copyOf(mac.doFinal(), LookRequest.SEAL_BYTES);
  }
}
