package io.tunnel.server.security.index;

/**
 * The masks of all grants of one subject on one pattern together, with the number of grants for
 * each bit: several grants may allow one right, and one of these grants may end. Never changes.
 */
final class Tally {

  private static final int BITS = 16;

  /** Tallies that only allow or only deny, each once: a million grants share them. */
  private static final Tally[] SINGLES = singles();

  /** The tally without grants. */
  static final Tally NONE = SINGLES[0];

  private final int masks;

  /** The number of grants for each bit of the masks; null when each set bit has one grant. */
  private final int[] counts;

  private Tally(int masks, int[] counts) {
    this.masks = masks;
    this.counts = counts;
  }

  /** Allowed and denied, as {@link PermissionIndex} says. */
  int masks() {
    return masks;
  }

  Tally plus(int added) {
    if ((masks & added) == 0 && counts == null) {
      return of(masks | added);
    }
    return counted(added, 1);
  }

  Tally minus(int taken) {
    if ((taken & ~masks) != 0) {
      throw new IllegalStateException(
          "cannot take the masks "
              + Integer.toHexString(taken)
              + " from "
              + Integer.toHexString(masks));
    }
    return counts == null ? of(masks & ~taken) : counted(taken, -1);
  }

  private Tally counted(int changed, int by) {
    int[] sums = new int[BITS];
    int newMasks = 0;
    int most = 0;
    for (int i = 0; i < BITS; i++) {
      sums[i] = count(i) + (changed >>> i & 1) * by;
      newMasks |= sums[i] > 0 ? 1 << i : 0;
      most = Math.max(most, sums[i]);
    }
    return most <= 1 ? of(newMasks) : new Tally(newMasks, sums);
  }

  private int count(int bit) {
    return counts == null ? masks >>> bit & 1 : counts[bit];
  }

  private static Tally of(int masks) {
    if (PermissionIndex.denied(masks) == 0) {
      return SINGLES[masks];
    }
    return PermissionIndex.allowed(masks) == 0
        ? SINGLES[PermissionIndex.ALL + 1 + PermissionIndex.denied(masks)]
        : new Tally(masks, null);
  }

  private static Tally[] singles() {
    Tally[] singles = new Tally[2 * (PermissionIndex.ALL + 1)];
    for (int mask = 0; mask <= PermissionIndex.ALL; mask++) {
      singles[mask] = new Tally(PermissionIndex.allowing(mask), null);
      singles[PermissionIndex.ALL + 1 + mask] = new Tally(PermissionIndex.denying(mask), null);
    }
    return singles;
  }
}
