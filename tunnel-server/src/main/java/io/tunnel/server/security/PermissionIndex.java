package io.tunnel.server.security;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * All permissions of all subjects, by the hash of their pattern: what a principal and its groups
 * are allowed and denied on a name takes one look for the name itself, and one for each length of
 * beginnings that there are up to the length of the name. Looks do not wait for each other, so the
 * processor takes several at once.
 *
 * <p>A tree whose branches take four bits of a key, first those of the pattern's hash, then those
 * of the subject's, with {@link PermissionLeaf leaves} of up to {@value #LEAF_MAX} permissions. A
 * pattern with more subjects than fit in a leaf has branches of its own, where each of those who
 * ask is looked for. Never changes: an index with a change shares all with it but the branches on
 * the way, each of 16 places, and a leaf.
 */
final class PermissionIndex {

  /** Without permissions. */
  static final PermissionIndex EMPTY = new PermissionIndex(null, null, new int[0], new int[0]);

  /** Permissions of a leaf, unless their keys are the same. */
  static final int LEAF_MAX = 24;

  private static final long ALL_BITS = -1;
  private static final int STEP_BITS = 4;
  private static final int PLACES = 1 << STEP_BITS;

  /** ADMIN, allowed and denied: it goes on to what is below that which it is on. */
  private static final int ADMIN_MASKS =
      Rights.allowing(Rights.ADMIN) | Rights.denying(Rights.ADMIN);

  /** Permissions on names and on the cluster: a leaf, a {@link Branch}, or null for nothing. */
  private final Object names;

  /** Likewise those on beginnings. */
  private final Object beginnings;

  /** Permissions on beginnings of names of tables, by the number of their characters. */
  private final int[] tableBeginnings;

  /** Likewise of {@code TABLE/TUNNEL}. */
  private final int[] tunnelBeginnings;

  private PermissionIndex(
      Object names, Object beginnings, int[] tableBeginnings, int[] tunnelBeginnings) {
    this.names = names;
    this.beginnings = beginnings;
    this.tableBeginnings = tableBeginnings;
    this.tunnelBeginnings = tunnelBeginnings;
  }

  /**
   * What is asked.
   *
   * @param table empty when it is about the cluster
   * @param tunnel empty when it is not about a tunnel
   * @param principal who asks; empty when groups alone do
   * @param groups those that it is in, sorted
   */
  record Question(String table, String tunnel, String principal, List<String> groups) {
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
   * The keys below have the bits of {@code path} above those four that begin at {@code shift}. What
   * no leaf has is mostly known from the filters of the branch above it, which are few and so at
   * hand: the bits that {@link PermissionLeaf#filter} sets.
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

    /** Whether a pattern of that hash may be below a place. */
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

    /** Of a branch that nobody else has yet. */
    void set(int place, Object child) {
      children[place] = child;
      filters[place] = child instanceof byte[] leaf ? PermissionLeaf.filter(leaf) : ALL_BITS;
    }
  }

  PermissionIndex plus(Permission permission) {
    byte[] single = PermissionLeaf.of(permission);
    Object root = permission.resource().isBeginning() ? beginnings : names;
    return changed(permission.resource(), put(root, PermissionLeaf.key(single), single), 1);
  }

  /** The permission is one of these. */
  PermissionIndex minus(Permission permission) {
    byte[] single = PermissionLeaf.of(permission);
    Object root = permission.resource().isBeginning() ? beginnings : names;
    return changed(permission.resource(), remove(root, PermissionLeaf.key(single), single), -1);
  }

  /** What is allowed and denied on a table, or on a tunnel of it, or on the cluster. */
  int masks(Resource.Kind kind, Question question) {
    return switch (kind) {
      case TABLE -> included(onCluster(question)) | onTable(question);
      case TUNNEL -> included(onCluster(question) | onTable(question)) | onTunnel(question);
      case CLUSTER -> onCluster(question);
    };
  }

  /** What permissions that say so of something say of all below it: those with ADMIN alone do. */
  static int included(int masks) {
    int admin = masks & ADMIN_MASKS;
    int allowed = Rights.included(Rights.allowed(admin));
    return Rights.allowing(allowed) | Rights.denying(Rights.included(Rights.denied(admin)));
  }

  private int onCluster(Question question) {
    int flags = PermissionLeaf.flags(Resource.Kind.CLUSTER);
    return find(names, PermissionHash.mixed(0, flags), flags, question, 0);
  }

  private int onTable(Question question) {
    return match(Resource.Kind.TABLE, tableBeginnings, question, question.table().length());
  }

  private int onTunnel(Question question) {
    int chars = question.table().length() + 1 + question.tunnel().length();
    return match(Resource.Kind.TUNNEL, tunnelBeginnings, question, chars);
  }

  /** What all patterns say that match the first characters of the question's text. */
  private int match(Resource.Kind kind, int[] counts, Question question, int chars) {
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

  private PermissionIndex changed(Resource on, Object newRoot, int by) {
    if (!on.isBeginning()) {
      return new PermissionIndex(newRoot, beginnings, tableBeginnings, tunnelBeginnings);
    }
    int chars = on.stem().length();
    return on.kind() == Resource.Kind.TABLE
        ? new PermissionIndex(names, newRoot, counted(tableBeginnings, chars, by), tunnelBeginnings)
        : new PermissionIndex(
            names, newRoot, tableBeginnings, counted(tunnelBeginnings, chars, by));
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

  /** A branch above the other one, where the key leaves the way to that. */
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

  /** The only child of a branch that has no other. */
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
