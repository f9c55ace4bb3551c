package io.tunnel.core;

/**
 * A dynamic threshold by which principals share the places of a server. A principal with places
 * gets further ones up to a fifth of the free places. So one principal takes a sixth of all places
 * at most, and ten greedy principals leave a third free, or a sixth when each begins after the
 * last. A principal without a place gets one while any place is free. The rule needs no list of
 * principals, and takes no place back.
 */
public final class FreeShare {

  /** One principal may have this part of the free places. */
  public static final int PARTS = 5;

  private FreeShare() {}

  /**
   * Whether a principal gets further places.
   *
   * @param own places of the principal
   * @param more places that the principal asks for
   * @param taken places of all principals
   * @param max all places
   */
  public static boolean allows(long own, long more, long taken, long max) {
    long free = max - taken;
    return more <= free && (own == 0 || own + more <= free / PARTS);
  }
}
