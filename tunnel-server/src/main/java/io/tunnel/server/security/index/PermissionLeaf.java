package io.tunnel.server.security.index;

import io.tunnel.codec.Binary;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Some grants as one array of bytes, so that a decision loads two or three cache lines and not one
 * for each object of each grant. Nobody changes the array after it is made.
 *
 * <pre>
 * leaf:   count 4 | for each entry: hash of its pattern 4, where it starts 4 | the entries
 * entry:  equal grants 4 | masks 2 | flags 1 | chars of the subject 1 |
 *         chars of the stem 2 | stem, 1 byte a char | subject, 1 byte a char or 2 when it is wide
 * </pre>
 */
final class PermissionLeaf {

  /** The flag of a pattern that is a beginning. The two bits below this flag are the kind. */
  static final int BEGINNING = 1 << 2;

  private static final int PATTERN_FLAGS = BEGINNING | (BEGINNING - 1);
  private static final int GROUP = 1 << 3;
  private static final int WIDE = 1 << 4;

  private static final int HEAD_BYTES = 4;
  private static final int SLOT_BYTES = 8;
  private static final int SINGLE_ENTRY = HEAD_BYTES + SLOT_BYTES;

  private static final int MASKS = 4;
  private static final int FLAGS = 6;
  private static final int SUBJECT_CHARS = 7;
  private static final int STEM_CHARS = 8;
  private static final int STEM = 10;

  private PermissionLeaf() {}

  /** A leaf of one grant. */
  static byte[] of(PermissionIndex.Grant grant) {
    String stem = grant.stem();
    String subject = grant.name();
    boolean isWide = subject.chars().anyMatch(c -> c > Byte.MAX_VALUE);
    byte[] stemBytes = stem.getBytes(StandardCharsets.US_ASCII);
    byte[] subjectBytes =
        subject.getBytes(isWide ? StandardCharsets.UTF_16BE : StandardCharsets.US_ASCII);
    int pattern = flags(grant.kind()) | (grant.isBeginning() ? BEGINNING : 0);
    byte[] leaf = new byte[SINGLE_ENTRY + STEM + stemBytes.length + subjectBytes.length];
    Binary.putInt(leaf, 0, 1);
    Binary.putInt(leaf, HEAD_BYTES, PermissionHash.of(stem, pattern));
    Binary.putInt(leaf, HEAD_BYTES + 4, SINGLE_ENTRY);
    Binary.putInt(leaf, SINGLE_ENTRY, 1);
    Binary.putShort(leaf, SINGLE_ENTRY + MASKS, grant.masks());
    leaf[SINGLE_ENTRY + FLAGS] =
        (byte) (pattern | (grant.isGroup() ? GROUP : 0) | (isWide ? WIDE : 0));
    leaf[SINGLE_ENTRY + SUBJECT_CHARS] = (byte) subject.length();
    Binary.putShort(leaf, SINGLE_ENTRY + STEM_CHARS, stemBytes.length);
    System.arraycopy(stemBytes, 0, leaf, SINGLE_ENTRY + STEM, stemBytes.length);
    System.arraycopy(
        subjectBytes, 0, leaf, SINGLE_ENTRY + STEM + stemBytes.length, subjectBytes.length);
    return leaf;
  }

  /** The flags of a whole name of that kind. */
  static int flags(PermissionIndex.Kind kind) {
    return switch (kind) {
      case TABLE -> 0;
      case TUNNEL -> 1;
      case CLUSTER -> 2;
    };
  }

  /** The number of the leaf's entries. */
  static int size(byte[] leaf) {
    return Binary.getInt(leaf, 0);
  }

  /** One bit for each pattern: the bit whose number is the last six bits of the pattern's hash. */
  static long filter(byte[] leaf) {
    long filter = 0;
    for (int i = 0; i < size(leaf); i++) {
      filter |= 1L << hash(leaf, i);
    }
    return filter;
  }

  /** The key of a leaf with one entry: the hashes of its pattern and of its subject. */
  static long key(byte[] single) {
    boolean isGroup = (single[SINGLE_ENTRY + FLAGS] & GROUP) != 0;
    int chars = Binary.getByte(single, SINGLE_ENTRY + SUBJECT_CHARS);
    int hash = 0;
    for (int i = 0; i < chars; i++) {
      hash = PermissionHash.next(hash, subjectChar(single, SINGLE_ENTRY, i));
    }
    return PermissionHash.key(hash(single, 0), PermissionHash.ofSubject(hash, isGroup));
  }

  /** The leaf with one more grant. */
  static byte[] plus(byte[] leaf, byte[] single) {
    int place = place(leaf, single);
    return place < 0 ? with(leaf, single) : counted(leaf, start(leaf, place), 1);
  }

  /** The leaf without one of its grants; null when no grant is left. */
  static byte[] minus(byte[] leaf, byte[] single) {
    int place = place(leaf, single);
    if (place < 0) {
      throw new IllegalStateException(
          "the grant is not among the " + size(leaf) + " entries of its leaf");
    }
    int start = start(leaf, place);
    if (Binary.getInt(leaf, start) > 1) {
      return counted(leaf, start, -1);
    }
    List<byte[]> rest = singles(leaf);
    rest.remove(place);
    return rest.isEmpty() ? null : joined(rest);
  }

  /** The entries, each as a leaf of its own. */
  static List<byte[]> singles(byte[] leaf) {
    List<byte[]> singles = new ArrayList<>();
    for (int i = 0; i < size(leaf); i++) {
      int start = start(leaf, i);
      byte[] single = new byte[SINGLE_ENTRY + end(leaf, i) - start];
      Binary.putInt(single, 0, 1);
      Binary.putInt(single, HEAD_BYTES, hash(leaf, i));
      Binary.putInt(single, HEAD_BYTES + 4, SINGLE_ENTRY);
      System.arraycopy(leaf, start, single, SINGLE_ENTRY, single.length - SINGLE_ENTRY);
      singles.add(single);
    }
    return singles;
  }

  /** One leaf with the entries of several leaves of one entry. */
  static byte[] joined(List<byte[]> singles) {
    int start = HEAD_BYTES + SLOT_BYTES * singles.size();
    int bytes = start;
    for (byte[] single : singles) {
      bytes += single.length - SINGLE_ENTRY;
    }
    byte[] leaf = new byte[bytes];
    Binary.putInt(leaf, 0, singles.size());
    int slot = HEAD_BYTES;
    for (byte[] single : singles) {
      Binary.putInt(leaf, slot, hash(single, 0));
      Binary.putInt(leaf, slot + 4, start);
      System.arraycopy(single, SINGLE_ENTRY, leaf, start, single.length - SINGLE_ENTRY);
      slot += SLOT_BYTES;
      start += single.length - SINGLE_ENTRY;
    }
    return leaf;
  }

  /**
   * The masks of the asking subjects on one pattern: the pattern with that hash and these flags
   * whose stem is the first {@code chars} characters of the question's text.
   */
  static int masks(byte[] leaf, int hash, int flags, PermissionIndex.Question question, int chars) {
    int masks = 0;
    int slots = HEAD_BYTES + SLOT_BYTES * size(leaf);
    for (int slot = HEAD_BYTES; slot < slots; slot += SLOT_BYTES) {
      if (Binary.getInt(leaf, slot) == hash) {
        int entry = Binary.getInt(leaf, slot + 4);
        if ((leaf[entry + FLAGS] & PATTERN_FLAGS) == flags
            && Binary.getShort(leaf, entry + STEM_CHARS) == chars
            && isAsking(leaf, entry, question)
            && isStem(leaf, entry + STEM, question, chars)) {
          masks |= Binary.getShort(leaf, entry + MASKS);
        }
      }
    }
    return masks;
  }

  private static boolean isStem(
      byte[] leaf, int stem, PermissionIndex.Question question, int chars) {
    for (int i = 0; i < chars; i++) {
      if (leaf[stem + i] != question.at(i)) {
        return false;
      }
    }
    return true;
  }

  private static boolean isAsking(byte[] leaf, int entry, PermissionIndex.Question question) {
    if ((leaf[entry + FLAGS] & GROUP) == 0) {
      return isSubject(leaf, entry, question.principal());
    }
    List<String> groups = question.groups();
    int low = 0;
    int high = groups.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      int order = order(leaf, entry, groups.get(middle));
      if (order == 0) {
        return true;
      }
      low = order > 0 ? middle + 1 : low;
      high = order > 0 ? high : middle;
    }
    return false;
  }

  /** Compares from the last character backwards, because names often begin alike. */
  private static boolean isSubject(byte[] leaf, int entry, String name) {
    int chars = Binary.getByte(leaf, entry + SUBJECT_CHARS);
    if (chars != name.length()) {
      return false;
    }
    for (int i = chars - 1; i >= 0; i--) {
      if (subjectChar(leaf, entry, i) != name.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  /** Compares an entry's subject with a name, in the order of {@link String#compareTo}. */
  private static int order(byte[] leaf, int entry, String name) {
    int chars = Binary.getByte(leaf, entry + SUBJECT_CHARS);
    int common = Math.min(chars, name.length());
    for (int i = 0; i < common; i++) {
      int difference = subjectChar(leaf, entry, i) - name.charAt(i);
      if (difference != 0) {
        return difference;
      }
    }
    return chars - name.length();
  }

  private static char subjectChar(byte[] leaf, int entry, int index) {
    int subject = entry + STEM + Binary.getShort(leaf, entry + STEM_CHARS);
    boolean isWide = (leaf[entry + FLAGS] & WIDE) != 0;
    return (char) (isWide ? Binary.getShort(leaf, subject + 2 * index) : leaf[subject + index]);
  }

  private static byte[] with(byte[] leaf, byte[] single) {
    List<byte[]> all = singles(leaf);
    all.add(single);
    return joined(all);
  }

  private static byte[] counted(byte[] leaf, int entry, int by) {
    byte[] copy = leaf.clone();
    Binary.putInt(copy, entry, Binary.getInt(leaf, entry) + by);
    return copy;
  }

  /** The place of the entry that equals {@code single} except for its count; -1 without one. */
  private static int place(byte[] leaf, byte[] single) {
    for (int i = 0; i < size(leaf); i++) {
      if (hash(leaf, i) == hash(single, 0)
          && Arrays.equals(
              leaf,
              start(leaf, i) + MASKS,
              end(leaf, i),
              single,
              SINGLE_ENTRY + MASKS,
              single.length)) {
        return i;
      }
    }
    return -1;
  }

  private static int hash(byte[] leaf, int place) {
    return Binary.getInt(leaf, HEAD_BYTES + SLOT_BYTES * place);
  }

  private static int start(byte[] leaf, int place) {
    return Binary.getInt(leaf, HEAD_BYTES + SLOT_BYTES * place + 4);
  }

  private static int end(byte[] leaf, int place) {
    return place + 1 < size(leaf) ? start(leaf, place + 1) : leaf.length;
  }
}
