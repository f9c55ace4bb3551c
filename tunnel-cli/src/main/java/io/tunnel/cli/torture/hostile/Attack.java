package io.tunnel.cli.torture.hostile;

import java.io.IOException;
import java.util.Locale;
import java.util.Set;
import java.util.SplittableRandom;

/** What somebody tries who wants what is not theirs. Each can be tried by many threads at once. */
public enum Attack {
  /** Requests of somebody who has not said who they are. */
  UNPROVED_REQUEST(StrangerAttacks::request),
  /** Frames longer than a stranger may send. */
  UNPROVED_LARGE_FRAME(StrangerAttacks::largeFrame),
  /** JSON, and brackets, in the place of a greeting or a proof. */
  UNPROVED_BRACKETS(StrangerAttacks::brackets),
  /** Random bytes in random pieces. */
  GARBAGE(StrangerAttacks::garbage),
  /** A connection on which a stranger says nothing more, at any step. */
  SILENCE(StrangerAttacks::silence),
  /** A secret that is guessed, of a key that there is or that there is not. */
  GUESSED_SECRET(ProofAttacks::guessed),
  /** A proof that somebody has seen, on another connection. */
  REPLAYED_PROOF(ProofAttacks::replayed),
  /** A proof that was made for another server's certificate, or for none. */
  RELAYED_PROOF(ProofAttacks::relayed),
  /** A TLS handshake that is cut off or changed. */
  BROKEN_HANDSHAKE(HandshakeAttacks::broken),
  /** A TLS handshake of a version that is not secure any more. */
  DOWNGRADED_HANDSHAKE(HandshakeAttacks::downgraded),
  /** No TLS where TLS is spoken, on either port. */
  PLAIN_TEXT(HandshakeAttacks::plain),
  /** What may not be seen must look as if it were not there. */
  FORBIDDEN_NAME(IntruderAttacks::forbiddenName),
  /** Requests of a principal with some bits wrong. */
  MUTATED_REQUEST(IntruderAttacks::mutated),
  /** JSON that nests deeper than anybody can follow. */
  DEEP_JSON(IntruderAttacks::deepJson),
  /** Names that lead out of a directory, if they were taken as paths. */
  PATH_AS_NAME(IntruderAttacks::pathAsName),
  /** A session of somebody else, and its channels. */
  FOREIGN_SESSION(SessionAttacks::foreignSession),
  /** A channel that was given to nobody, or to somebody else. */
  FORGED_ATTACHMENT(SessionAttacks::forgedAttachment),
  /** The HTTP port without a token, and with many that are none. */
  HTTP_TOKEN(HttpAttacks::token);

  private static final Set<Attack> OF_SECONDS =
      Set.of(SILENCE, GUESSED_SECRET, REPLAYED_PROOF, RELAYED_PROOF, PLAIN_TEXT);

  private final Try attempt;

  /** Does it once. */
  @FunctionalInterface
  interface Try {
    void attempt(Scene scene, SplittableRandom random) throws IOException;
  }

  Attack(Try attempt) {
    this.attempt = attempt;
  }

  /**
   * Tries it once.
   *
   * @throws HoleException when something was obtained
   * @throws IOException when the server has ended the connection before it was tried to its end
   */
  public void attempt(Scene scene, SplittableRandom random) throws IOException {
    attempt.attempt(scene, random);
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
