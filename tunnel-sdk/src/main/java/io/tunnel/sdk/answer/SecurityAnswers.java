package io.tunnel.sdk.answer;

import io.tunnel.sdk.security.Secret;
import io.tunnel.sdk.security.SecurityClient;
import io.tunnel.sdk.security.SecurityClient.IssuedKey;
import io.tunnel.sdk.security.SecurityClient.IssuedToken;
import io.tunnel.sdk.security.SecurityClient.KeyDetails;
import io.tunnel.sdk.security.SecurityClient.Permission;
import io.tunnel.sdk.security.SecurityClient.Permissions;
import io.tunnel.sdk.security.SecurityClient.Quota;
import io.tunnel.sdk.security.SecurityClient.Token;
import io.tunnel.wire.control.SecurityControl;
import io.tunnel.wire.control.SecurityControl.KeyInfo;
import io.tunnel.wire.control.SecurityControl.KeySecret;
import io.tunnel.wire.control.SecurityControl.PermissionInfo;
import io.tunnel.wire.control.SecurityControl.PermissionList;
import io.tunnel.wire.control.SecurityControl.QuotaInfo;
import io.tunnel.wire.control.SecurityControl.QuotaLimit;
import io.tunnel.wire.control.SecurityControl.TokenInfo;
import io.tunnel.wire.control.SecurityControl.TokenSecret;
import java.time.Instant;
import java.util.stream.Collectors;

/** Answers about keys, permissions, tokens and quotas. */
public final class SecurityAnswers {

  private SecurityAnswers() {}

  /** Who asks. */
  public static SecurityClient.Identity identity(SecurityControl.Identity identity) {
    return new SecurityClient.Identity(
        identity.principal(),
        identity.groups(),
        identity.permissions().stream().map(SecurityAnswers::permission).toList(),
        identity.isAdministrator());
  }

  /** A key. */
  public static KeyDetails key(KeyInfo key) {
    return new KeyDetails(
        key.id(), key.principal(), key.secrets(), Instant.ofEpochMilli(key.createdMs()));
  }

  /** A key that was made. */
  public static IssuedKey issued(KeySecret issued) {
    return new IssuedKey(key(issued.key()), Secret.of(issued.secret()));
  }

  /** A permission. */
  public static Permission permission(PermissionInfo info) {
    return new Permission(info.subject(), info.isAllowed(), info.rights(), info.resource());
  }

  /** What is sent of a permission. */
  public static PermissionInfo info(Permission permission) {
    return new PermissionInfo(
        permission.subject(), permission.isAllowed(), permission.rights(), permission.resource());
  }

  /** Permissions. */
  public static Permissions permissions(PermissionList list) {
    return new Permissions(
        list.permissions().stream().map(SecurityAnswers::permission).toList(), list.isCut());
  }

  /** A token. */
  public static Token token(TokenInfo token) {
    return new Token(
        token.id(),
        token.principal(),
        Instant.ofEpochMilli(token.createdMs()),
        token.expiresMs().map(Instant::ofEpochMilli));
  }

  /** A token that was made. */
  public static IssuedToken issued(TokenSecret issued) {
    return new IssuedToken(token(issued.info()), Secret.of(issued.token()));
  }

  /** A quota. */
  public static Quota quota(QuotaInfo quota) {
    return new Quota(
        quota.subject(),
        quota.limits().stream().collect(Collectors.toMap(QuotaLimit::name, QuotaLimit::most)));
  }
}
