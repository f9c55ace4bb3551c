package io.tunnel.wire.control;

import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The payloads of operations to administer keys, permissions, groups, tokens and quotas. Only the
 * answer that creates a secret or a token contains it.
 */
public sealed interface SecurityControl extends Control {

  /**
   * The identity of the client.
   *
   * @param principal the name that permissions refer to; absent without authentication
   * @param groups the groups of the principal
   * @param permissions the permissions of the principal and of its groups
   * @param isAdministrator whether the principal may do everything
   */
  record Identity(
      Optional<String> principal,
      List<String> groups,
      List<PermissionInfo> permissions,
      boolean isAdministrator)
      implements SecurityControl {
    /** Refuses null and copies the lists. */
    public Identity {
      principal = principal == null ? Optional.empty() : principal;
      groups = List.copyOf(Objects.requireNonNull(groups, "groups"));
      permissions = List.copyOf(Objects.requireNonNull(permissions, "permissions"));
    }
  }

  /**
   * Asks for a key.
   *
   * @param principal the principal of the key
   */
  record CreateKey(String principal) implements SecurityControl {
    /** Refuses null. */
    public CreateKey {
      Objects.requireNonNull(principal, "principal");
    }
  }

  /** Names a key or a token. */
  record SecurityId(String id) implements SecurityControl {
    /** Refuses null. */
    public SecurityId {
      Objects.requireNonNull(id, "id");
    }
  }

  /**
   * Gives a key a new secret.
   *
   * @param isFinished false to add a new secret alongside the old one, true to invalidate the old
   *     one
   */
  record RotateKey(String id, boolean isFinished) implements SecurityControl {
    /** Refuses null. */
    public RotateKey {
      Objects.requireNonNull(id, "id");
    }
  }

  /**
   * A key, without its secret.
   *
   * @param secrets the number of valid secrets: two during a rotation, otherwise one
   * @param createdMs when the key was created, in milliseconds since 1970
   */
  record KeyInfo(String id, String principal, int secrets, long createdMs)
      implements SecurityControl {
    /** Refuses null. */
    public KeyInfo {
      Objects.requireNonNull(id, "id");
      Objects.requireNonNull(principal, "principal");
    }
  }

  /** A new or rotated key and its secret, which is sent only this once. */
  record KeySecret(KeyInfo key, String secret) implements SecurityControl {
    /** Refuses null. */
    public KeySecret {
      Objects.requireNonNull(key, "key");
      Objects.requireNonNull(secret, "secret");
    }

    /** Without the secret. */
    @Override
    public String toString() {
      return "KeySecret[" + key + "]";
    }
  }

  /** Keys by id. */
  record KeyList(List<KeyInfo> keys) implements SecurityControl {
    /** Refuses null and copies the list. */
    public KeyList {
      keys = List.copyOf(Objects.requireNonNull(keys, "keys"));
    }
  }

  /**
   * Allows or denies rights.
   *
   * @param subject {@code NAME} of a principal, or {@code group:NAME}
   * @param isAllowed false for a denial, which overrides every permission that allows the rights
   * @param rights {@code read}, {@code write}, {@code consume}, {@code create}, {@code alter},
   *     {@code drop}, {@code operate}, {@code admin}
   * @param resource {@code table:PATTERN}, {@code tunnel:TABLE/PATTERN} or {@code cluster}
   */
  record PermissionInfo(String subject, boolean isAllowed, List<String> rights, String resource)
      implements SecurityControl {
    /** Refuses null and copies the list. */
    public PermissionInfo {
      Objects.requireNonNull(subject, "subject");
      Objects.requireNonNull(resource, "resource");
      rights = List.copyOf(Objects.requireNonNull(rights, "rights"));
    }
  }

  /**
   * Asks for permissions.
   *
   * @param subject the subject; absent for all subjects
   */
  record PermissionQuery(Optional<String> subject) implements SecurityControl {
    /** Takes null for absent. */
    public PermissionQuery {
      subject = subject == null ? Optional.empty() : subject;
    }
  }

  /**
   * Permissions by subject and resource.
   *
   * @param isCut whether the answer had no space for all permissions
   */
  record PermissionList(List<PermissionInfo> permissions, boolean isCut)
      implements SecurityControl {
    /** Refuses null and copies the list. */
    public PermissionList {
      permissions = List.copyOf(Objects.requireNonNull(permissions, "permissions"));
    }
  }

  /**
   * Changes the members of a group. A group exists while it has a member.
   *
   * @param add principals to add
   * @param remove principals to remove
   */
  record ChangeGroup(String group, List<String> add, List<String> remove)
      implements SecurityControl {
    /** Refuses null and copies the lists. */
    public ChangeGroup {
      Objects.requireNonNull(group, "group");
      add = add == null ? List.of() : List.copyOf(add);
      remove = remove == null ? List.of() : List.copyOf(remove);
    }
  }

  /** A group and its members. */
  record GroupInfo(String group, List<String> members) implements SecurityControl {
    /** Refuses null and copies the list. */
    public GroupInfo {
      Objects.requireNonNull(group, "group");
      members = List.copyOf(Objects.requireNonNull(members, "members"));
    }
  }

  /** Groups by name. */
  record GroupList(List<GroupInfo> groups) implements SecurityControl {
    /** Refuses null and copies the list. */
    public GroupList {
      groups = List.copyOf(Objects.requireNonNull(groups, "groups"));
    }
  }

  /**
   * Asks for a token for the HTTP port.
   *
   * @param principal the principal of the token
   * @param expiresMs when the token expires, in milliseconds since 1970; absent for never
   */
  record CreateToken(String principal, Optional<Long> expiresMs) implements SecurityControl {
    /** Refuses null. */
    public CreateToken {
      Objects.requireNonNull(principal, "principal");
      expiresMs = expiresMs == null ? Optional.empty() : expiresMs;
    }
  }

  /**
   * A token, without its text.
   *
   * @param createdMs when the token was created, in milliseconds since 1970
   */
  record TokenInfo(String id, String principal, long createdMs, Optional<Long> expiresMs)
      implements SecurityControl {
    /** Refuses null. */
    public TokenInfo {
      Objects.requireNonNull(id, "id");
      Objects.requireNonNull(principal, "principal");
      expiresMs = expiresMs == null ? Optional.empty() : expiresMs;
    }
  }

  /** A new token and its text, which is sent only this once. */
  record TokenSecret(TokenInfo info, String token) implements SecurityControl {
    /** Refuses null. */
    public TokenSecret {
      Objects.requireNonNull(info, "info");
      Objects.requireNonNull(token, "token");
    }

    /** Without the token's text. */
    @Override
    public String toString() {
      return "TokenSecret[" + info + "]";
    }
  }

  /** Tokens by id. */
  record TokenList(List<TokenInfo> tokens) implements SecurityControl {
    /** Refuses null and copies the list. */
    public TokenList {
      tokens = List.copyOf(Objects.requireNonNull(tokens, "tokens"));
    }
  }

  /**
   * One limit.
   *
   * @param name the name, such as {@code requestsPerSecond}
   * @param most the limit, at least 1
   */
  record QuotaLimit(String name, long most) implements SecurityControl {
    /** Refuses null. */
    public QuotaLimit {
      Objects.requireNonNull(name, "name");
    }
  }

  /**
   * Changes limits of a principal or a table; limits that it does not name stay.
   *
   * @param subject {@code NAME} of a principal, or {@code table:NAME}
   * @param limits the limits that are set, after the removal of {@code removed}
   * @param removed names of the limits that are removed; {@value #ALL} removes all
   */
  record QuotaChange(String subject, List<QuotaLimit> limits, List<String> removed)
      implements SecurityControl {

    /** Stands for all limits of the subject. */
    public static final String ALL = "all";

    /** Refuses null and a change of nothing, and copies the lists. */
    public QuotaChange {
      Objects.requireNonNull(subject, "subject");
      limits = limits == null ? List.of() : List.copyOf(limits);
      removed = removed == null ? List.of() : List.copyOf(removed);
      if (limits.isEmpty() && removed.isEmpty()) {
        throw new IllegalArgumentException(
            "the change names no limit; name limits to set in 'limits', or to remove in 'removed'"
                + " ('all' removes all)");
      }
    }
  }

  /**
   * Limits of a principal or a table.
   *
   * @param subject {@code NAME} of a principal, or {@code table:NAME}
   */
  record QuotaInfo(String subject, List<QuotaLimit> limits) implements SecurityControl {
    /** Refuses null and copies the list. */
    public QuotaInfo {
      Objects.requireNonNull(subject, "subject");
      limits = List.copyOf(Objects.requireNonNull(limits, "limits"));
    }
  }

  /** Quotas by subject. */
  record QuotaList(List<QuotaInfo> quotas) implements SecurityControl {
    /** Refuses null and copies the list. */
    public QuotaList {
      quotas = List.copyOf(Objects.requireNonNull(quotas, "quotas"));
    }
  }
}
