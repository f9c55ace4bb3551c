package io.tunnel.sdk.security;

import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.transport.Caller;
import io.tunnel.sdk.transport.ClientPort;
import io.tunnel.sdk.transport.Nodes;
import io.tunnel.sdk.transport.Subject;
import io.tunnel.sdk.transport.trust.LoadedConfig;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.SecurityControl;
import io.tunnel.wire.control.SecurityControl.ChangeGroup;
import io.tunnel.wire.control.SecurityControl.CreateKey;
import io.tunnel.wire.control.SecurityControl.CreateToken;
import io.tunnel.wire.control.SecurityControl.GroupList;
import io.tunnel.wire.control.SecurityControl.KeyInfo;
import io.tunnel.wire.control.SecurityControl.KeyList;
import io.tunnel.wire.control.SecurityControl.KeySecret;
import io.tunnel.wire.control.SecurityControl.PermissionInfo;
import io.tunnel.wire.control.SecurityControl.PermissionList;
import io.tunnel.wire.control.SecurityControl.PermissionQuery;
import io.tunnel.wire.control.SecurityControl.QuotaChange;
import io.tunnel.wire.control.SecurityControl.QuotaInfo;
import io.tunnel.wire.control.SecurityControl.QuotaLimit;
import io.tunnel.wire.control.SecurityControl.QuotaList;
import io.tunnel.wire.control.SecurityControl.RotateKey;
import io.tunnel.wire.control.SecurityControl.SecurityId;
import io.tunnel.wire.control.SecurityControl.TokenInfo;
import io.tunnel.wire.control.SecurityControl.TokenList;
import io.tunnel.wire.control.SecurityControl.TokenSecret;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Administers keys, permissions, groups, tokens and quotas of a server that authenticates its
 * clients. Any client may call {@link #whoAmI}; the other methods are for administrators.
 * Thread-safe.
 *
 * <p>Methods throw {@link io.tunnel.model.RefusedException} when the server refuses: {@code
 * NOT_PERMITTED} for a client that is no administrator, {@code NOT_AUTHENTICATED} when the server
 * authenticates no clients, and {@code INVALID_REQUEST} for a malformed argument, or the name of an
 * unknown resource. They throw {@link io.tunnel.sdk.ConnectionException} when the server cannot be
 * reached or does not answer. If the answer to a creation is lost, the key or token may exist:
 * {@link #keys} and {@link #tokens} list it, but its secret is lost, so it is useless.
 */
public final class SecurityClient implements AutoCloseable {

  private static final byte[] NOTHING = {};

  private final Nodes nodes;
  private final Caller caller;

  /**
   * The identity of the calling client.
   *
   * @param principal the name that permissions refer to; absent when the server authenticates no
   *     clients
   * @param groups the groups of the principal
   * @param permissions the permissions of the principal and of its groups
   * @param isAdministrator whether the principal may do everything
   */
  public record Identity(
      Optional<String> principal,
      List<String> groups,
      List<Permission> permissions,
      boolean isAdministrator) {

    /** Copies the lists. */
    public Identity {
      groups = List.copyOf(groups);
      permissions = List.copyOf(permissions);
    }
  }

  /**
   * A key, without its secret.
   *
   * @param secrets the number of valid secrets: two during a rotation, otherwise one
   */
  public record KeyDetails(String id, String principal, int secrets, Instant created) {}

  /** A new or rotated key and its secret. The server shows the secret only this once. */
  public record IssuedKey(KeyDetails key, Secret secret) {}

  /**
   * Allows or denies rights.
   *
   * @param subject {@code NAME} of a principal, or {@code group:NAME}
   * @param isAllowed false for a denial, which overrides every permission that allows the rights
   * @param rights one or several of {@code read}, {@code write}, {@code consume}, {@code create},
   *     {@code alter}, {@code drop}, {@code operate}, {@code admin}
   * @param resource {@code table:PATTERN}, {@code tunnel:TABLE/PATTERN} or {@code cluster}; a
   *     pattern is a name, or a prefix followed by {@code *}
   */
  public record Permission(
      String subject, boolean isAllowed, List<String> rights, String resource) {

    /** Copies the list. */
    public Permission {
      rights = List.copyOf(rights);
    }

    /** Allows rights. */
    public static Permission allow(String subject, List<String> rights, String resource) {
      return new Permission(subject, true, rights, resource);
    }

    /** Denies rights. */
    public static Permission deny(String subject, List<String> rights, String resource) {
      return new Permission(subject, false, rights, resource);
    }
  }

  /**
   * Permissions of one answer.
   *
   * @param isCut whether the answer had no room for all permissions; then ask for one subject
   */
  public record Permissions(List<Permission> permissions, boolean isCut) {

    /** Copies the list. */
    public Permissions {
      permissions = List.copyOf(permissions);
    }
  }

  /** A group and its members. */
  public record Group(String name, List<String> members) {

    /** Copies the list. */
    public Group {
      members = List.copyOf(members);
    }
  }

  /** A token for the HTTP port, without its text. */
  public record Token(String id, String principal, Instant created, Optional<Instant> expires) {}

  /** A new token and its text. The server shows the text only this once. */
  public record IssuedToken(Token token, Secret text) {}

  /**
   * Limits by name, such as {@code requestsPerSecond}.
   *
   * @param subject {@code NAME} of a principal, or {@code table:NAME}
   */
  public record Quota(String subject, Map<String, Long> limits) {

    /** Copies the map. */
    public Quota {
      limits = Map.copyOf(limits);
    }
  }

  /** A client of the server at {@code endpoints}, as {@link ClientConfig#of(String)} reads them. */
  public SecurityClient(String endpoints) {
    this(ClientConfig.of(endpoints));
  }

  /** A client with a configuration; connects on first use. */
  public SecurityClient(ClientConfig config) {
    LoadedConfig loaded = LoadedConfig.of(config); // First: it may throw.
    this.nodes = new Nodes(loaded, ClientPort.real());
    this.caller = new Caller(nodes);
  }

  private <T extends Control> T ask(Operation operation, Class<T> type) {
    return Json.decode(caller.awaitAnswer(Subject.CATALOG, operation, NOTHING), type);
  }

  private <T extends Control> T ask(Operation operation, SecurityControl request, Class<T> type) {
    return Json.decode(caller.awaitAnswer(Subject.CATALOG, operation, Json.encode(request)), type);
  }

  private void tell(Operation operation, SecurityControl request) {
    var unused = ask(operation, request, Control.Empty.class);
  }

  /** The identity and the permissions of the calling client. */
  public Identity whoAmI() {
    SecurityControl.Identity identity = ask(Operation.WHO_AM_I, SecurityControl.Identity.class);
    return new Identity(
        identity.principal(),
        identity.groups(),
        identity.permissions().stream().map(SecurityClient::permission).toList(),
        identity.isAdministrator());
  }

  /** Creates a key for a principal. */
  public IssuedKey createKey(String principal) {
    return issued(ask(Operation.CREATE_KEY, new CreateKey(principal), KeySecret.class));
  }

  /** All keys of the catalog, by id. */
  public List<KeyDetails> keys() {
    return ask(Operation.LIST_KEYS, KeyList.class).keys().stream()
        .map(SecurityClient::key)
        .toList();
  }

  /** Revokes a key: the server disconnects the clients of the key. */
  public void revokeKey(String id) {
    tell(Operation.REVOKE_KEY, new SecurityId(id));
  }

  /** Gives a key a new secret; the former secret stays valid until {@link #finishRotation}. */
  public IssuedKey rotateKey(String id) {
    return issued(ask(Operation.ROTATE_KEY, new RotateKey(id, false), KeySecret.class));
  }

  /** Invalidates the former secret of a key. */
  public void finishRotation(String id) {
    tell(Operation.ROTATE_KEY, new RotateKey(id, true));
  }

  /** Adds a permission or a denial. */
  public void grant(Permission permission) {
    tell(Operation.GRANT, info(permission));
  }

  /** Removes a permission or a denial. */
  public void withdraw(Permission permission) {
    tell(Operation.WITHDRAW, info(permission));
  }

  /** The permissions and denials of a subject, or of all subjects. */
  public Permissions permissions(Optional<String> subject) {
    PermissionList list =
        ask(Operation.LIST_PERMISSIONS, new PermissionQuery(subject), PermissionList.class);
    return new Permissions(
        list.permissions().stream().map(SecurityClient::permission).toList(), list.isCut());
  }

  /** Adds and removes members of a group. A group exists while it has a member. */
  public void changeGroup(String group, List<String> add, List<String> remove) {
    tell(Operation.CHANGE_GROUP, new ChangeGroup(group, add, remove));
  }

  /** All groups, by name. */
  public List<Group> groups() {
    return ask(Operation.LIST_GROUPS, GroupList.class).groups().stream()
        .map(group -> new Group(group.group(), group.members()))
        .toList();
  }

  /** Creates a token for the HTTP port. */
  public IssuedToken createToken(String principal, Optional<Instant> expires) {
    CreateToken request = new CreateToken(principal, expires.map(Instant::toEpochMilli));
    TokenSecret made = ask(Operation.CREATE_TOKEN, request, TokenSecret.class);
    return new IssuedToken(token(made.info()), Secret.of(made.token()));
  }

  /** All tokens, by id. */
  public List<Token> tokens() {
    return ask(Operation.LIST_TOKENS, TokenList.class).tokens().stream()
        .map(SecurityClient::token)
        .toList();
  }

  /** Revokes a token. */
  public void revokeToken(String id) {
    tell(Operation.REVOKE_TOKEN, new SecurityId(id));
  }

  /**
   * Sets limits of a subject; its other limits stay as they are.
   *
   * @throws IllegalArgumentException when the quota has no limit
   */
  public void setQuota(Quota quota) {
    List<QuotaLimit> limits =
        quota.limits().entrySet().stream()
            .map(limit -> new QuotaLimit(limit.getKey(), limit.getValue()))
            .toList();
    tell(Operation.SET_QUOTA, new QuotaChange(quota.subject(), limits, List.of()));
  }

  /**
   * Removes the named limits of a subject.
   *
   * @throws IllegalArgumentException when no limit is named
   */
  public void removeLimits(String subject, List<String> limits) {
    tell(Operation.SET_QUOTA, new QuotaChange(subject, List.of(), limits));
  }

  /** Removes all limits of a subject. */
  public void removeQuota(String subject) {
    removeLimits(subject, List.of(QuotaChange.ALL));
  }

  /** All quotas, by subject. */
  public List<Quota> quotas() {
    return ask(Operation.LIST_QUOTAS, QuotaList.class).quotas().stream()
        .map(SecurityClient::quota)
        .toList();
  }

  private static KeyDetails key(KeyInfo key) {
    return new KeyDetails(
        key.id(), key.principal(), key.secrets(), Instant.ofEpochMilli(key.createdMs()));
  }

  private static IssuedKey issued(KeySecret issued) {
    return new IssuedKey(key(issued.key()), Secret.of(issued.secret()));
  }

  private static Permission permission(PermissionInfo info) {
    return new Permission(info.subject(), info.isAllowed(), info.rights(), info.resource());
  }

  private static PermissionInfo info(Permission permission) {
    return new PermissionInfo(
        permission.subject(), permission.isAllowed(), permission.rights(), permission.resource());
  }

  private static Token token(TokenInfo token) {
    return new Token(
        token.id(),
        token.principal(),
        Instant.ofEpochMilli(token.createdMs()),
        token.expiresMs().map(Instant::ofEpochMilli));
  }

  private static Quota quota(QuotaInfo quota) {
    return new Quota(
        quota.subject(),
        quota.limits().stream().collect(Collectors.toMap(QuotaLimit::name, QuotaLimit::most)));
  }

  /** Closes the connections. Idempotent. */
  @Override
  public void close() {
    nodes.close();
  }
}
