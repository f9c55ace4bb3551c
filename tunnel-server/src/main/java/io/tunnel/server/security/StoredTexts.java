package io.tunnel.server.security;

import io.tunnel.codec.MalformedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.wire.Operation.Right;
import io.tunnel.wire.control.Json;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Encodes and decodes the catalog's security texts. Each is JSON; unknown members are skipped. */
final class StoredTexts {

  private static final String ALLOW = "allow";
  private static final String DENY = "deny";

  private StoredTexts() {}

  /** The kinds of texts. A text's name is the kind's prefix and the id of the record. */
  enum Kind {
    KEY("key"),
    PERMISSION("permission"),
    GROUP("group"),
    TOKEN("token"),
    QUOTA("quota");

    private final String prefix;

    Kind(String part) {
      this.prefix = SecurityRecords.PREFIX + part + "/";
    }

    /** The kind of a text's name; null for an unknown kind. */
    static Kind of(String name) {
      for (Kind kind : values()) {
        if (name.startsWith(kind.prefix)) {
          return kind;
        }
      }
      return null;
    }

    String name(String id) {
      return prefix + id;
    }

    String id(String name) {
      return name.substring(prefix.length());
    }
  }

  private record StoredKey(
      String principal, List<String> secrets, long createdMs, boolean isRevoked) {
    StoredKey {
      secrets = List.copyOf(Objects.requireNonNull(secrets, "secrets"));
    }
  }

  private record StoredToken(
      String principal, Bytes hash, long createdMs, Optional<Long> expiresMs) {}

  private record StoredGroup(List<String> members) {
    StoredGroup {
      members = List.copyOf(Objects.requireNonNull(members, "members"));
    }
  }

  private record StoredPermission(
      String effect, String subject, List<String> rights, String resource) {
    StoredPermission {
      rights = List.copyOf(Objects.requireNonNull(rights, "rights"));
    }
  }

  /** The part of a permission that can be read even if a later version wrote the rest. */
  private record PermissionEffect(String effect) {}

  /** As {@link PermissionEffect}. */
  private record PermissionSubject(String subject) {}

  static String text(AccessKey key) {
    return Json.toText(
        new StoredKey(
            key.principal().name(), key.sealedSecrets(), key.createdMs(), key.isRevoked()));
  }

  static AccessKey key(String id, String text) {
    StoredKey stored = Json.ofText(text, StoredKey.class);
    return new AccessKey(
        id,
        new Principal(stored.principal()),
        stored.secrets(),
        stored.createdMs(),
        stored.isRevoked());
  }

  static String text(HttpToken token) {
    return Json.toText(
        new StoredToken(
            token.principal().name(), token.hash(), token.createdMs(), token.expiresMs()));
  }

  static HttpToken token(String id, String text) {
    StoredToken stored = Json.ofText(text, StoredToken.class);
    if (stored.hash() == null) {
      throw new MalformedException("a token without hash");
    }
    return new HttpToken(
        id,
        new Principal(stored.principal()),
        stored.hash(),
        stored.createdMs(),
        stored.expiresMs() == null ? Optional.empty() : stored.expiresMs());
  }

  static String text(SecuritySnapshot.Group group) {
    List<String> members = group.members().stream().map(Principal::name).sorted().toList();
    return Json.toText(new StoredGroup(members));
  }

  static SecuritySnapshot.Group group(String name, String text) {
    StoredGroup stored = Json.ofText(text, StoredGroup.class);
    return new SecuritySnapshot.Group(
        name, stored.members().stream().map(Principal::new).collect(Collectors.toSet()));
  }

  static String text(Quota quota) {
    return Json.toText(quota);
  }

  static SecuritySnapshot.SubjectQuota quota(String subject, String text) {
    return new SecuritySnapshot.SubjectQuota(subject, Json.ofText(text, Quota.class));
  }

  static String text(Permission permission) {
    return Json.toText(
        new StoredPermission(
            permission.isAllow() ? ALLOW : DENY,
            permission.subject(),
            permission.rights().stream().map(Rights::text).toList(),
            permission.resource().toString()));
  }

  static Permission permission(String id, String text) {
    StoredPermission stored = Json.ofText(text, StoredPermission.class);
    if (!ALLOW.equals(stored.effect()) && !DENY.equals(stored.effect())) {
      throw new MalformedException(
          "the effect of a permission is allow or deny, not " + Subjects.shown(stored.effect()));
    }
    Set<Right> rights =
        stored.rights().stream().map(Rights::parse).collect(Collectors.toCollection(TreeSet::new));
    return new Permission(
        id,
        stored.subject(),
        ALLOW.equals(stored.effect()),
        rights,
        Resource.parse(stored.resource()));
  }

  /** Whether an unreadable permission surely allows, and does not deny. */
  static boolean isAllow(String text) {
    try {
      return ALLOW.equals(Json.ofText(text, PermissionEffect.class).effect());
    } catch (MalformedException e) {
      return false;
    }
  }

  /** The subject of an unreadable permission, if it can be read. */
  static Optional<String> subject(String text) {
    try {
      return Optional.of(Subjects.require(Json.ofText(text, PermissionSubject.class).subject()));
    } catch (MalformedException | IllegalArgumentException e) {
      return Optional.empty();
    }
  }
}
