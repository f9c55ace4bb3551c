package io.tunnel.server.security.index;

/** Hashes of patterns and subjects. They lead to entries; then the texts are compared. */
final class PermissionHash {

  private static final int FACTOR = 0x9e3779b1;

  private PermissionHash() {}

  /** The unmixed hash of a text with one more character. The empty text has the hash 0. */
  static int next(int hash, char c) {
    return (hash + c + 1) * FACTOR;
  }

  /** The hash of a pattern. */
  static int of(String stem, int flags) {
    int hash = 0;
    for (int i = 0; i < stem.length(); i++) {
      hash = next(hash, stem.charAt(i));
    }
    return mixed(hash, flags);
  }

  /** The hash of a subject. */
  static int of(String name, boolean isGroup) {
    int hash = 0;
    for (int i = 0; i < name.length(); i++) {
      hash = next(hash, name.charAt(i));
    }
    return ofSubject(hash, isGroup);
  }

  /** The hash of a subject, from the unmixed hash of its name. */
  static int ofSubject(int hash, boolean isGroup) {
    return mixed(hash, isGroup ? 1 : 0);
  }

  /**
   * The hash of a pattern, from the unmixed hash of its stem: spreads differences over all bits.
   */
  static int mixed(int hash, int flags) {
    int mixed = hash + flags * 0x85ebca6b;
    mixed = (mixed ^ mixed >>> 16) * 0x7feb352d;
    mixed = (mixed ^ mixed >>> 15) * 0x846ca68b;
    return mixed ^ mixed >>> 16;
  }

  /** The key of an entry: its pattern's hash in the high bits, its subject's in the low ones. */
  static long key(int pattern, int subject) {
    return ((long) pattern << Integer.SIZE) | (subject & 0xffff_ffffL);
  }
}
