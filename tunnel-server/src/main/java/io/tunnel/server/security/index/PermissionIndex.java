package io.tunnel.server.security.index;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * All grants of all subjects, found by the hash of their pattern: the masks of a principal and all
 * its groups on a name take one lookup for the name itself, and one for each length of beginnings
 * up to the length of the name. The lookups do not depend on each other, so the processor runs
 * several at once. Never changes; for any thread. ADR 25 says why it is packed.
 *
 * <p>A <em>mask</em> is an int: allowed rights are its low eight bits, denied rights the next
 * eight. The index knows no right by name.
 *
 * <p>The index is a tree whose branches take four bits of a key, first the bits of the pattern's
 * hash, then those of the subject's, with {@link PermissionLeaf leaves} of up to {@value #LEAF_MAX}
 * grants. A pattern with more subjects than fit in a leaf has branches of its own, where each
 * asking subject is looked up. An index with one change shares all branches with its predecessor
 * except those on the way to the change, each of 16 places, and one leaf.
 */
public final class PermissionIndex {

  /** Without grants. */
  public static final PermissionIndex EMPTY =
      new PermissionIndex(null, null, new int[0], new int[0], PersistentMap.empty());

  /** Patterns that {@link #leavesTunnel} visits before it answers yes. */
  public static final int LOOKS_MAX = 1_024;

  /** Grants of a leaf, unless their keys are equal. */
  static final int LEAF_MAX = 24;

  /** All rights, as bits. */
  public static final int ALL = 0xff;

  private static final int DENIED_SHIFT = 8;
  private static final long ALL_BITS = -1;
  private static final int STEP_BITS = 4;
  private static final int PLACES = 1 << STEP_BITS;

  /** Grants on names and on the cluster: a leaf, a {@link Branch}, or null for none. */
  private final Object names;

  /** Grants on beginnings: a leaf, a {@link Branch}, or null for none. */
  private final Object beginnings;

  /** The number of grants on beginnings of tables' names, by the length of the beginning. */
  private final int[] tableBeginnings;

  /** The number of grants on beginnings of {@code TABLE/TUNNEL}, by the length. */
  private final int[] tunnelBeginnings;

  /** Patterns of tunnels by subject, groups as {@code group:NAME}: for {@link #leavesTunnel}. */
  private final PersistentMap<PatternTree> tunnels;

  private PermissionIndex(
      Object names,
      Object beginnings,
      int[] tableBeginnings,
      int[] tunnelBeginnings,
      PersistentMap<PatternTree> tunnels) {
    this.names = names;
    this.beginnings = beginnings;
    this.tableBeginnings = tableBeginnings;
    this.tunnelBeginnings = tunnelBeginnings;
    this.tunnels = tunnels;
  }

  /** The kinds of resources, which have patterns of their own. */
  public enum Kind {
    /** Tables. */
    TABLE,
    /** Tunnels. */
    TUNNEL,
    /** The cluster as a whole: rights on no table, and for its administrators on everything. */
    CLUSTER
  }

  /**
   * What one permission says.
   *
   * @param stem a name, or the beginning of names; empty for the cluster
   * @param isBeginning whether {@code stem} is the beginning of names, and not a whole name
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
  public record Question(String table, String tunnel, String principal, List<String> groups) {
    /** A character of {@code TABLE/TUNNEL}. */
    char at(int index) {
      int length = table.length();
      if (index < length) {
        return table.charAt(index);
      }
      return index == length ? '/' : tunnel.charAt(index - length - 1);
    }
  }

  /**
   * A branch takes the four bits of a key that begin at {@code shift}; all keys below it have the
   * bits of {@code path} above these. The filters of the branch tell of most hashes that no leaf
   * below has them, without a look at the leaf: there are few branches, so their filters stay in
   * the processor's cache. {@link PermissionLeaf#filter} says which bits are set.
   */
  private static final class Branch {
    final long path;
    final int shift;
    final Object[] children;
    final long[] filters;

    Branch(long path, int shift) {
      this(path, shift, new Object[PLACES], new long[PLACES]);
    }

    private Branch(long path, int shift, Object[] children, long[] filters) {
      this.path = path;
      this.shift = shift;
      this.children = children;
      this.filters = filters;
    }

    /** Whether a pattern with that hash may be below a place. */
    boolean mayHave(int hash, int place) {
      return (filters[place] >>> hash & 1) != 0;
    }

    boolean isAbove(long key) {
      return (key ^ path) >>> shift >>> STEP_BITS == 0;
    }

    Branch with(int place, Object child) {
      Branch copy = new Branch(path, shift, children.clone(), filters.clone());
      copy.set(place, child);
      return copy;
    }

    /** Changes a branch that is not part of an index yet. */
    void set(int place, Object child) {
      children[place] = child;
      filters[place] = child instanceof byte[] leaf ? PermissionLeaf.filter(leaf) : ALL_BITS;
    }
  }

  /** This index with one more grant. */
  public PermissionIndex plus(Grant grant) {
    byte[] single = PermissionLeaf.of(grant);
    Object root = grant.isBeginning() ? beginnings : names;
    return changed(grant, put(root, PermissionLeaf.key(single), single), true);
  }

  /**
   * This index without one of its grants.
   *
   * @throws IllegalStateException when it has no such grant
   */
  public PermissionIndex minus(Grant grant) {
    byte[] single = PermissionLeaf.of(grant);
    Object root = grant.isBeginning() ? beginnings : names;
    return changed(grant, remove(root, PermissionLeaf.key(single), single), false);
  }

  /** The masks on the cluster, on the question's table, or on its tunnel; each of that alone. */
  public int masks(Kind kind, Question question) {
    return switch (kind) {
      case CLUSTER -> onCluster(question);
      case TABLE -> match(kind, tableBeginnings, question, question.table().length());
      case TUNNEL ->
          match(
              kind,
              tunnelBeginnings,
              question,
              question.table().length() + 1 + question.tunnel().length());
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
    List<PatternTree> own = trees(question.groups(), more);
    addTree(question.principal(), more, own);
    return new TunnelSearch(own, trees(denying, more), above, question.table()).finds();
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

  private List<PatternTree> trees(List<String> groups, List<Grant> more) {
    List<PatternTree> trees = new ArrayList<>();
    for (String group : groups) {
      addTree(subjectOf(true, group), more, trees);
    }
    return trees;
  }

  private void addTree(String subject, List<Grant> more, List<PatternTree> trees) {
    PatternTree stored = tunnels.get(subject);
    PatternTree tree = stored == null ? PatternTree.EMPTY : stored;
    for (Grant grant : more) {
      tree = grant.subject().equals(subject) ? tree.plus(grant) : tree;
    }
    if (!tree.isEmpty()) {
      trees.add(tree);
    }
  }

  private int onCluster(Question question) {
    int flags = PermissionLeaf.flags(Kind.CLUSTER);
    return find(names, PermissionHash.mixed(0, flags), flags, question, 0);
  }

  /** The masks of all patterns that match the first characters of the question's text. */
  private int match(Kind kind, int[] counts, Question question, int chars) {
    int name = PermissionLeaf.flags(kind);
    int beginning = name | PermissionLeaf.BEGINNING;
    int masks = 0;
    int hash = 0;
    for (int i = 0; i <= chars; i++) {
      if (i < counts.length && counts[i] > 0) {
        int mixed = PermissionHash.mixed(hash, beginning);
        masks |= find(beginnings, mixed, beginning, question, i);
      }
      hash = i < chars ? PermissionHash.next(hash, question.at(i)) : hash;
    }
    return masks | find(names, PermissionHash.mixed(hash, name), name, question, chars);
  }

  private static int find(Object root, int hash, int flags, Question question, int chars) {
    Object node = root;
    while (node instanceof Branch branch) {
      if (branch.shift < Integer.SIZE) {
        return findBySubject(branch, hash, flags, question, chars);
      }
      int place = place(hash, branch.shift - Integer.SIZE);
      if (!branch.mayHave(hash, place)) {
        return 0;
      }
      node = branch.children[place];
    }
    return node == null ? 0 : PermissionLeaf.masks((byte[]) node, hash, flags, question, chars);
  }

  private static int findBySubject(
      Branch branch, int hash, int flags, Question question, int chars) {
    long key = PermissionHash.key(hash, PermissionHash.of(question.principal(), false));
    byte[] leaf = leaf(branch, key);
    int masks = leaf == null ? 0 : PermissionLeaf.masks(leaf, hash, flags, question, chars);
    List<String> groups = question.groups();
    for (int i = 0; i < groups.size(); i++) {
      key = PermissionHash.key(hash, PermissionHash.of(groups.get(i), true));
      leaf = leaf(branch, key);
      masks |= leaf == null ? 0 : PermissionLeaf.masks(leaf, hash, flags, question, chars);
    }
    return masks;
  }

  private static byte[] leaf(Branch from, long key) {
    Object node = from;
    while (node instanceof Branch branch) {
      node = branch.children[place(key, branch.shift)];
    }
    return (byte[]) node;
  }

  private PermissionIndex changed(Grant grant, Object newRoot, boolean isPlus) {
    boolean isOfTunnel = grant.kind() == Kind.TUNNEL;
    PersistentMap<PatternTree> trees = isOfTunnel ? changedTunnels(grant, isPlus) : tunnels;
    if (!grant.isBeginning()) {
      return new PermissionIndex(newRoot, beginnings, tableBeginnings, tunnelBeginnings, trees);
    }
    int by = isPlus ? 1 : -1;
    int chars = grant.stem().length();
    return new PermissionIndex(
        names,
        newRoot,
        isOfTunnel ? tableBeginnings : counted(tableBeginnings, chars, by),
        isOfTunnel ? counted(tunnelBeginnings, chars, by) : tunnelBeginnings,
        trees);
  }

  private PersistentMap<PatternTree> changedTunnels(Grant grant, boolean isPlus) {
    PatternTree stored = tunnels.get(grant.subject());
    PatternTree before = stored == null ? PatternTree.EMPTY : stored;
    PatternTree after = isPlus ? before.plus(grant) : before.minus(grant);
    return after.isEmpty()
        ? tunnels.without(grant.subject())
        : tunnels.with(grant.subject(), after);
  }

  private static int[] counted(int[] counts, int chars, int by) {
    int[] copy = Arrays.copyOf(counts, Math.max(counts.length, chars + 1));
    copy[chars] += by;
    return copy;
  }

  private static Object put(Object node, long key, byte[] single) {
    if (node instanceof Branch branch) {
      int place = place(key, branch.shift);
      return branch.isAbove(key)
          ? branch.with(place, put(branch.children[place], key, single))
          : parted(branch, key, single);
    }
    return node == null ? single : split(PermissionLeaf.plus((byte[]) node, single));
  }

  /** A new branch above {@code branch}, where the key leaves the path to it. */
  private static Branch parted(Branch branch, long key, byte[] single) {
    int shift = shift(branch.path ^ key);
    Branch above = new Branch(key, shift);
    above.set(place(branch.path, shift), branch);
    above.set(place(key, shift), single);
    return above;
  }

  private static Object split(byte[] leaf) {
    if (PermissionLeaf.size(leaf) <= LEAF_MAX) {
      return leaf;
    }
    List<byte[]> singles = PermissionLeaf.singles(leaf);
    long[] keys = singles.stream().mapToLong(PermissionLeaf::key).toArray();
    long differences = 0;
    for (long key : keys) {
      differences |= key ^ keys[0];
    }
    return differences == 0 ? leaf : branch(singles, keys, shift(differences));
  }

  private static Branch branch(List<byte[]> singles, long[] keys, int shift) {
    Branch branch = new Branch(keys[0], shift);
    for (int place = 0; place < PLACES; place++) {
      List<byte[]> some = new ArrayList<>();
      for (int i = 0; i < keys.length; i++) {
        if (place(keys[i], shift) == place) {
          some.add(singles.get(i));
        }
      }
      if (!some.isEmpty()) {
        branch.set(place, PermissionLeaf.joined(some));
      }
    }
    return branch;
  }

  private static Object remove(Object node, long key, byte[] single) {
    if (!(node instanceof Branch branch)) {
      return PermissionLeaf.minus((byte[]) node, single);
    }
    int place = place(key, branch.shift);
    Branch rest = branch.with(place, remove(branch.children[place], key, single));
    return rest.children[place] == null ? shortened(rest) : rest;
  }

  /** The only child of the branch; the branch itself when it has several. */
  private static Object shortened(Branch branch) {
    Object only = null;
    for (Object child : branch.children) {
      if (child != null && only != null) {
        return branch;
      }
      only = child == null ? only : child;
    }
    return only;
  }

  private static int shift(long differences) {
    return (Long.SIZE - 1 - Long.numberOfLeadingZeros(differences)) & -STEP_BITS;
  }

  private static int place(long key, int shift) {
    return (int) (key >>> shift) & (PLACES - 1);
  }
}
