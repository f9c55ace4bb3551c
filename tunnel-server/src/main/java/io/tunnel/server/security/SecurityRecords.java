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
 * {@value #PREFIX}. Makes a {@link SecuritySnapshot} with each change of them, which any thread may
 * ask for; all else is for the thread that changes the catalog.
 *
 * <p>A text that cannot be read, because it was damaged or a later version has written it, leaves
 * the others alone and is logged once. What it may have allowed is not allowed:
 *
 * <ul>
 *   <li>a key or token serves nobody, a quota bounds nobody (the server's own bounds remain);
 *   <li>a permission whose effect can be read and is to allow does not count;
 *   <li>another one may deny anything: all is denied to its subject, or, when that cannot be read
 *       either, to everybody;
 *   <li>of a group, everybody may be a member, so what is denied to it is denied to everybody, and
 *       what is allowed to it is allowed to nobody.
 * </ul>
 *
 * Fixed administrators keep all rights, so that one of them can write the text anew or remove it.
 * Because all this follows from the texts, all nodes decide alike.
 */
public final class SecurityRecords {

  /** What the names of all texts that are about security begin with. */
  public static final String PREFIX = "security/";

  private static final Logger LOGGER = LoggerFactory.getLogger(SecurityRecords.class);

  /** Texts that a change may log one by one. */
  private static final int LOGGED_MAX = 20;

  private final Limits limits;
  private final Permissions none;
  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
  private volatile SecuritySnapshot snapshot;

  /**
   * How many there may be; what is stored already is read whatever there is.
   *
   * @param groupMembersMax principals of a group
   * @param principalGroupsMax groups that a principal may be in; each is asked in each decision
   */
  public record Limits(
      int keysMax,
      int permissionsMax,
      int groupsMax,
      int tokensMax,
      int quotasMax,
      int groupMembersMax,
      int principalGroupsMax) {
    /** As a server has them. */
    public static final Limits DEFAULTS =
        new Limits(100_000, 1_000_000, 10_000, 10_000, 100_000, 10_000, 64);
  }

  /**
   * With nothing stored yet.
   *
   * @param administrators have all rights, whatever is stored
   */
  public SecurityRecords(Limits limits, Set<Principal> administrators) {
    this.limits = limits;
    this.none = Permissions.of(administrators);
    this.snapshot = new SecuritySnapshot(1, SnapshotBuilder.State.of(none));
  }

  /** The newest. */
  public SecuritySnapshot snapshot() {
    return snapshot;
  }

  /**
   * Has {@code listener} called after each new snapshot, by the thread that changes the catalog. It
   * must not throw and not wait.
   */
  public void listen(Runnable listener) {
    listeners.add(listener);
  }

  /** Takes over texts that are stored; those that are not about security are left alone. */
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

  /** Takes over everything that is stored: what is not among {@code texts} does not exist. */
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
   * What has to be written for the key to be there, be it new or changed.
   *
   * @throws RefusedException LIMIT_REACHED when it is one too many
   */
  public Map<String, Optional<String>> noting(AccessKey key) {
    requireRoom(StoredTexts.Kind.KEY, key.id(), snapshot.records().keys(), limits.keysMax());
    return noting(StoredTexts.Kind.KEY, key.id(), StoredTexts.text(key));
  }

  /**
   * What has to be written for the permission to be there.
   *
   * @throws RefusedException LIMIT_REACHED when it is one too many
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

  /** Likewise for one that takes the place of another, which is removed by the same write. */
  public static Map<String, Optional<String>> notingInstead(Permission permission) {
    return noting(StoredTexts.Kind.PERMISSION, permission.id(), StoredTexts.text(permission));
  }

  /**
   * What has to be written for the group to have these members, be it new or changed.
   *
   * @throws RefusedException LIMIT_REACHED when it is one too many, has too many members, or one of
   *     them would be in too many groups
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
   * What has to be written for the token to be there.
   *
   * @throws RefusedException LIMIT_REACHED when it is one too many
   */
  public Map<String, Optional<String>> noting(HttpToken token) {
    requireRoom(
        StoredTexts.Kind.TOKEN, token.id(), snapshot.records().tokens(), limits.tokensMax());
    return noting(StoredTexts.Kind.TOKEN, token.id(), StoredTexts.text(token));
  }

  /**
   * What has to be written for the quota to hold, be it new or changed.
   *
   * @throws RefusedException LIMIT_REACHED when it is one too many
   */
  public Map<String, Optional<String>> noting(SecuritySnapshot.SubjectQuota quota) {
    requireRoom(
        StoredTexts.Kind.QUOTA, quota.subject(), snapshot.records().quotas(), limits.quotasMax());
    return noting(StoredTexts.Kind.QUOTA, quota.subject(), StoredTexts.text(quota.quota()));
  }

  /** What has to be written for the key to be gone; also for one that cannot be read. */
  public static Map<String, Optional<String>> removalOfKey(String id) {
    return removal(StoredTexts.Kind.KEY, id);
  }

  /** Likewise the permission. */
  public static Map<String, Optional<String>> removalOfPermission(String id) {
    return removal(StoredTexts.Kind.PERMISSION, id);
  }

  /** Likewise the group; permissions that it was given stay, for one that is called so later. */
  public static Map<String, Optional<String>> removalOfGroup(String name) {
    return removal(StoredTexts.Kind.GROUP, name);
  }

  /** Likewise the token. */
  public static Map<String, Optional<String>> removalOfToken(String id) {
    return removal(StoredTexts.Kind.TOKEN, id);
  }

  /** Likewise the quota of the subject. */
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
                    "The catalog's text '{}' cannot be read ({}); {}. Write it anew, or remove it.",
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
      return "until it can, everything is denied to everybody but the fixed administrators";
    }
    return text.instead()
        .map(denied -> "until it can, everything is denied to " + denied.subject())
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
