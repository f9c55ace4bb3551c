package io.tunnel.programs.torture.hostile;

import java.io.IOException;
import java.util.Locale;
import java.util.Set;
import java.util.SplittableRandom;

/** Attempts to obtain foreign data. Many threads can run one attack at once. */
public enum Attack {
  /** Requests before authentication. */
  UNPROVED_REQUEST,
  /** Frames longer than a stranger may send. */
  UNPROVED_LARGE_FRAME,
  /** JSON, and brackets, in the place of a greeting or a proof. */
  UNPROVED_BRACKETS,
  /** Random bytes in random pieces. */
  GARBAGE,
  /** A connection on which a stranger says nothing more, at any step. */
  SILENCE,
  /** A guessed secret of an existing or a missing key. */
  GUESSED_SECRET,
  /** A proof that was captured on another connection. */
  REPLAYED_PROOF,
  /** A proof that was made for another server's certificate, or for none. */
  RELAYED_PROOF,
  /** A TLS handshake that is cut off or changed. */
  BROKEN_HANDSHAKE,
  /** A TLS handshake of a version that is not secure any more. */
  DOWNGRADED_HANDSHAKE,
  /** No TLS where TLS is spoken, on either port. */
  PLAIN_TEXT,
  /** What may not be seen must look as if it were not there. */
  FORBIDDEN_NAME,
  /** Requests of a principal with some bits wrong. */
  MUTATED_REQUEST,
  /** JSON that nests deeper than anybody can follow. */
  DEEP_JSON,
  /** Names that lead out of a directory, if they were taken as paths. */
  PATH_AS_NAME,
  /** The session of another principal, and its channels. */
  FOREIGN_SESSION,
  /** An attachment to a channel that the session does not hold, or holds no more. */
  FORGED_ATTACHMENT,
  /** An attachment with the grant of a session that has ended, or of a tunnel that is deleted. */
  KEPT_GRANT,
  /** The HTTP port without a token, and with many that are none. */
  HTTP_TOKEN;

  private static final Set<Attack> OF_SECONDS =
      Set.of(SILENCE, GUESSED_SECRET, REPLAYED_PROOF, RELAYED_PROOF, PLAIN_TEXT);

  /**
   * Tries it once.
   *
   * @throws HoleException when something was obtained
   * @throws IOException when the server has ended the connection before it was tried to its end
   */
  public void attempt(Scene scene, SplittableRandom random) throws IOException {
    switch (this) {
      case UNPROVED_REQUEST -> StrangerAttacks.request(scene, random);
      case UNPROVED_LARGE_FRAME -> StrangerAttacks.largeFrame(scene, random);
      case UNPROVED_BRACKETS -> StrangerAttacks.brackets(scene, random);
      case GARBAGE -> StrangerAttacks.garbage(scene, random);
      case SILENCE -> StrangerAttacks.silence(scene, random);
      case GUESSED_SECRET -> ProofAttacks.guessed(scene, random);
      case REPLAYED_PROOF -> ProofAttacks.replayed(scene, random);
      case RELAYED_PROOF -> ProofAttacks.relayed(scene, random);
      case BROKEN_HANDSHAKE -> HandshakeAttacks.broken(scene, random);
      case DOWNGRADED_HANDSHAKE -> HandshakeAttacks.downgraded(scene, random);
      case PLAIN_TEXT -> HandshakeAttacks.plain(scene, random);
      case FORBIDDEN_NAME -> IntruderAttacks.forbiddenName(scene, random);
      case MUTATED_REQUEST -> IntruderAttacks.mutated(scene, random);
      case DEEP_JSON -> IntruderAttacks.deepJson(scene, random);
      case PATH_AS_NAME -> IntruderAttacks.pathAsName(scene, random);
      case FOREIGN_SESSION -> SessionAttacks.foreignSession(scene, random);
      case FORGED_ATTACHMENT -> SessionAttacks.forgedAttachment(scene, random);
      case KEPT_GRANT -> SessionAttacks.keptGrant(scene, random);
      case HTTP_TOKEN -> HttpAttacks.token(scene, random);
    }
  }

  /** Whether a server lets one attempt wait for seconds. */
  public boolean isOfSeconds() {
    return OF_SECONDS.contains(this);
  }

  /** As people read it. */
  public String text() {
    return name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}
