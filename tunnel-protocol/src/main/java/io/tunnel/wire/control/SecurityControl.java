package io.tunnel.wire.control;

import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The payloads of operations by which administrators say who may come and what they may do. A
 * secret or a token is said once, by the answer that made it.
 */
public sealed interface SecurityControl extends Control {

  /**
   * Who asks.
   *
   * @param principal the name that rights are given to; none where nobody is asked who they are
   * @param groups the groups that the principal is in
   * @param permissions what the principal was given, itself or by its groups
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
   * @param principal whom it stands for
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
   * Gives a key another secret.
   *
   * @param isFinished false to add the new secret beside the old one, true to end the old one
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
   * @param secrets how many secrets it has: two while it is rotated, one otherwise
   * @param createdMs when it was made, in milliseconds since 1970
   */
  record KeyInfo(String id, String principal, int secrets, long createdMs)
      implements SecurityControl {
    /** Refuses null. */
    public KeyInfo {
      Objects.requireNonNull(id, "id");
      Objects.requireNonNull(principal, "principal");
    }
  }

  /** A key that was made or rotated, and its secret, which is said here and never again. */
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
   * Rights that are allowed or denied.
   *
   * @param subject {@code NAME} of a principal, or {@code group:NAME}
   * @param isAllowed false when they are denied, which wins over what allows them
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
   * @param subject whose; all when it is not said
   */
  record PermissionQuery(Optional<String> subject) implements SecurityControl {
    /** Takes null for what is not said. */
    public PermissionQuery {
      subject = subject == null ? Optional.empty() : subject;
    }
  }

  /**
   * Permissions by subject and resource.
   *
   * @param isCut whether there are more than an answer has room for
   */
  record PermissionList(List<PermissionInfo> permissions, boolean isCut)
      implements SecurityControl {
    /** Refuses null and copies the list. */
    public PermissionList {
      permissions = List.copyOf(Objects.requireNonNull(permissions, "permissions"));
    }
  }

  /**
   * Changes who is in a group. A group begins with its first member and ends with its last.
   *
   * @param add principals who are in it from now on
   * @param remove principals who are not
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

  /** A group and who is in it. */
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
   * @param principal whom it stands for
   * @param expiresMs when it ends, in milliseconds since 1970; never when it is not said
   */
  record CreateToken(String principal, Optional<Long> expiresMs) implements SecurityControl {
    /** Refuses null. */
    public CreateToken {
      Objects.requireNonNull(principal, "principal");
      expiresMs = expiresMs == null ? Optional.empty() : expiresMs;
    }
  }

  /**
   * A token, without what is sent.
   *
   * @param createdMs when it was made, in milliseconds since 1970
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

  /** A token that was made, and its text, which is said here and never again. */
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
   * @param name such as {@code requestsPerSecond}
   * @param most at least 1
   */
  record QuotaLimit(String name, long most) implements SecurityControl {
    /** Refuses null. */
    public QuotaLimit {
      Objects.requireNonNull(name, "name");
    }
  }

  /**
   * Limits of a principal or a table.
   *
   * @param subject {@code NAME} of a principal, or {@code table:NAME}
   * @param limits none to have no limits any more
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
