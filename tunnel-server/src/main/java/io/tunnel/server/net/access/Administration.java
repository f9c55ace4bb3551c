package io.tunnel.server.net.access;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.security.AccessKey;
import io.tunnel.server.security.HttpToken;
import io.tunnel.server.security.Permission;
import io.tunnel.server.security.Principal;
import io.tunnel.server.security.Quota;
import io.tunnel.server.security.SecurityRecords;
import io.tunnel.server.security.SecuritySnapshot;
import io.tunnel.wire.Operation.Right;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.Control.Empty;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.SecurityControl.ChangeGroup;
import io.tunnel.wire.control.SecurityControl.CreateKey;
import io.tunnel.wire.control.SecurityControl.CreateToken;
import io.tunnel.wire.control.SecurityControl.GroupInfo;
import io.tunnel.wire.control.SecurityControl.GroupList;
import io.tunnel.wire.control.SecurityControl.Identity;
import io.tunnel.wire.control.SecurityControl.KeyInfo;
import io.tunnel.wire.control.SecurityControl.KeyList;
import io.tunnel.wire.control.SecurityControl.KeySecret;
import io.tunnel.wire.control.SecurityControl.PermissionInfo;
import io.tunnel.wire.control.SecurityControl.PermissionList;
import io.tunnel.wire.control.SecurityControl.PermissionQuery;
import io.tunnel.wire.control.SecurityControl.QuotaChange;
import io.tunnel.wire.control.SecurityControl.QuotaInfo;
import io.tunnel.wire.control.SecurityControl.QuotaList;
import io.tunnel.wire.control.SecurityControl.RotateKey;
import io.tunnel.wire.control.SecurityControl.SecurityId;
import io.tunnel.wire.control.SecurityControl.TokenInfo;
import io.tunnel.wire.control.SecurityControl.TokenList;
import io.tunnel.wire.control.SecurityControl.TokenSecret;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * Serves administrators' requests about keys, permissions, groups, tokens and quotas: each change
 * is one write of the catalog. On the control thread, for callers that {@link Authority} has
 * admitted.
 */
public final class Administration {

  /** Entries of one answer. */
  static final int LISTED_MAX = 10_000;

  private final Catalog catalog;
  private final Gate gate;
  private final LongSupplier epochMs;

  /**
   * Administers the records of a catalog.
   *
   * @param epochMs milliseconds since 1970, now
   */
  public Administration(Catalog catalog, Gate gate, LongSupplier epochMs) {
    this.catalog = catalog;
    this.gate = gate;
    this.epochMs = epochMs;
  }

  private SecurityRecords records() {
    return catalog.security();
  }

  private SecuritySnapshot snapshot() {
    return records().snapshot();
  }

  private Deputies deputies(Caller caller) {
    return new Deputies(snapshot(), gate, caller);
  }

  private Gate.Guard guard() {
    return gate.guard()
        .orElseThrow(
            () ->
                new RefusedException(
                    ErrorCode.NOT_AUTHENTICATED,
                    "this server asks nobody who they are, and so has no keys and rights; start it"
                        + " with --security DIR"));
  }

  /**
   * Refuses to end a row session of a principal with more rights, whose rows go with the session.
   *
   * @param owner empty where clients have no names
   * @throws RefusedException NOT_PERMITTED
   */
  public void requireMayEnd(String owner, Caller caller) {
    if (!owner.isEmpty()) {
      deputies(caller).requireMayChange(new Principal(owner));
    }
  }

  /**
   * Refuses changes on a node that does not lead the catalog, since a follower may not have read
   * the newest records yet; and changes by a caller whose right ended while the request waited.
   */
  private void requireMayChange(Caller caller) {
    var unused = guard();
    if (!catalog.isLeading()) {
      throw RefusedException.notLeader(
          "this node does not decide about keys and rights", Optional.empty());
    }
    caller.requireOnCluster(Right.ADMIN);
  }

  /** Describes the caller to itself. */
  public Identity identity(Caller caller) {
    Optional<Principal> principal = caller.principal();
    if (principal.isEmpty()) {
      return new Identity(Optional.empty(), List.of(), List.of(), true);
    }
    List<String> groups = snapshot().permissions().groupsOf(principal.get());
    Set<String> subjects =
        groups.stream().map(group -> "group:" + group).collect(Collectors.toSet());
    subjects.add(principal.get().name());
    List<PermissionInfo> permissions =
        snapshot()
            .permissions("", LISTED_MAX, permission -> subjects.contains(permission.subject()))
            .stream()
            .map(Administration::info)
            .toList();
    return new Identity(
        Optional.of(principal.get().name()), groups, permissions, caller.mayDoEverything());
  }

  /** CREATE_KEY. */
  public Control createKey(byte[] payload, Caller caller) throws IOException {
    requireMayChange(caller);
    Principal principal = Principal.ofKey(Json.decode(payload, CreateKey.class).principal());
    deputies(caller).requireMayChange(principal);
    String id = AccessKey.idOf(guard().chance().apply(AccessKey.ID_BYTES));
    String secret = secret();
    AccessKey key = AccessKey.of(id, principal, seal(secret, id), epochMs.getAsLong());
    write(records().noting(key));
    return new KeySecret(info(key), secret);
  }

  private String secret() {
    byte[] random = guard().chance().apply(AccessKey.SECRET_BYTES).toByteArray();
    return Base64.getUrlEncoder().withoutPadding().encodeToString(random);
  }

  private String seal(String secret, String id) {
    return guard().master().seal(secret.getBytes(StandardCharsets.UTF_8), id);
  }

  private void write(Map<String, Optional<String>> changes) throws IOException {
    catalog.changeSecurity(changes);
  }

  /** LIST_KEYS. */
  public Control listKeys(byte[] payload) {
    guard();
    return new KeyList(
        snapshot().keys("", LISTED_MAX, key -> !key.isRevoked()).stream()
            .map(Administration::info)
            .toList());
  }

  private static KeyInfo info(AccessKey key) {
    return new KeyInfo(
        key.id(), key.principal().name(), key.sealedSecrets().size(), key.createdMs());
  }

  /**
   * REVOKE_KEY. A principal without keys loses its tokens too: an administrator who revokes the
   * last key means to lock the principal out.
   */
  public Control revokeKey(byte[] payload, Caller caller) throws IOException {
    requireMayChange(caller);
    AccessKey key = key(Json.decode(payload, SecurityId.class).id());
    deputies(caller).requireMayChange(key.principal());
    Map<String, Optional<String>> changes = new HashMap<>(SecurityRecords.removalOfKey(key.id()));
    if (!hasOtherKey(key)) {
      snapshot()
          .tokens("", Integer.MAX_VALUE, token -> token.principal().equals(key.principal()))
          .forEach(token -> changes.putAll(SecurityRecords.removalOfToken(token.id())));
    }
    write(changes);
    return new Empty();
  }

  private boolean hasOtherKey(AccessKey key) {
    return gate.isAdministrator(key.principal())
        || !snapshot()
            .keys(
                "",
                1,
                other ->
                    other.principal().equals(key.principal())
                        && !other.id().equals(key.id())
                        && !other.isRevoked())
            .isEmpty();
  }

  private AccessKey key(String id) throws IOException {
    if (guard().administrators().key(id).isPresent()) {
      throw new RefusedException(
          ErrorCode.INVALID_REQUEST,
          "key " + id + " is in the security directory's keys.json; change it there");
    }
    Optional<AccessKey> known = snapshot().key(id);
    if (known.isEmpty()) {
      throw surely(unknown("key", id));
    }
    return known.get();
  }

  /**
   * Confirms that this node still leads the catalog before it refuses for good: a newer leader may
   * have a record that this node does not know.
   */
  private RefusedException surely(RefusedException refusal) throws IOException {
    catalog.confirm();
    return refusal;
  }

  private static RefusedException unknown(String what, String id) {
    return new RefusedException(
        ErrorCode.INVALID_REQUEST, "there is no " + what + " '" + id + "'; list them to see all");
  }

  /** ROTATE_KEY. */
  public Control rotateKey(byte[] payload, Caller caller) throws IOException {
    requireMayChange(caller);
    RotateKey request = Json.decode(payload, RotateKey.class);
    AccessKey key = key(request.id());
    deputies(caller).requireMayChange(key.principal());
    if (request.isFinished()) {
      write(records().noting(key.settled()));
      return new Empty();
    }
    if (key.sealedSecrets().size() == AccessKey.SECRETS_MAX) {
      throw surely(
          new RefusedException(
              ErrorCode.INVALID_REQUEST,
              "key "
                  + key.id()
                  + " has two secrets already; finish its rotation before another one begins"));
    }
    String secret = secret();
    AccessKey rotated = key.rotated(seal(secret, key.id()));
    write(records().noting(rotated));
    return new KeySecret(info(rotated), secret);
  }

  /** GRANT. */
  public Control grant(byte[] payload, Caller caller) throws IOException {
    requireMayChange(caller);
    Permission given = permission(Json.decode(payload, PermissionInfo.class));
    deputies(caller).requireMayGrant(given);
    write(records().noting(given));
    return new Empty();
  }

  private static Permission permission(PermissionInfo info) {
    return Permission.of(info.subject(), info.isAllowed(), info.rights(), info.resource());
  }

  private static PermissionInfo info(Permission permission) {
    return new PermissionInfo(
        permission.subject(), permission.isAllow(), names(permission.rights()), permission.on());
  }

  private static List<String> names(Set<Right> rights) {
    return rights.stream().map(right -> right.name().toLowerCase(Locale.ROOT)).toList();
  }

  /** WITHDRAW: permissions that say more than is withdrawn are replaced by their remainder. */
  public Control withdraw(byte[] payload, Caller caller) throws IOException {
    requireMayChange(caller);
    Permission taken = permission(Json.decode(payload, PermissionInfo.class));
    deputies(caller).requireMayWithdraw(taken);
    Map<String, Optional<String>> changes = new HashMap<>();
    for (Permission one : overlapping(taken)) {
      changes.putAll(SecurityRecords.removalOfPermission(one.id()));
    }
    if (changes.isEmpty()) {
      throw surely(
          new RefusedException(
              ErrorCode.INVALID_REQUEST,
              "'"
                  + taken.subject()
                  + "' was not "
                  + (taken.isAllow() ? "allowed " : "denied ")
                  + String.join(", ", names(taken.rights()))
                  + " on "
                  + taken.on()));
    }
    for (Permission one : overlapping(taken)) {
      Set<Right> left = EnumSet.copyOf(one.rights());
      left.removeAll(taken.rights());
      if (!left.isEmpty()) {
        Permission rest = Permission.of(one.subject(), one.isAllow(), names(left), one.on());
        changes.putAll(SecurityRecords.notingInstead(rest));
      }
    }
    write(changes);
    return new Empty();
  }

  private List<Permission> overlapping(Permission taken) {
    return snapshot()
        .permissions(
            "",
            LISTED_MAX,
            one ->
                one.subject().equals(taken.subject())
                    && one.isAllow() == taken.isAllow()
                    && one.on().equals(taken.on())
                    && one.rights().stream().anyMatch(taken.rights()::contains));
  }

  /** LIST_PERMISSIONS. */
  public Control listPermissions(byte[] payload) {
    guard();
    Optional<String> subject = Json.decode(payload, PermissionQuery.class).subject();
    List<Permission> found =
        snapshot()
            .permissions(
                "", LISTED_MAX + 1, one -> subject.map(one.subject()::equals).orElse(true));
    boolean isCut = found.size() > LISTED_MAX;
    return new PermissionList(
        found.stream().limit(LISTED_MAX).map(Administration::info).toList(), isCut);
  }

  /** CHANGE_GROUP. */
  public Control changeGroup(byte[] payload, Caller caller) throws IOException {
    requireMayChange(caller);
    ChangeGroup request = Json.decode(payload, ChangeGroup.class);
    Set<Principal> members = new LinkedHashSet<>();
    snapshot().group(request.group()).ifPresent(group -> members.addAll(group.members()));
    SecuritySnapshot.Group before = new SecuritySnapshot.Group(request.group(), members);
    request.add().forEach(name -> members.add(new Principal(name)));
    request.remove().forEach(name -> members.remove(new Principal(name)));
    SecuritySnapshot.Group group = new SecuritySnapshot.Group(request.group(), members);
    deputies(caller).requireMayChange(before, group);
    write(
        members.isEmpty() ? SecurityRecords.removalOfGroup(group.name()) : records().noting(group));
    return new Empty();
  }

  /** LIST_GROUPS. */
  public Control listGroups(byte[] payload) {
    guard();
    return new GroupList(
        snapshot().groups("", LISTED_MAX, group -> true).stream()
            .map(group -> new GroupInfo(group.name(), sorted(group.members())))
            .toList());
  }

  private static List<String> sorted(Set<Principal> members) {
    return new ArrayList<>(
        members.stream().map(Principal::name).collect(Collectors.toCollection(TreeSet::new)));
  }

  /** CREATE_TOKEN. */
  public Control createToken(byte[] payload, Caller caller) throws IOException {
    requireMayChange(caller);
    CreateToken request = Json.decode(payload, CreateToken.class);
    Principal principal = new Principal(request.principal());
    deputies(caller).requireMayChange(principal);
    String text = HttpToken.textOf(guard().chance().apply(HttpToken.TOKEN_BYTES));
    HttpToken token =
        new HttpToken(
            HttpToken.idOf(guard().chance().apply(HttpToken.ID_BYTES)),
            principal,
            HttpToken.hashOf(text),
            epochMs.getAsLong(),
            request.expiresMs());
    write(records().noting(token));
    return new TokenSecret(info(token), text);
  }

  private static TokenInfo info(HttpToken token) {
    return new TokenInfo(
        token.id(), token.principal().name(), token.createdMs(), token.expiresMs());
  }

  /** LIST_TOKENS. */
  public Control listTokens(byte[] payload) {
    guard();
    return new TokenList(
        snapshot().tokens("", LISTED_MAX, token -> true).stream()
            .map(Administration::info)
            .toList());
  }

  /** REVOKE_TOKEN. */
  public Control revokeToken(byte[] payload, Caller caller) throws IOException {
    requireMayChange(caller);
    String id = Json.decode(payload, SecurityId.class).id();
    Optional<HttpToken> token = snapshot().token(id);
    if (token.isEmpty()) {
      throw surely(unknown("token", id));
    }
    deputies(caller).requireMayChange(token.get().principal());
    write(SecurityRecords.removalOfToken(id));
    return new Empty();
  }

  /** SET_QUOTA: limits that the request does not name stay. */
  public Control setQuota(byte[] payload, Caller caller) throws IOException {
    requireMayChange(caller);
    QuotaChange change = Json.decode(payload, QuotaChange.class);
    String subject = change.subject();
    Quota.requireSubject(subject);
    deputies(caller).requireMayLimit(subject);
    requireBindable(change);
    Quota before = snapshot().quotaOf(subject);
    Quota quota = QuotaLimits.changed(before, change).requireFor(subject);
    write(
        quota.equals(Quota.NONE)
            ? SecurityRecords.removalOfQuota(subject)
            : records().noting(new SecuritySnapshot.SubjectQuota(subject, quota)));
    return new Empty();
  }

  /** Refuses limits for a fixed administrator, whom they would not bind. */
  private void requireBindable(QuotaChange change) {
    if (!change.limits().isEmpty()
        && Quota.tableOf(change.subject()).isEmpty()
        && gate.isAdministrator(new Principal(change.subject()))) {
      throw new RefusedException(
          ErrorCode.INVALID_REQUEST,
          "'"
              + change.subject()
              + "' is an administrator of the security directory, whom no quota binds; give programs"
              + " a principal of their own");
    }
  }

  /** LIST_QUOTAS. */
  public Control listQuotas(byte[] payload) {
    guard();
    return new QuotaList(
        snapshot().quotas("", LISTED_MAX, quota -> true).stream()
            .map(one -> new QuotaInfo(one.subject(), QuotaLimits.limits(one.quota())))
            .toList());
  }
}
