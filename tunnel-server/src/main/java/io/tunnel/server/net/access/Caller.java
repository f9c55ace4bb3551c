package io.tunnel.server.net.access;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.net.access.RecentDecisions.About;
import io.tunnel.server.net.access.RecentDecisions.Question;
import io.tunnel.server.security.Permissions;
import io.tunnel.server.security.Principal;
import io.tunnel.wire.Operation.Right;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BiPredicate;

/**
 * Who asks on a connection, and what they may do at this moment: each question is answered from the
 * newest snapshot of what was granted. For any thread.
 */
public final class Caller {

  private static final Caller ANYBODY = new Caller(Optional.empty(), true);
  private static final Caller NOBODY = new Caller(Optional.empty(), false);

  private final Optional<Known> known;
  private final boolean isAnybody;

  /**
   * What a caller has proved.
   *
   * @param sealedSecret the secret of the key that the proof was made with, as it is stored
   */
  record Proof(String keyId, String sealedSecret) {

    /** Without the secret. */
    @Override
    public String toString() {
      return "Proof[" + keyId + "]";
    }
  }

  /**
   * @param expiresMs when the certificate expires that says who it is, if one does
   */
  private record Known(
      Principal principal,
      Optional<Proof> proof,
      OptionalLong expiresMs,
      Gate gate,
      RecentDecisions recent) {

    boolean isGranted(Question question, BiPredicate<Permissions, Principal> answer) {
      return recent.decide(
          gate.currentRights().permissions(),
          question,
          permissions -> answer.test(permissions, principal));
    }

    /**
     * Whether the key is still of that principal, and still has that secret; or the certificate has
     * not expired.
     */
    boolean isWelcome() {
      if (expiresMs.isPresent()) {
        return gate.epochMs() < expiresMs.getAsLong();
      }
      return proof.isEmpty()
          || gate.key(proof.get().keyId())
              .filter(key -> key.principal().equals(principal))
              .filter(key -> key.sealedSecrets().contains(proof.get().sealedSecret()))
              .isPresent();
    }
  }

  private Caller(Optional<Known> known, boolean isAnybody) {
    this.known = known;
    this.isAnybody = isAnybody;
  }

  Caller(Principal principal, Optional<Proof> proof, Gate gate) {
    this(
        Optional.of(new Known(principal, proof, OptionalLong.empty(), gate, new RecentDecisions())),
        false);
  }

  Caller(TlsPeer.ClientCertificate certificate, Gate gate) {
    this(
        Optional.of(
            new Known(
                certificate.subject(),
                Optional.empty(),
                OptionalLong.of(certificate.expiresMs()),
                gate,
                new RecentDecisions())),
        false);
  }

  /** Someone who is not let in yet, and may do nothing. */
  public static Caller nobody() {
    return NOBODY;
  }

  /** Someone of whom a server that asks nobody knows nothing, and who may do everything. */
  public static Caller anybody() {
    return ANYBODY;
  }

  /** Who it is, where everybody is asked. */
  public Optional<Principal> principal() {
    return known.map(Known::principal);
  }

  /** The name that grants of channels are made for; empty where nobody is asked who they are. */
  public String name() {
    return known.map(one -> one.principal().name()).orElse("");
  }

  /** Whether every request may be made, without a look at what it names. */
  public boolean mayDoEverything() {
    return isAnybody
        || (known.isPresent() && known.get().gate().isAdministrator(known.get().principal()));
  }

  /** Whether what let the caller in still would. */
  public boolean isWelcome() {
    return isAnybody || (known.isPresent() && known.get().isWelcome());
  }

  /** Whether the permissions that there are now say so; never of somebody who is not known. */
  private boolean isGranted(Question question, BiPredicate<Permissions, Principal> answer) {
    return mayDoEverything() || (known.isPresent() && known.get().isGranted(question, answer));
  }

  /** Whether the caller has the right on a table. */
  public boolean may(Right right, String table) {
    return isGranted(
        new Question(About.TABLE, right, table, ""),
        (permissions, who) -> permissions.allows(who, right, table));
  }

  /** Whether the caller has the right on a tunnel. */
  public boolean may(Right right, String table, String tunnel) {
    return isGranted(
        new Question(About.TUNNEL, right, table, tunnel),
        (permissions, who) -> permissions.allowsTunnel(who, right, table, tunnel));
  }

  /** Whether the caller has the right on the cluster. */
  public boolean mayOnCluster(Right right) {
    return isGranted(
        new Question(About.CLUSTER, right, "", ""),
        (permissions, who) -> permissions.allowsCluster(who, right));
  }

  /** Whether the table exists for the caller. */
  public boolean sees(String table) {
    return isGranted(
        new Question(About.SIGHT_OF_TABLE, Right.SEE, table, ""),
        (permissions, who) -> permissions.seesTable(who, table));
  }

  /** Whether the tunnel exists for the caller. */
  public boolean sees(String table, String tunnel) {
    return isGranted(
        new Question(About.TUNNEL, Right.SEE, table, tunnel),
        (permissions, who) -> permissions.seesTunnel(who, table, tunnel));
  }

  /**
   * Refuses who does not have the right on a tunnel: in the words for a tunnel that does not exist
   * when the caller may not see it.
   */
  public void require(Right right, String table, String tunnel) {
    if (!sees(table, tunnel) && right != Right.CREATE) {
      throw new RefusedException(
          ErrorCode.TUNNEL_NOT_FOUND, "table '" + table + "' has no tunnel '" + tunnel + "'");
    }
    if (right != Right.SEE && !may(right, table, tunnel)) {
      throw notPermitted(right, "tunnel " + table + "/" + tunnel);
    }
  }

  /** Refuses who does not have the right on the cluster. */
  public void requireOnCluster(Right right) {
    if (!mayOnCluster(right)) {
      throw notPermitted(right, "the cluster");
    }
  }

  RefusedException notPermitted(Right right, String what) {
    return new RefusedException(
        ErrorCode.NOT_PERMITTED,
        "'"
            + name()
            + "' does not have the right "
            + right.name().toLowerCase(Locale.ROOT)
            + " on "
            + what
            + "; an administrator can grant it");
  }

  /**
   * The refusal as the caller may read it: the names behind a name that does not exist may be of
   * things that the caller may not see.
   */
  public RefusedException told(RefusedException reason) {
    boolean isOfNames =
        reason.code() == ErrorCode.TABLE_NOT_FOUND || reason.code() == ErrorCode.TUNNEL_NOT_FOUND;
    int list = String.valueOf(reason.getMessage()).indexOf("; ");
    return isOfNames && list >= 0 && !mayDoEverything()
        ? new RefusedException(reason.code(), reason.getMessage().substring(0, list))
        : reason;
  }

  /** Who it is, for logs. */
  @Override
  public String toString() {
    return known.map(one -> one.principal().name()).orElse(isAnybody ? "anybody" : "nobody");
  }
}
