package io.tunnel.server.security;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.Names;
import io.tunnel.model.RefusedException;
import io.tunnel.server.security.index.PersistentMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keys, permissions, groups, tokens and quotas, as texts of the catalog whose names begin with
 * {@value #PREFIX}. Each change makes a new {@link SecuritySnapshot}, which any thread may read;
 * all other methods belong to the thread that changes the catalog.
 *
 * <p>A text that cannot be read, because it was damaged or written by a later version, does not
 * affect other texts and is logged once. Rights that it may have allowed are not allowed:
 *
 * <ul>
 *   <li>an unreadable key or token is invalid, an unreadable quota has no effect (the server's own
 *       limits remain);
 *   <li>an unreadable permission that surely allows does not count;
 *   <li>any other unreadable permission may deny: all rights are denied to its subject, or to every
 *       principal when the subject cannot be read either;
 *   <li>an unreadable group may have any member, so rights denied to it are denied to every
 *       principal, and rights allowed to it are allowed to none.
 * </ul>
 *
 * Fixed administrators keep all rights, so that they can replace or remove the text. These rules
 * depend only on the texts, so all nodes decide alike.
 */
public final class SecurityRecords {

  /** The prefix of the names of all security texts. */
  public static final String PREFIX = "security/";

  private static final Logger LOGGER = LoggerFactory.getLogger(SecurityRecords.class);

  /** Unreadable texts that one change logs separately. */
  private static final int LOGGED_MAX = 20;

  private final Limits limits;
  private final Permissions none;
  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
  private volatile SecuritySnapshot snapshot;

  /**
   * Limits for new records; stored records are read even beyond the limits.
   *
   * @param groupMembersMax members of one group
   * @param principalGroupsMax groups of one principal; every decision considers all of them
   */
  public record Limits(
      int keysMax,
      int permissionsMax,
      int groupsMax,
      int tokensMax,
      int quotasMax,
      int groupMembersMax,
      int principalGroupsMax) {
    /** The limits of a server. */
    public static final Limits DEFAULTS =
        new Limits(100_000, 1_000_000, 10_000, 10_000, 100_000, 10_000, 64);
  }

  /**
   * Without stored texts.
   *
   * @param administrators the fixed administrators, who have all rights
   */
  public SecurityRecords(Limits limits, Set<Principal> administrators) {
    this.limits = limits;
    this.none = Permissions.of(administrators);
    this.snapshot = new SecuritySnapshot(1, SnapshotBuilder.State.of(none));
  }

  /** The newest snapshot. */
  public SecuritySnapshot snapshot() {
    return snapshot;
  }

  /**
   * Adds a listener, which the thread that changes the catalog calls after each new snapshot. It
   * must not throw and not wait.
   */
  public void listen(Runnable listener) {
    listeners.add(listener);
  }

  /** Applies stored changes; ignores texts without the prefix. */
  public void apply(Map<String, Optional<String>> changes) {
    Map<String, Optional<String>> ours = new LinkedHashMap<>();
    changes.forEach(
        (name, text) -> {
          if (name.startsWith(PREFIX)) {
            ours.put(name, text);
          }
        });
    if (!ours.isEmpty()) {
      take(snapshot.records(), ours);
    }
  }

  /** Replaces all records by the stored {@code texts}. */
  public void replace(Map<String, String> texts) {
    Map<String, Optional<String>> ours = new HashMap<>();
    texts.forEach(
        (name, text) -> {
          if (name.startsWith(PREFIX)) {
            ours.put(name, Optional.of(text));
          }
        });
    take(SnapshotBuilder.State.of(none), ours);
  }

  /**
   * The write that stores a new or changed key.
   *
   * @throws RefusedException LIMIT_REACHED when the limit of such records is reached
   */
  public Map<String, Optional<String>> noting(AccessKey key) {
    requireRoom(StoredTexts.Kind.KEY, key.id(), snapshot.records().keys(), limits.keysMax());
    return noting(StoredTexts.Kind.KEY, key.id(), StoredTexts.text(key));
  }

  /**
   * The write that stores the permission.
   *
   * @throws RefusedException LIMIT_REACHED when the limit of such records is reached
   */
  public Map<String, Optional<String>> noting(Permission permission) {
    requireRoom(
        StoredTexts.Kind.PERMISSION,
        permission.id(),
        snapshot.records().permissions(),
        limits.permissionsMax());
    requireRoomForPair(permission);
    return noting(StoredTexts.Kind.PERMISSION, permission.id(), StoredTexts.text(permission));
  }

  private void requireRoomForPair(Permission permission) {
    List<Permission> pairs = snapshot.permissions().pairs(permission.subject());
    if (permission.resource().isPair()
        && pairs.size() >= Permissions.PAIRS_MAX
        && pairs.stream().noneMatch(one -> one.id().equals(permission.id()))) {
      throw limitReached(
          permission.subject() + " has " + pairs.size() + " permissions with a '*' in front of '/'",
          Permissions.PAIRS_MAX);
    }
  }

  /** The write that stores the permission, without a limit: the same write removes a permission. */
  public static Map<String, Optional<String>> notingInstead(Permission permission) {
    return noting(StoredTexts.Kind.PERMISSION, permission.id(), StoredTexts.text(permission));
  }

  /**
   * The write that stores a new or changed group.
   *
   * @throws RefusedException LIMIT_REACHED when there are too many groups, or members, or groups of
   *     a member
   */
  public Map<String, Optional<String>> noting(SecuritySnapshot.Group group) {
    Memberships memberships = snapshot.permissions().memberships();
    requireRoom(StoredTexts.Kind.GROUP, group.name(), memberships.groups(), limits.groupsMax());
    if (group.members().size() > limits.groupMembersMax()) {
      throw limitReached(
          "group " + group.name() + " would have " + group.members().size() + " members",
          limits.groupMembersMax());
    }
    for (Principal member : group.members()) {
      List<String> groups = memberships.of(member.name());
      if (!groups.contains(group.name()) && groups.size() >= limits.principalGroupsMax()) {
        throw limitReached(
            member + " is in " + groups.size() + " groups", limits.principalGroupsMax());
      }
    }
    return noting(StoredTexts.Kind.GROUP, group.name(), StoredTexts.text(group));
  }

  /**
   * The write that stores the token.
   *
   * @throws RefusedException LIMIT_REACHED when the limit of such records is reached
   */
  public Map<String, Optional<String>> noting(HttpToken token) {
    requireRoom(
        StoredTexts.Kind.TOKEN, token.id(), snapshot.records().tokens(), limits.tokensMax());
    return noting(StoredTexts.Kind.TOKEN, token.id(), StoredTexts.text(token));
  }

  /**
   * The write that stores a new or changed quota.
   *
   * @throws RefusedException LIMIT_REACHED when the limit of such records is reached
   */
  public Map<String, Optional<String>> noting(SecuritySnapshot.SubjectQuota quota) {
    requireRoom(
        StoredTexts.Kind.QUOTA, quota.subject(), snapshot.records().quotas(), limits.quotasMax());
    return noting(StoredTexts.Kind.QUOTA, quota.subject(), StoredTexts.text(quota.quota()));
  }

  /** The write that removes the key, readable or not. */
  public static Map<String, Optional<String>> removalOfKey(String id) {
    return removal(StoredTexts.Kind.KEY, id);
  }

  /** The write that removes the permission. */
  public static Map<String, Optional<String>> removalOfPermission(String id) {
    return removal(StoredTexts.Kind.PERMISSION, id);
  }

  /**
   * The write that removes the group; its permissions stay, and apply to a later group of that
   * name.
   */
  public static Map<String, Optional<String>> removalOfGroup(String name) {
    return removal(StoredTexts.Kind.GROUP, name);
  }

  /** The write that removes the token. */
  public static Map<String, Optional<String>> removalOfToken(String id) {
    return removal(StoredTexts.Kind.TOKEN, id);
  }

  /** The write that removes the quota of the subject. */
  public static Map<String, Optional<String>> removalOfQuota(String subject) {
    return removal(StoredTexts.Kind.QUOTA, subject);
  }

  private void take(SnapshotBuilder.State from, Map<String, Optional<String>> changes) {
    SnapshotBuilder builder = new SnapshotBuilder(from);
    changes.forEach(builder::take);
    SecuritySnapshot before = snapshot;
    log(builder.newlyUnread(), before.records().unread());
    snapshot = new SecuritySnapshot(before.version() + 1, builder.state());
    listeners.forEach(Runnable::run);
  }

  private static void log(
      List<SnapshotBuilder.Unread> unread, PersistentMap<SnapshotBuilder.Unread> known) {
    List<SnapshotBuilder.Unread> unsaid =
        unread.stream().filter(each -> !each.equals(known.get(each.name()))).toList();
    unsaid.stream()
        .limit(LOGGED_MAX)
        .forEach(
            each ->
                LOGGER.error(
                    "cannot read the catalog's text '{}' ({}); {}. Write the text again, or"
                        + " remove it.",
                    each.name(),
                    each.why(),
                    consequence(each)));
    if (unsaid.size() > LOGGED_MAX) {
      LOGGER.error(
          "{} texts of the catalog cannot be read: {}",
          unsaid.size(),
          Names.listed(unsaid.stream().map(SnapshotBuilder.Unread::name).toList()));
    }
  }

  private static String consequence(SnapshotBuilder.Unread text) {
    if (text.isOfAnybody()) {
      return "until then, all rights are denied to all but the fixed administrators";
    }
    return text.instead()
        .map(denied -> "until then, all rights are denied to " + denied.subject())
        .orElse("it allows nothing");
  }

  private void requireRoom(StoredTexts.Kind kind, String id, PersistentMap<?> stored, int max) {
    String name = kind.name(id);
    SnapshotBuilder.State records = snapshot.records();
    boolean isKnown = stored.get(id) != null || records.unread().get(name) != null;
    if (!isKnown && stored.size() + records.unreadOf(kind) >= max) {
      throw limitReached("there are " + stored.size() + " records of " + kind.name(""), max);
    }
  }

  private static RefusedException limitReached(String what, int max) {
    return new RefusedException(ErrorCode.LIMIT_REACHED, what + ", and the limit is " + max);
  }

  private static Map<String, Optional<String>> noting(
      StoredTexts.Kind kind, String id, String text) {
    return Map.of(kind.name(id), Optional.of(text));
  }

  private static Map<String, Optional<String>> removal(StoredTexts.Kind kind, String id) {
    return Map.of(kind.name(id), Optional.empty());
  }
}
