package io.tunnel.server.security;

import io.tunnel.codec.MalformedException;
import io.tunnel.server.security.index.PersistentMap;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** Makes a snapshot from its predecessor and the changed texts. */
final class SnapshotBuilder {

  private PersistentMap<AccessKey> keys;
  private PersistentMap<HttpToken> tokens;
  private PersistentMap<HttpToken> tokensByHash;
  private PersistentMap<SecuritySnapshot.SubjectQuota> quotas;
  private PersistentMap<Permission> permissions;
  private PersistentMap<Unread> unread;
  private Permissions decisions;

  private final List<Unread> newlyUnread = new ArrayList<>();

  /** Begins with {@code state}. */
  SnapshotBuilder(State state) {
    this.keys = state.keys();
    this.tokens = state.tokens();
    this.tokensByHash = state.tokensByHash();
    this.quotas = state.quotas();
    this.permissions = state.permissions();
    this.unread = state.unread();
    this.decisions = state.decisions();
  }

  /**
   * The content of a snapshot. Never changes.
   *
   * @param keys by id
   * @param tokens by id
   * @param tokensByHash by the hexadecimal digits of the hash
   * @param quotas by subject
   * @param permissions by id
   * @param unread by name
   * @param decisions the permissions as decisions use them
   */
  record State(
      PersistentMap<AccessKey> keys,
      PersistentMap<HttpToken> tokens,
      PersistentMap<HttpToken> tokensByHash,
      PersistentMap<SecuritySnapshot.SubjectQuota> quotas,
      PersistentMap<Permission> permissions,
      PersistentMap<Unread> unread,
      Permissions decisions) {

    /** Without records. */
    static State of(Permissions decisions) {
      return new State(
          PersistentMap.empty(),
          PersistentMap.empty(),
          PersistentMap.empty(),
          PersistentMap.empty(),
          PersistentMap.empty(),
          PersistentMap.empty(),
          decisions);
    }

    /** The number of texts of the kind that cannot be read. */
    int unreadOf(StoredTexts.Kind kind) {
      int[] count = {0};
      unread.forEach(text -> count[0] += text.name().startsWith(kind.name("")) ? 1 : 0);
      return count[0];
    }
  }

  /**
   * A text that cannot be read.
   *
   * @param why the reason
   * @param instead the permission that counts instead, for an unreadable permission with a readable
   *     subject
   * @param isOfAnybody whether it is an unreadable permission that may deny any right to any
   *     principal
   */
  record Unread(
      String name, String text, String why, Optional<Permission> instead, boolean isOfAnybody) {}

  /** Applies a changed text, or the removal of a text. */
  void take(String name, Optional<String> text) {
    StoredTexts.Kind kind = StoredTexts.Kind.of(name);
    if (kind == null) {
      return;
    }
    String id = kind.id(name);
    forgetUnread(name, kind, id);
    try {
      put(kind, id, text);
    } catch (MalformedException | IllegalArgumentException e) {
      put(kind, id, Optional.empty());
      remember(unread(name, kind, text.orElseThrow(), e.getMessage()), kind, id);
    }
  }

  State state() {
    return new State(keys, tokens, tokensByHash, quotas, permissions, unread, decisions);
  }

  /** Applied texts that cannot be read. */
  List<Unread> newlyUnread() {
    return List.copyOf(newlyUnread);
  }

  private void put(StoredTexts.Kind kind, String id, Optional<String> text) {
    switch (kind) {
      case KEY -> keys = put(keys, id, text.map(stored -> StoredTexts.key(id, stored)));
      case PERMISSION -> putPermission(id, text.map(stored -> StoredTexts.permission(id, stored)));
      case GROUP -> putGroup(id, text.map(stored -> StoredTexts.group(id, stored)));
      case TOKEN -> putToken(id, text.map(stored -> StoredTexts.token(id, stored)));
      case QUOTA -> quotas = put(quotas, id, text.map(stored -> StoredTexts.quota(id, stored)));
    }
  }

  private static <V> PersistentMap<V> put(PersistentMap<V> all, String id, Optional<V> value) {
    return value.isPresent() ? all.with(id, value.get()) : all.without(id);
  }

  private void putPermission(String id, Optional<Permission> permission) {
    Permission old = permissions.get(id);
    if (old != null) {
      decisions = decisions.without(old);
    }
    permission.ifPresent(added -> decisions = decisions.with(added));
    permissions = put(permissions, id, permission);
  }

  private void putGroup(String name, Optional<SecuritySnapshot.Group> group) {
    Memberships before = decisions.memberships();
    decisions = decisions.with(group.map(before::with).orElseGet(() -> before.without(name)));
  }

  private void putToken(String id, Optional<HttpToken> token) {
    HttpToken old = tokens.get(id);
    if (old != null && Objects.equals(tokensByHash.get(old.hash().toString()), old)) {
      tokensByHash = tokensByHash.without(old.hash().toString());
    }
    token.ifPresent(added -> tokensByHash = tokensByHash.with(added.hash().toString(), added));
    tokens = put(tokens, id, token);
  }

  private void remember(Unread text, StoredTexts.Kind kind, String id) {
    unread = unread.with(text.name(), text);
    newlyUnread.add(text);
    text.instead().ifPresent(instead -> decisions = decisions.with(instead));
    decisions = decisions.withUnread(text.isOfAnybody() ? 1 : 0);
    if (kind == StoredTexts.Kind.GROUP) {
      decisions = decisions.with(decisions.memberships().withUnread(id));
    }
  }

  private void forgetUnread(String name, StoredTexts.Kind kind, String id) {
    Unread old = unread.get(name);
    if (old == null) {
      return;
    }
    unread = unread.without(name);
    old.instead().ifPresent(instead -> decisions = decisions.without(instead));
    decisions = decisions.withUnread(old.isOfAnybody() ? -1 : 0);
    if (kind == StoredTexts.Kind.GROUP) {
      decisions = decisions.with(decisions.memberships().without(id));
    }
  }

  private static Unread unread(String name, StoredTexts.Kind kind, String text, String why) {
    if (kind != StoredTexts.Kind.PERMISSION || StoredTexts.isAllow(text)) {
      return new Unread(name, text, why, Optional.empty(), false);
    }
    Optional<Permission> instead =
        StoredTexts.subject(text)
            .map(subject -> Permission.of(subject, false, List.of("admin"), "cluster"));
    return new Unread(name, text, why, instead, instead.isEmpty());
  }
}
