package io.tunnel.server.security;

/** Hashes of patterns and subjects: they lead to permissions, whose texts are compared then. */
final class PermissionHash {

  private static final int FACTOR = 0x9e3779b1;

  private PermissionHash() {}

  /** The unmixed hash of a text with one more character; that of no character is 0. */
  static int next(int hash, char c) {
    return (hash + c + 1) * FACTOR;
  }

  /** Of a pattern. */
  static int of(String stem, int flags) {
    int hash = 0;
    for (int i = 0; i < stem.length(); i++) {
      hash = next(hash, stem.charAt(i));
    }
    return mixed(hash, flags);
  }

  /** Of a subject. */
  static int of(String name, boolean isGroup) {
    int hash = 0;
    for (int i = 0; i < name.length(); i++) {
      hash = next(hash, name.charAt(i));
    }
    return ofSubject(hash, isGroup);
  }

  /** Of a subject whose unmixed hash is known. */
  static int ofSubject(int hash, boolean isGroup) {
    return mixed(hash, isGroup ? 1 : 0);
  }

  /** Of a pattern whose stem's unmixed hash is known: spreads differences over all bits. */
  static int mixed(int hash, int flags) {
    int mixed = hash + flags * 0x85ebca6b;
    mixed = (mixed ^ mixed >>> 16) * 0x7feb352d;
    mixed = (mixed ^ mixed >>> 15) * 0x846ca68b;
    return mixed ^ mixed >>> 16;
  }

  /** The way to a permission: first its pattern, then its subject. */
  static long key(int pattern, int subject) {
    return ((long) pattern << Integer.SIZE) | (subject & 0xffff_ffffL);
  }
}
