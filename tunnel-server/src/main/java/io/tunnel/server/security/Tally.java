package io.tunnel.server.security;

/**
 * What the permissions of one subject on one pattern allow and deny together, and how many do:
 * several may allow one right, and one of them may be taken away. Never changes.
 */
final class Tally {

  private static final int BITS = 16;

  /** Those of one permission: one instance serves all who have it. */
  private static final Tally[] SINGLES = singles();

  /** Of no permission. */
  static final Tally NONE = SINGLES[0];

  private final int masks;

  /** How many permissions set each bit of the masks; null when that is one for each that is set. */
  private final int[] counts;

  private Tally(int masks, int[] counts) {
    this.masks = masks;
    this.counts = counts;
  }

  /** Allowed and denied, as {@link Rights} says. */
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
          "permissions " + Integer.toHexString(taken) + " of " + Integer.toHexString(masks));
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
    if (Rights.denied(masks) == 0) {
      return SINGLES[masks];
    }
    return Rights.allowed(masks) == 0
        ? SINGLES[Rights.ALL + 1 + Rights.denied(masks)]
        : new Tally(masks, null);
  }

  private static Tally[] singles() {
    Tally[] singles = new Tally[2 * (Rights.ALL + 1)];
    for (int mask = 0; mask <= Rights.ALL; mask++) {
      singles[mask] = new Tally(Rights.allowing(mask), null);
      singles[Rights.ALL + 1 + mask] = new Tally(Rights.denying(mask), null);
    }
    return singles;
  }
}
