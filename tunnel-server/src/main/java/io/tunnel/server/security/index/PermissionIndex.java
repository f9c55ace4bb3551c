package io.tunnel.server.security.index;

import java.util.ArrayList;
import java.util.List;

/**
 * All grants of all subjects, found by their pattern: the masks of a principal and all its groups
 * on a name take one lookup for the name itself, and one for each length of beginnings up to the
 * length of the name. Never changes; for any thread. ADR 25 says why a map is enough.
 *
 * <p>A <em>mask</em> is an int: allowed rights are its low eight bits, denied rights the next
 * eight. The index knows no right by name.
 */
public final class PermissionIndex {

  /** Without grants. */
  public static final PermissionIndex EMPTY =
      new PermissionIndex(
          PatternGrants.NONE, PatternGrants.NONE, PatternGrants.NONE, PersistentMap.empty());

  /** Patterns that {@link #leavesTunnel} visits before it answers yes. */
  public static final int LOOKS_MAX = 1_024;

  /** All rights, as bits. */
  public static final int ALL = 0xff;

  private static final int DENIED_SHIFT = 8;

  private final PatternGrants cluster;
  private final PatternGrants tables;

  /** Grants on tunnels, whose names are {@code TABLE/TUNNEL}. */
  private final PatternGrants tunnels;

  /** Patterns of tunnels by subject, groups as {@code group:NAME}: for {@link #leavesTunnel}. */
  private final PersistentMap<PatternTree> trees;

  private PermissionIndex(
      PatternGrants cluster,
      PatternGrants tables,
      PatternGrants tunnels,
      PersistentMap<PatternTree> trees) {
    this.cluster = cluster;
    this.tables = tables;
    this.tunnels = tunnels;
    this.trees = trees;
  }

  /** The kinds of resources, which have patterns of their own. */
  public enum Kind {
    /** Tables. */
    TABLE,
    /** Tunnels. */
    TUNNEL,
    /** The cluster itself: rights on no table, and for its administrators on everything. */
    CLUSTER
  }

  /**
   * What one permission says.
   *
   * @param stem a name, or the beginning of names; empty for the cluster
   * @param isBeginning whether {@code stem} is the beginning of names, and not a complete name
   * @param isGroup whether {@code name} is a group's and not a principal's
   * @param name to whom the rights are allowed or denied
   * @param masks rights that are allowed, rights that are denied
   */
  public record Grant(
      Kind kind, String stem, boolean isBeginning, boolean isGroup, String name, int masks) {
    /** The key of the subject's patterns of tunnels. */
    String subject() {
      return subjectOf(isGroup, name);
    }
  }

  /**
   * A name, and who asks for masks on it.
   *
   * @param table empty when the question is about the cluster
   * @param tunnel empty when the question is not about a tunnel
   * @param principal empty when groups alone ask
   * @param groups names of the principal's groups, sorted
   */
  public record Question(String table, String tunnel, String principal, List<String> groups) {}

  /** This index with one more grant. */
  public PermissionIndex plus(Grant grant) {
    return changed(grant, true);
  }

  /**
   * This index without one of its grants.
   *
   * @throws IllegalStateException when it has no such grant
   */
  public PermissionIndex minus(Grant grant) {
    return changed(grant, false);
  }

  /** The masks on the cluster, on the question's table, or on its tunnel; each of that alone. */
  public int masks(Kind kind, Question question) {
    return switch (kind) {
      case CLUSTER -> cluster.masks("", question);
      case TABLE -> tables.masks(question.table(), question);
      case TUNNEL -> tunnels.masks(question.table() + "/" + question.tunnel(), question);
    };
  }

  /**
   * Whether some right on some tunnel of the question's table is allowed and not denied; the tunnel
   * need not exist. Yes after {@value #LOOKS_MAX} patterns that were looked at in vain.
   *
   * @param denying groups whose denials count as well, but not what they allow
   * @param above the masks that hold for all tunnels of the table
   * @param more grants on tunnels of this table alone that the index does not hold
   */
  public boolean leavesTunnel(
      Question question, List<String> denying, int above, List<Grant> more) {
    List<PatternTree> own = treesOf(question.groups(), more);
    addTree(question.principal(), more, own);
    return new TunnelSearch(own, treesOf(denying, more), above, question.table()).finds();
  }

  /** The masks that allow the rights. */
  public static int allowing(int rights) {
    return rights;
  }

  /** The masks that deny the rights. */
  public static int denying(int rights) {
    return rights << DENIED_SHIFT;
  }

  /** The rights that the masks allow. */
  public static int allowed(int masks) {
    return masks & ALL;
  }

  /** The rights that the masks deny. */
  public static int denied(int masks) {
    return masks >>> DENIED_SHIFT;
  }

  /** The rights that the masks allow and do not deny. */
  public static int left(int masks) {
    return allowed(masks) & ~denied(masks);
  }

  private static String subjectOf(boolean isGroup, String name) {
    return isGroup ? "group:" + name : name;
  }

  private List<PatternTree> treesOf(List<String> groups, List<Grant> more) {
    List<PatternTree> found = new ArrayList<>();
    for (String group : groups) {
      addTree(subjectOf(true, group), more, found);
    }
    return found;
  }

  private void addTree(String subject, List<Grant> more, List<PatternTree> found) {
    PatternTree stored = trees.get(subject);
    PatternTree tree = stored == null ? PatternTree.EMPTY : stored;
    for (Grant grant : more) {
      tree = grant.subject().equals(subject) ? tree.plus(grant) : tree;
    }
    if (!tree.isEmpty()) {
      found.add(tree);
    }
  }

  private PermissionIndex changed(Grant grant, boolean isPlus) {
    return switch (grant.kind()) {
      case CLUSTER -> new PermissionIndex(cluster.changed(grant, isPlus), tables, tunnels, trees);
      case TABLE -> new PermissionIndex(cluster, tables.changed(grant, isPlus), tunnels, trees);
      case TUNNEL ->
          new PermissionIndex(
              cluster, tables, tunnels.changed(grant, isPlus), changedTrees(grant, isPlus));
    };
  }

  private PersistentMap<PatternTree> changedTrees(Grant grant, boolean isPlus) {
    return trees.changed(
        grant.subject(),
        PatternTree.EMPTY,
        before -> isPlus ? before.plus(grant) : before.minus(grant),
        PatternTree::isEmpty);
  }
}
