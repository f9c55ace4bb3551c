package io.tunnel.server.security;

import io.tunnel.server.security.index.PermissionIndex;
import io.tunnel.wire.Operation.Right;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The rights that can be granted, as bits of the masks of a {@link PermissionIndex}. */
final class Rights {

  /** All rights. */
  static final int ALL = PermissionIndex.ALL;

  /** The bit of {@link Right#ADMIN}. */
  static final int ADMIN = 1 << 7;

  private static final List<Right> GRANTABLE =
      List.of(
          Right.READ,
          Right.WRITE,
          Right.CONSUME,
          Right.CREATE,
          Right.ALTER,
          Right.DROP,
          Right.OPERATE,
          Right.ADMIN);

  /** The set of each mask, so that a million permissions share theirs. */
  private static final List<Set<Right>> SETS = sets();

  private Rights() {}

  /** The bit of a right; 0 for one that cannot be granted. */
  static int bit(Right right) {
    return switch (right) {
      case READ -> 1;
      case WRITE -> 1 << 1;
      case CONSUME -> 1 << 2;
      case CREATE -> 1 << 3;
      case ALTER -> 1 << 4;
      case DROP -> 1 << 5;
      case OPERATE -> 1 << 6;
      case ADMIN -> ADMIN;
      case ANYBODY, SEE, HOLD, SERVER -> 0;
    };
  }

  /**
   * The bits of {@code rights}.
   *
   * @throws IllegalArgumentException when the collection is empty, or a right cannot be granted
   */
  static int mask(Collection<Right> rights) {
    int mask = 0;
    for (Right right : rights) {
      if (bit(right) == 0) {
        throw notGrantable(text(right));
      }
      mask |= bit(right);
    }
    if (mask == 0) {
      throw new IllegalArgumentException("a permission needs a right: " + listed(ALL));
    }
    return mask;
  }

  /** The rights of a mask; not to be changed. */
  static Set<Right> set(int mask) {
    return SETS.get(mask);
  }

  /** The rights with all included ones: with ADMIN all rights, otherwise the mask itself. */
  static int included(int mask) {
    return (mask & ADMIN) == 0 ? mask : ALL;
  }

  /**
   * The right with that name.
   *
   * @throws IllegalArgumentException when no grantable right has that name
   */
  static Right parse(String text) {
    for (Right right : GRANTABLE) {
      if (text(right).equals(text)) {
        return right;
      }
    }
    throw notGrantable(text);
  }

  static String text(Right right) {
    return right.name().toLowerCase(Locale.ROOT);
  }

  /** The names of a mask's rights, for messages. */
  static String listed(int mask) {
    return set(mask).stream().map(Rights::text).collect(Collectors.joining(", "));
  }

  private static IllegalArgumentException notGrantable(String text) {
    return new IllegalArgumentException(
        Subjects.shown(text) + " is no right that can be granted: " + listed(ALL));
  }

  private static List<Set<Right>> sets() {
    return IntStream.rangeClosed(0, ALL)
        .mapToObj(
            mask -> {
              Set<Right> set = EnumSet.noneOf(Right.class);
              GRANTABLE.stream().filter(right -> (mask & bit(right)) != 0).forEach(set::add);
              return Collections.unmodifiableSet(set);
            })
        .toList();
  }
}
