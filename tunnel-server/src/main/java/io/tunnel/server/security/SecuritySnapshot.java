package io.tunnel.server.security;

import io.tunnel.model.value.Bytes;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Keys, permissions, groups, tokens and quotas at one time. Never changes; for any thread. A page
 * is made by a scan of all records of its kind: for administrators, not for each request.
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
   * Principals with common permissions.
   *
   * @param name 1 to {@value Principal#KEY_NAME_CHARS_MAX} of A-Z a-z 0-9 _ . @ -
   */
  public record Group(String name, Set<Principal> members) {
    /** Refuses invalid names, and copies the members. */
    public Group {
      Subjects.requireGroup(name);
      members = Set.copyOf(members);
    }
  }

  /**
   * The quota of a principal or a table.
   *
   * @param subject as {@link Quota#requireSubject} accepts it
   */
  public record SubjectQuota(String subject, Quota quota) {
    /** Refuses invalid subjects, and limits that do not fit the subject. */
    public SubjectQuota {
      Objects.requireNonNull(quota.requireFor(subject), "quota");
    }
  }

  /** Grows with each snapshot of these records; starts again with the process. */
  public long version() {
    return version;
  }

  /** The permissions. */
  public Permissions permissions() {
    return permissions;
  }

  /** The key with that id, also a revoked one. */
  public Optional<AccessKey> key(String id) {
    return Optional.ofNullable(records.keys().get(id));
  }

  /** The token with that hash, also an expired one. */
  public Optional<HttpToken> token(Bytes hash) {
    return Optional.ofNullable(records.tokensByHash().get(hash.toString()));
  }

  /** The token with that id, also an expired one. */
  public Optional<HttpToken> token(String id) {
    return Optional.ofNullable(records.tokens().get(id));
  }

  /** The permission with that id. */
  public Optional<Permission> permission(String id) {
    return Optional.ofNullable(records.permissions().get(id));
  }

  /** The group with that name. */
  public Optional<Group> group(String name) {
    return Optional.ofNullable(permissions.memberships().groups().get(name));
  }

  /** The principal's quota; {@link Quota#NONE} without one. */
  public Quota quota(Principal principal) {
    return quotaOf(principal.name());
  }

  /** The table's quota; {@link Quota#NONE} without one. */
  public Quota tableQuota(String table) {
    return quotaOf(Quota.TABLE + table);
  }

  /**
   * The first {@code max} wanted keys after the id {@code after} (empty for the first page), by id.
   */
  public List<AccessKey> keys(String after, int max, Predicate<? super AccessKey> wanted) {
    return records.keys().page(after, max, wanted);
  }

  /** A page of permissions, see {@link #keys}. */
  public List<Permission> permissions(String after, int max, Predicate<? super Permission> wanted) {
    return records.permissions().page(after, max, wanted);
  }

  /** A page of groups by name, see {@link #keys}. */
  public List<Group> groups(String after, int max, Predicate<? super Group> wanted) {
    return permissions.memberships().groups().page(after, max, wanted);
  }

  /** A page of tokens, see {@link #keys}. */
  public List<HttpToken> tokens(String after, int max, Predicate<? super HttpToken> wanted) {
    return records.tokens().page(after, max, wanted);
  }

  /** A page of quotas by subject, see {@link #keys}. */
  public List<SubjectQuota> quotas(String after, int max, Predicate<? super SubjectQuota> wanted) {
    return records.quotas().page(after, max, wanted);
  }

  /**
   * Sorted names of texts that cannot be read, {@code max} at most. Replacing or removing such a
   * text repairs it.
   */
  public List<String> unreadable(int max) {
    return records.unread().page("", max, each -> true).stream()
        .map(SnapshotBuilder.Unread::name)
        .toList();
  }

  SnapshotBuilder.State records() {
    return records;
  }

  /** The quota of a principal, or of {@code table:NAME}; {@link Quota#NONE} without one. */
  public Quota quotaOf(String subject) {
    SubjectQuota quota = records.quotas().get(subject);
    return quota == null ? Quota.NONE : quota.quota();
  }
}
