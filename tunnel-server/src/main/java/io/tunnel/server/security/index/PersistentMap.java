package io.tunnel.server.security.index;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * A map from texts that never changes; a map with one change shares all but a few nodes with its
 * predecessor. A hash trie: each level takes five bits of the hash, and a node has a slot for each
 * of the 32 values that occur. Below the last level, texts with one hash lie side by side. So a
 * lookup among a million entries takes four or five steps, and a change copies as many nodes of at
 * most 32 slots.
 */
public final class PersistentMap<V> {

  private static final PersistentMap<?> EMPTY = new PersistentMap<>(Node.EMPTY, 0);
  private static final int LEVEL_BITS = 5;
  private static final int SLOT_MASK = 31;

  private final Node root;
  private final int size;

  private PersistentMap(Node root, int size) {
    this.root = root;
    this.size = size;
  }

  /**
   * A key with its value.
   *
   * @param hash of the key, mixed
   */
  private record Entry(int hash, String key, Object value) {
    boolean isOf(String other, int otherHash) {
      return hash == otherHash && key.equals(other);
    }
  }

  /** Each slot has an {@link Entry} or a node; the bitmap has a bit for each slot's hash value. */
  private static final class Node {
    static final Node EMPTY = new Node(0, new Object[0]);

    final int bitmap;
    final Object[] slots;

    Node(int bitmap, Object[] slots) {
      this.bitmap = bitmap;
      this.slots = slots;
    }

    int slotOf(int bit) {
      return Integer.bitCount(bitmap & (bit - 1));
    }

    Node withSlot(int slot, Object content) {
      Object[] copy = slots.clone();
      copy[slot] = content;
      return new Node(bitmap, copy);
    }

    Node inserted(int bit, int slot, Object content) {
      Object[] copy = new Object[slots.length + 1];
      System.arraycopy(slots, 0, copy, 0, slot);
      copy[slot] = content;
      System.arraycopy(slots, slot, copy, slot + 1, slots.length - slot);
      return new Node(bitmap | bit, copy);
    }

    Node removed(int bit, int slot) {
      Object[] copy = Arrays.copyOf(slots, slots.length - 1);
      System.arraycopy(slots, slot + 1, copy, slot, copy.length - slot);
      return new Node(bitmap & ~bit, copy);
    }

    /** Whether a single entry is left, which then moves a level up. */
    boolean isSingle() {
      return slots.length == 1 && slots[0] instanceof Entry;
    }
  }

  /** The map without entries. */
  @SuppressWarnings("unchecked") // Nothing is in it.
  public static <V> PersistentMap<V> empty() {
    return (PersistentMap<V>) EMPTY;
  }

  /** The number of entries. */
  public int size() {
    return size;
  }

  /** The value of the key; null when there is none. */
  @SuppressWarnings("unchecked") // Only values of this type were put in.
  public V get(String key) {
    int hash = hash(key);
    Node node = root;
    for (int shift = 0; shift < Integer.SIZE; shift += LEVEL_BITS) {
      int bit = bit(hash, shift);
      if ((node.bitmap & bit) == 0) {
        return null;
      }
      Object content = node.slots[node.slotOf(bit)];
      if (content instanceof Entry entry) {
        return entry.isOf(key, hash) ? (V) entry.value() : null;
      }
      node = (Node) content;
    }
    int place = place(node, key, hash);
    return place < 0 ? null : (V) ((Entry) node.slots[place]).value();
  }

  /** This map with the value under the key, instead of any former value. */
  public PersistentMap<V> with(String key, V value) {
    int newSize = get(key) == null ? size + 1 : size;
    return new PersistentMap<>(put(root, 0, new Entry(hash(key), key, value)), newSize);
  }

  /** This map without the key. */
  public PersistentMap<V> without(String key) {
    return get(key) == null ? this : new PersistentMap<>(remove(root, 0, key, hash(key)), size - 1);
  }

  /**
   * This map with a changed value under the key.
   *
   * @param none the value to change when the map does not have the key
   * @param isNone whether the map needs no entry for a changed value
   */
  PersistentMap<V> changed(
      String key, V none, UnaryOperator<V> change, Predicate<? super V> isNone) {
    V stored = get(key);
    V after = change.apply(stored == null ? none : stored);
    return isNone.test(after) ? without(key) : with(key, after);
  }

  /** Passes all values on, in no order. */
  public void forEach(Consumer<? super V> consumer) {
    forEachEntry(root, entry -> consumer.accept(valueOf(entry)));
  }

  /**
   * The first {@code max} values that are {@code wanted}, in the order of their keys, whose keys
   * are greater than {@code after}. Looks at all values.
   */
  public List<V> page(String after, int max, Predicate<? super V> wanted) {
    PriorityQueue<Entry> first = new PriorityQueue<>(Comparator.comparing(Entry::key).reversed());
    forEachEntry(
        root,
        entry -> {
          if (entry.key().compareTo(after) > 0 && wanted.test(valueOf(entry))) {
            first.add(entry);
            if (first.size() > max) {
              first.remove();
            }
          }
        });
    List<Entry> page = new ArrayList<>(first);
    page.sort(Comparator.comparing(Entry::key));
    return page.stream().map(this::valueOf).toList();
  }

  @SuppressWarnings("unchecked") // Only values of this type were put in.
  private V valueOf(Entry entry) {
    return (V) entry.value();
  }

  private static void forEachEntry(Node node, Consumer<Entry> consumer) {
    for (Object content : node.slots) {
      if (content instanceof Entry entry) {
        consumer.accept(entry);
      } else {
        forEachEntry((Node) content, consumer);
      }
    }
  }

  private static Node put(Node node, int shift, Entry entry) {
    if (shift >= Integer.SIZE) {
      int place = place(node, entry.key(), entry.hash());
      return place < 0 ? node.inserted(0, node.slots.length, entry) : node.withSlot(place, entry);
    }
    int bit = bit(entry.hash(), shift);
    int slot = node.slotOf(bit);
    if ((node.bitmap & bit) == 0) {
      return node.inserted(bit, slot, entry);
    }
    Object content = node.slots[slot];
    if (content instanceof Node child) {
      return node.withSlot(slot, put(child, shift + LEVEL_BITS, entry));
    }
    Entry old = (Entry) content;
    if (old.isOf(entry.key(), entry.hash())) {
      return node.withSlot(slot, entry);
    }
    Node child = put(Node.EMPTY, shift + LEVEL_BITS, old);
    return node.withSlot(slot, put(child, shift + LEVEL_BITS, entry));
  }

  /** Removes a key that the node has. */
  private static Node remove(Node node, int shift, String key, int hash) {
    if (shift >= Integer.SIZE) {
      return node.removed(0, place(node, key, hash));
    }
    int bit = bit(hash, shift);
    int slot = node.slotOf(bit);
    if (node.slots[slot] instanceof Node child) {
      Node rest = remove(child, shift + LEVEL_BITS, key, hash);
      return node.withSlot(slot, rest.isSingle() ? rest.slots[0] : rest);
    }
    return node.removed(bit, slot);
  }

  /** The key's place in a node below the last level; -1 without one. */
  private static int place(Node node, String key, int hash) {
    for (int i = 0; i < node.slots.length; i++) {
      if (((Entry) node.slots[i]).isOf(key, hash)) {
        return i;
      }
    }
    return -1;
  }

  private static int bit(int hash, int shift) {
    return 1 << (hash >>> shift & SLOT_MASK);
  }

  /** Texts that differ in their last characters alone have hashes that differ in low bits alone. */
  private static int hash(String key) {
    int hash = key.hashCode() * 0x9e3779b9;
    return hash ^ hash >>> 15;
  }
}
