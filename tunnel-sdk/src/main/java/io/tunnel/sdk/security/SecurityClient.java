package io.tunnel.sdk.security;

import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.answer.SecurityAnswers;
import io.tunnel.sdk.transport.Caller;
import io.tunnel.sdk.transport.EventLoops;
import io.tunnel.sdk.transport.Nodes;
import io.tunnel.sdk.transport.Subject;
import io.tunnel.sdk.transport.SystemClock;
import io.tunnel.sdk.transport.Ticker;
import io.tunnel.sdk.transport.trust.LoadedConfig;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.SecurityControl;
import io.tunnel.wire.control.SecurityControl.ChangeGroup;
import io.tunnel.wire.control.SecurityControl.CreateKey;
import io.tunnel.wire.control.SecurityControl.CreateToken;
import io.tunnel.wire.control.SecurityControl.GroupList;
import io.tunnel.wire.control.SecurityControl.KeyList;
import io.tunnel.wire.control.SecurityControl.KeySecret;
import io.tunnel.wire.control.SecurityControl.PermissionList;
import io.tunnel.wire.control.SecurityControl.PermissionQuery;
import io.tunnel.wire.control.SecurityControl.QuotaInfo;
import io.tunnel.wire.control.SecurityControl.QuotaLimit;
import io.tunnel.wire.control.SecurityControl.QuotaList;
import io.tunnel.wire.control.SecurityControl.RotateKey;
import io.tunnel.wire.control.SecurityControl.SecurityId;
import io.tunnel.wire.control.SecurityControl.TokenList;
import io.tunnel.wire.control.SecurityControl.TokenSecret;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * For administrators: who may come to a server that asks everybody who they are, and what they may
 * do. Everybody may ask who they are themselves. Thread-safe.
 *
 * <p>Its methods throw {@link io.tunnel.model.RefusedException} when the server refuses, with
 * {@code NOT_PERMITTED} for those who are no administrators, {@code NOT_AUTHENTICATED} when the
 * server asks nobody who they are, and {@code INVALID_REQUEST} for what does not exist or is not
 * well formed; and {@link io.tunnel.sdk.ConnectionException} when it cannot be reached or does not
 * answer. A key or a token whose creation was not answered may exist: {@link #keys} and {@link
 * #tokens} show it, and it serves nobody, because nobody has its secret.
 */
public final class SecurityClient implements AutoCloseable {

  private static final byte[] NOTHING = {};

  private final EventLoops loops;
  private final Nodes nodes;
  private final Caller caller;

  /**
   * Who asks.
   *
   * @param principal the name that rights are given to; none where nobody is asked who they are
   * @param groups the groups that the principal is in
   * @param permissions what the principal was given, itself or by its groups
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
   * @param secrets how many it has: two while it is rotated, one otherwise
   */
  public record KeyDetails(String id, String principal, int secrets, Instant created) {}

  /** A key that was made or rotated, and its secret, which the server says once. */
  public record IssuedKey(KeyDetails key, Secret secret) {}

  /**
   * Rights that are allowed or denied.
   *
   * @param subject {@code NAME} of a principal, or {@code group:NAME}
   * @param isAllowed false when they are denied, which wins over what allows them
   * @param rights of {@code read}, {@code write}, {@code consume}, {@code create}, {@code alter},
   *     {@code drop}, {@code operate}, {@code admin}
   * @param resource {@code table:PATTERN}, {@code tunnel:TABLE/PATTERN} or {@code cluster}; a
   *     pattern is a name, or the beginning of names and {@code *}
   */
  public record Permission(
      String subject, boolean isAllowed, List<String> rights, String resource) {

    /** Copies the list. */
    public Permission {
      rights = List.copyOf(rights);
    }

    /** Rights that are allowed. */
    public static Permission allow(String subject, List<String> rights, String resource) {
      return new Permission(subject, true, rights, resource);
    }

    /** Rights that are denied. */
    public static Permission deny(String subject, List<String> rights, String resource) {
      return new Permission(subject, false, rights, resource);
    }
  }

  /**
   * Permissions of one answer.
   *
   * @param isCut whether there are more than an answer has room for; ask for those of one subject
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

  /** A token that was made, and its text, which the server says once. */
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

  /** A client with its configuration; it connects when it is first used. */
  public SecurityClient(ClientConfig config) {
    Ticker ticker = new SystemClock();
    LoadedConfig loaded = LoadedConfig.of(config); // First: it may throw.
    this.loops = EventLoops.start(1);
    this.nodes = new Nodes(loaded, loops, ticker);
    this.caller = new Caller(nodes, ticker);
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

  /** Who asks, and what they may do. */
  public Identity whoAmI() {
    return SecurityAnswers.identity(ask(Operation.WHO_AM_I, SecurityControl.Identity.class));
  }

  /** Makes a key for a principal. */
  public IssuedKey createKey(String principal) {
    return SecurityAnswers.issued(
        ask(Operation.CREATE_KEY, new CreateKey(principal), KeySecret.class));
  }

  /** All keys of the catalog, by id. */
  public List<KeyDetails> keys() {
    return ask(Operation.LIST_KEYS, KeyList.class).keys().stream()
        .map(SecurityAnswers::key)
        .toList();
  }

  /** Ends a key: who came with it is sent away. */
  public void revokeKey(String id) {
    tell(Operation.REVOKE_KEY, new SecurityId(id));
  }

  /** Gives a key another secret; the former one is good too, until {@link #finishRotation}. */
  public IssuedKey rotateKey(String id) {
    return SecurityAnswers.issued(
        ask(Operation.ROTATE_KEY, new RotateKey(id, false), KeySecret.class));
  }

  /** Ends the former secret of a key. */
  public void finishRotation(String id) {
    tell(Operation.ROTATE_KEY, new RotateKey(id, true));
  }

  /** Adds to what a subject is allowed or denied. */
  public void grant(Permission permission) {
    tell(Operation.GRANT, SecurityAnswers.info(permission));
  }

  /** Takes from what a subject is allowed or denied. */
  public void withdraw(Permission permission) {
    tell(Operation.WITHDRAW, SecurityAnswers.info(permission));
  }

  /** What a subject is allowed and denied; of all subjects when none is given. */
  public Permissions permissions(Optional<String> subject) {
    return SecurityAnswers.permissions(
        ask(Operation.LIST_PERMISSIONS, new PermissionQuery(subject), PermissionList.class));
  }

  /** Changes who is in a group, which begins with its first member and ends with its last. */
  public void changeGroup(String group, List<String> add, List<String> remove) {
    tell(Operation.CHANGE_GROUP, new ChangeGroup(group, add, remove));
  }

  /** All groups, by name. */
  public List<Group> groups() {
    return ask(Operation.LIST_GROUPS, GroupList.class).groups().stream()
        .map(group -> new Group(group.group(), group.members()))
        .toList();
  }

  /** Makes a token for the HTTP port. */
  public IssuedToken createToken(String principal, Optional<Instant> expires) {
    CreateToken request = new CreateToken(principal, expires.map(Instant::toEpochMilli));
    return SecurityAnswers.issued(ask(Operation.CREATE_TOKEN, request, TokenSecret.class));
  }

  /** All tokens, by id. */
  public List<Token> tokens() {
    return ask(Operation.LIST_TOKENS, TokenList.class).tokens().stream()
        .map(SecurityAnswers::token)
        .toList();
  }

  /** Ends a token. */
  public void revokeToken(String id) {
    tell(Operation.REVOKE_TOKEN, new SecurityId(id));
  }

  /** Sets the limits of a subject in the place of those that it had; none ends them. */
  public void setQuota(Quota quota) {
    List<QuotaLimit> limits =
        quota.limits().entrySet().stream()
            .map(limit -> new QuotaLimit(limit.getKey(), limit.getValue()))
            .toList();
    tell(Operation.SET_QUOTA, new QuotaInfo(quota.subject(), limits));
  }

  /** All quotas, by subject. */
  public List<Quota> quotas() {
    return ask(Operation.LIST_QUOTAS, QuotaList.class).quotas().stream()
        .map(SecurityAnswers::quota)
        .toList();
  }

  /** Closes the connections. Idempotent. */
  @Override
  public void close() {
    nodes.close();
    loops.close();
  }
}
