package io.tunnel.server.table;

import java.util.HashSet;
import java.util.Set;

/**
 * The snapshots of a store and the reads from them. A native snapshot is freed when it is released
 * and no thread reads from it, and never after the store was closed: each read is a use of its
 * gate.
 *
 * <p>Its monitor guards the counts of all its snapshots and is held for no read; no other lock is
 * taken under it.
 */
final class OpenReads {

  private final ByteMap map;
  private final Dictionaries dictionaries;
  private final OpenGate gate;
  private final Set<StoreSnapshot> notFreed = new HashSet<>();

  OpenReads(ByteMap map, Dictionaries dictionaries, OpenGate gate) {
    this.map = map;
    this.gate = gate;
    this.dictionaries = dictionaries;
  }

  Dictionaries dictionaries() {
    return dictionaries;
  }

  synchronized StoreSnapshot take() {
    var unused = gate.enter();
    try {
      StoreSnapshot snapshot = new StoreSnapshot(this, map.moment());
      notFreed.add(snapshot);
      return snapshot;
    } finally {
      gate.leave();
    }
  }

  /** Begins a read, which {@link #end} ends; false when the snapshot is released already. */
  synchronized boolean begin(StoreSnapshot snapshot) {
    if (snapshot.isReleased) {
      return false;
    }
    var unused = gate.enter();
    snapshot.readCount++;
    return true;
  }

  synchronized void end(StoreSnapshot snapshot) {
    snapshot.readCount--;
    freeIfUnused(snapshot);
    gate.leave();
  }

  synchronized void release(StoreSnapshot snapshot) {
    snapshot.isReleased = true;
    freeIfUnused(snapshot);
  }

  private void freeIfUnused(StoreSnapshot snapshot) {
    if (snapshot.isReleased && snapshot.readCount == 0 && notFreed.remove(snapshot)) {
      snapshot.taken.release();
    }
  }

  /** Snapshots that are not released yet. */
  synchronized int count() {
    return notFreed.size();
  }

  /** Frees all snapshots. Call after the gate is closed, when no thread reads from a snapshot. */
  synchronized void close() {
    Set.copyOf(notFreed).forEach(this::release);
  }
}
