package io.tunnel.server.security;

import io.tunnel.model.value.Bytes;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Keys, permissions, groups, tokens and quotas at one moment. Never changes; for any thread. Pages
 * are made by looking at all records of their kind: for those who administer, not for each request.
 */
public final class SecuritySnapshot {

  private final long version;
  private final SnapshotBuilder.State records;
  private final Permissions permissions;

  SecuritySnapshot(long version, SnapshotBuilder.State records) {
    this.version = version;
    this.records = records;
    this.permissions = records.decisions();
  }

  /**
   * Principals that permissions are given to together.
   *
   * @param name 1 to {@value Principal#KEY_NAME_CHARS_MAX} of A-Z a-z 0-9 _ . @ -
   */
  public record Group(String name, Set<Principal> members) {
    /** Refuses names that no group has, and copies the members. */
    public Group {
      Subjects.requireGroup(name);
      members = Set.copyOf(members);
    }
  }

  /**
   * The quota of a principal or a table.
   *
   * @param subject as {@link Quota#requireSubject} takes it
   */
  public record SubjectQuota(String subject, Quota quota) {
    /** Refuses subjects that no quota is for, and limits that are not for the subject. */
    public SubjectQuota {
      Objects.requireNonNull(quota.requireFor(subject), "quota");
    }
  }

  /** Grows with each snapshot of these records; starts again with the process. */
  public long version() {
    return version;
  }

  /** Who may do what. */
  public Permissions permissions() {
    return permissions;
  }

  /** The key of that id; a revoked one too. */
  public Optional<AccessKey> key(String id) {
    return Optional.ofNullable(records.keys().get(id));
  }

  /** The token of that hash; one that has ended too. */
  public Optional<HttpToken> token(Bytes hash) {
    return Optional.ofNullable(records.tokensByHash().get(hash.toString()));
  }

  /** The token of that id; one that has ended too. */
  public Optional<HttpToken> token(String id) {
    return Optional.ofNullable(records.tokens().get(id));
  }

  /** The permission of that id. */
  public Optional<Permission> permission(String id) {
    return Optional.ofNullable(records.permissions().get(id));
  }

  /** The group of that name. */
  public Optional<Group> group(String name) {
    return Optional.ofNullable(permissions.memberships().groups().get(name));
  }

  /** What the principal may use; {@link Quota#NONE} when nothing bounds it. */
  public Quota quota(Principal principal) {
    return quotaOf(principal.name());
  }

  /** What the table may be used; {@link Quota#NONE} when nothing bounds it. */
  public Quota tableQuota(String table) {
    return quotaOf(Quota.TABLE + table);
  }

  /** The first keys behind an id (the empty text for the first of all) that are wanted, by id. */
  public List<AccessKey> keys(String after, int max, Predicate<? super AccessKey> wanted) {
    return records.keys().page(after, max, wanted);
  }

  /** Likewise permissions. */
  public List<Permission> permissions(String after, int max, Predicate<? super Permission> wanted) {
    return records.permissions().page(after, max, wanted);
  }

  /** Likewise groups, by name. */
  public List<Group> groups(String after, int max, Predicate<? super Group> wanted) {
    return permissions.memberships().groups().page(after, max, wanted);
  }

  /** Likewise tokens. */
  public List<HttpToken> tokens(String after, int max, Predicate<? super HttpToken> wanted) {
    return records.tokens().page(after, max, wanted);
  }

  /** Likewise quotas, by subject. */
  public List<SubjectQuota> quotas(String after, int max, Predicate<? super SubjectQuota> wanted) {
    return records.quotas().page(after, max, wanted);
  }

  /**
   * Names of the texts that cannot be read: first {@code max} of them, sorted. Writing such a text
   * again, or removing it, heals.
   */
  public List<String> unreadable(int max) {
    return records.unread().page("", max, each -> true).stream()
        .map(SnapshotBuilder.Unread::name)
        .toList();
  }

  SnapshotBuilder.State records() {
    return records;
  }

  private Quota quotaOf(String subject) {
    SubjectQuota quota = records.quotas().get(subject);
    return quota == null ? Quota.NONE : quota.quota();
  }
}
