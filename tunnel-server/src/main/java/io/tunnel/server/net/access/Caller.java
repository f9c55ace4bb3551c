package io.tunnel.server.net.access;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.net.access.RecentDecisions.About;
import io.tunnel.server.net.access.RecentDecisions.Question;
import io.tunnel.server.security.Permissions;
import io.tunnel.server.security.Principal;
import io.tunnel.server.security.Voucher;
import io.tunnel.wire.Operation.Right;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BiPredicate;

/**
 * The client of a connection, with its rights at this moment: each question is answered from the
 * newest snapshot of permissions. For any thread.
 */
public final class Caller {

  private static final Caller ANYBODY = new Caller(Optional.empty(), true);
  private static final Caller NODE = new Caller(Optional.empty(), false);
  private static final Caller NOBODY = new Caller(Optional.empty(), false);

  private final Optional<Known> known;
  private final boolean isAnybody;

  /**
   * The key with which a caller proved its identity.
   *
   * @param sealedSecret the stored form of the secret that made the proof
   */
  record Proof(String keyId, String sealedSecret) {

    /** Without the secret. */
    @Override
    public String toString() {
      return "Proof[" + keyId + "]";
    }
  }

  /**
   * @param expiresMs when the client's certificate or voucher ends; empty without one
   * @param origin the way of a vouched client's requests; empty for other clients
   */
  private record Known(
      Principal principal,
      Optional<Proof> proof,
      OptionalLong expiresMs,
      Optional<String> origin,
      Gate gate,
      RecentDecisions recent) {

    boolean isGranted(Question question, BiPredicate<Permissions, Principal> answer) {
      return recent.decide(
          gate.currentRights().permissions(),
          question,
          permissions -> answer.test(permissions, principal));
    }

    /**
     * Whether the key still belongs to the principal and still has the secret, or the certificate
     * or voucher has not ended.
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
        Optional.of(
            new Known(
                principal,
                proof,
                OptionalLong.empty(),
                Optional.empty(),
                gate,
                new RecentDecisions())),
        false);
  }

  Caller(TlsPeer.ClientCertificate certificate, Gate gate) {
    this(
        Optional.of(
            new Known(
                certificate.subject(),
                Optional.empty(),
                OptionalLong.of(certificate.expiresMs()),
                Optional.empty(),
                gate,
                new RecentDecisions())),
        false);
  }

  Caller(Voucher voucher, Gate gate) {
    this(
        Optional.of(
            new Known(
                voucher.principal(),
                Optional.empty(),
                OptionalLong.of(voucher.endsMs()),
                Optional.of(voucher.origin()),
                gate,
                new RecentDecisions())),
        false);
  }

  /** A client before authentication, which may do nothing. */
  public static Caller nobody() {
    return NOBODY;
  }

  /** An unknown client of a server without authentication, which may do everything. */
  public static Caller anybody() {
    return ANYBODY;
  }

  /** A node of the cluster that came in by a seal, for LOOK alone. */
  static Caller node() {
    return NODE;
  }

  /** Whether the caller is a node of the cluster that came without a principal. */
  @SuppressWarnings("ReferenceEquality")
  boolean isNode() {
    return this == NODE;
  }

  /** The principal; empty without authentication. */
  public Optional<Principal> principal() {
    return known.map(Known::principal);
  }

  /** The way of the requests of a client for which a node vouches; empty for other clients. */
  Optional<String> origin() {
    return known.flatMap(Known::origin);
  }

  /** The name that grants of channels carry; empty without authentication. */
  public String name() {
    return known.map(one -> one.principal().name()).orElse("");
  }

  /** Whether the caller may make every request, whatever it names. */
  public boolean mayDoEverything() {
    return isAnybody
        || (known.isPresent() && known.get().gate().isAdministrator(known.get().principal()));
  }

  /** Whether the caller's key, certificate or voucher is still valid. */
  public boolean isWelcome() {
    return isAnybody || isNode() || (known.isPresent() && known.get().isWelcome());
  }

  /** Whether the newest permissions allow it; never for a client before authentication. */
  private boolean isGranted(Question question, BiPredicate<Permissions, Principal> answer) {
    return mayDoEverything() || (known.isPresent() && known.get().isGranted(question, answer));
  }

  /** Whether the caller has the right on a table. */
  public boolean may(Right right, String table) {
    return isGranted(
        new Question(About.TABLE, right, table, ""),
        (permissions, who) -> permissions.allows(who, right, table));
  }

  /**
   * Whether the caller has the right on one table at least. The decision is remembered until
   * permissions change, or another table is created.
   */
  boolean mayOnSome(Right right, Catalog catalog) {
    return isGranted(
        // The creation of a table raises the last partition; a drop lowers the number of tables.
        new Question(
            About.SOME_TABLE, right, catalog.lastPartition() + "/" + catalog.tables().size(), ""),
        (permissions, who) ->
            catalog.tables().stream()
                .anyMatch(table -> permissions.allows(who, right, table.meta().name())));
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
   * Refuses a caller without the right on a tunnel; as if the tunnel did not exist when the caller
   * may not see it.
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

  /** Refuses a caller without the right on the cluster. */
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
   * The refusal as the caller may read it: suggestions of existing names could tell of resources
   * that the caller may not see.
   */
  public RefusedException told(RefusedException reason) {
    boolean isOfNames =
        reason.code() == ErrorCode.TABLE_NOT_FOUND || reason.code() == ErrorCode.TUNNEL_NOT_FOUND;
    int list = String.valueOf(reason.getMessage()).indexOf("; ");
    return isOfNames && list >= 0 && !mayDoEverything()
        ? new RefusedException(reason.code(), reason.getMessage().substring(0, list))
        : reason;
  }

  /** The caller for logs. */
  @Override
  public String toString() {
    return known
        .map(one -> one.principal().name())
        .orElse(isAnybody ? "anybody" : isNode() ? "a node" : "nobody");
  }
}
