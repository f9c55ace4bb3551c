package io.tunnel.server.security;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.security.index.PermissionIndex;
import io.tunnel.wire.Operation.Right;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Allows or denies rights on a resource to a principal or a group. ADMIN stands for all rights,
 * also in a denial.
 *
 * @param id 1 to {@value #ID_CHARS_MAX} of A-Z a-z 0-9 _ -
 * @param subject a principal's name, or {@code group:NAME}
 * @param isAllow whether the permission allows the rights, and does not deny them
 * @param rights at least one right that can be granted on the kind of resource
 * @param resource the resource
 */
public record Permission(
    String id, String subject, boolean isAllow, Set<Right> rights, Resource resource) {

  /** Characters of an id. */
  public static final int ID_CHARS_MAX = 64;

  private static final Pattern ID = Pattern.compile("[A-Za-z0-9_-]{1," + ID_CHARS_MAX + "}");

  /**
   * Refuses invalid subjects, and rights without a meaning on the resource: an administrator who
   * denies such a right would rely on a denial without effect.
   */
  public Permission {
    requireId(id);
    Subjects.require(subject);
    Objects.requireNonNull(resource, "resource");
    int mask = Rights.mask(rights);
    int useless = mask & ~meaningful(resource.kind());
    if (useless != 0) {
      throw new IllegalArgumentException(
          resource
              + " has no right "
              + Rights.listed(useless)
              + "; it has "
              + Rights.listed(meaningful(resource.kind())));
    }
    rights = Rights.set(mask);
  }

  /**
   * A permission whose id is the hash of its content: granted twice it exists once. {@code rights}
   * are their names in lower case.
   *
   * @throws IllegalArgumentException when a text is invalid; the message says what is valid
   */
  public static Permission of(
      String subject, boolean isAllow, Collection<String> rights, String resource) {
    Set<Right> parsed = Rights.set(Rights.mask(rights.stream().map(Rights::parse).toList()));
    Resource on = Resource.parse(resource);
    String said = String.join("\n", subject, isAllow ? "allow" : "deny", parsed + "", on + "");
    byte[] hash = Ids.sha256(said.getBytes(StandardCharsets.UTF_8));
    String id = Ids.of("p", Bytes.copyOf(hash, 0, Ids.RANDOM_BYTES));
    return new Permission(id, subject, isAllow, parsed, on);
  }

  /** The resource as text. */
  public String on() {
    return resource.toString();
  }

  /** Checks an id. */
  static String requireId(String id) {
    if (id == null || !ID.matcher(id).matches()) {
      throw new IllegalArgumentException(
          "a permission's id is 1 to "
              + ID_CHARS_MAX
              + " of A-Z a-z 0-9 _ -, not "
              + Subjects.shown(id));
    }
    return id;
  }

  /**
   * The allowed or denied rights as masks of a {@link PermissionIndex}, included rights as well.
   */
  int masks() {
    int included = Rights.included(Rights.mask(rights));
    return isAllow ? PermissionIndex.allowing(included) : PermissionIndex.denying(included);
  }

  /**
   * One resource to which the permission applies: ADMIN also applies to everything below its
   * resource.
   */
  private record Reach(Resource resource, int mask) {

    boolean meets(Reach other) {
      return (mask & other.mask) != 0 && resource.meets(other.resource);
    }

    boolean covers(Reach other) {
      return (mask & other.mask) == other.mask && resource.covers(other.resource);
    }
  }

  private List<Reach> reaches() {
    int included = Rights.included(Rights.mask(rights));
    Reach own = new Reach(resource, included);
    return included == PermissionIndex.ALL
        ? Stream.concat(
                Stream.of(own), resource.below().stream().map(each -> new Reach(each, included)))
            .toList()
        : List.of(own);
  }

  /** Whether both permissions concern a common right on a common resource, allowed or denied. */
  public boolean meets(Permission other) {
    return reaches().stream().anyMatch(mine -> other.reaches().stream().anyMatch(mine::meets));
  }

  /**
   * Whether this permission contains every right of {@code other} on every resource of {@code
   * other}.
   */
  public boolean covers(Permission other) {
    return other.reaches().stream()
        .allMatch(theirs -> reaches().stream().anyMatch(mine -> mine.covers(theirs)));
  }

  private static int meaningful(PermissionIndex.Kind kind) {
    return switch (kind) {
      case TABLE ->
          Rights.mask(
              Set.of(Right.READ, Right.WRITE, Right.CREATE, Right.ALTER, Right.DROP, Right.ADMIN));
      case TUNNEL ->
          Rights.mask(Set.of(Right.CONSUME, Right.CREATE, Right.DROP, Right.OPERATE, Right.ADMIN));
      case CLUSTER -> Rights.mask(Set.of(Right.READ, Right.ADMIN));
    };
  }
}
