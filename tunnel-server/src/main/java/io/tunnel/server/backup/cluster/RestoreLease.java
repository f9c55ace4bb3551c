package io.tunnel.server.backup.cluster;

import io.tunnel.server.catalog.RestoreNote;
import io.tunnel.server.catalog.store.CatalogStore;
import io.tunnel.server.catalog.store.FencedStoreException;
import io.tunnel.server.cluster.Unit;
import io.tunnel.server.kafka.LogUnavailableException;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The right of one restore to write to the topics of a cluster; docs/internals/adr/0047 has the
 * invariant and the crash steps. The restore writes its note again and again. Another restore that
 * finds a note watches the note for longer than the former restore may write without a new note,
 * and takes the cluster over only when the note stays as it is. Opening the stores fences the
 * former restore.
 *
 * <p>The monitor guards the note and the writes of the catalog, which may take as long as a write
 * of the store: the thread of the beats and the thread of the restore write.
 */
final class RestoreLease implements Closeable {

  /** Time between two notes, in milliseconds. */
  static final long BEAT_MS = 5_000;

  /** After the beginning of its last stored note, a restore writes nothing to topics. */
  static final long HELD_MS = 40_000;

  /**
   * How long another restore watches a note: longer than {@link #HELD_MS} and the time of the
   * records in flight, which end within two deliveries and a request.
   */
  static final long WATCH_MS = 65_000;

  /** Time between two looks at a note, in milliseconds. */
  static final long LOOK_MS = 1_000;

  private static final Logger LOGGER = LoggerFactory.getLogger(RestoreLease.class);

  private final ClusterRestore.Clusters target;
  private final Opened<CatalogStore> stores;

  /** Records and snapshots that may still land in a topic of a table. */
  private final AtomicLong unanswered = new AtomicLong();

  private final CatalogStore catalog;
  private RestoreNote note;
  private Optional<Closeable> beats = Optional.empty();

  /** The stores of the groups of tunnels, by number of the group. */
  private final SortedMap<Integer, CatalogStore> groups = new TreeMap<>();

  private State state = State.OPENED;

  /** When the last stored note was begun to be written. */
  private volatile long notedNanos;

  private volatile Optional<FencedStoreException> fenced = Optional.empty();

  /** What this restore has written to the catalog. */
  private enum State {
    /** Nothing: the note may be of another restore. */
    OPENED,
    /** The note. */
    NOTED,
    /**
     * The last write has begun, and its outcome may be unknown for ever: no other write follows.
     */
    ENDED
  }

  private RestoreLease(
      ClusterRestore.Clusters target, Opened<CatalogStore> stores, RestoreNote note)
      throws IOException {
    this.target = target;
    this.stores = stores;
    this.note = note;
    this.catalog = target.catalog();
    stores.add(catalog);
  }

  /**
   * Waits to see whether another restore runs. Changes nothing.
   *
   * @param watched a note that stayed as it is for the complete wait before; a later wait is not
   *     needed while the note is the same
   * @param remarks lines for people
   * @return the note of a restore that runs no more; absent without a former restore
   * @throws RestoreRunsException when another restore runs
   * @throws IOException when the cluster has a catalog, or Kafka does not answer
   */
  static Optional<RestoreNote> await(
      ClusterRestore.Clusters target, Optional<RestoreNote> watched, Consumer<String> remarks)
      throws IOException {
    Map<String, String> texts = target.catalogTexts();
    ClusterRestore.requireFree(texts);
    Optional<RestoreNote> former = RestoreNote.in(texts);
    if (former.isPresent() && !former.get().hasFailed() && !former.equals(watched)) {
      watch(target, former.get(), remarks);
    }
    return former;
  }

  /**
   * Takes the lease.
   *
   * @param own the note of this restore
   * @param watched as {@link #await} returned it
   * @param threads number of stores that are opened at once
   * @param remarks lines for people
   * @throws RestoreRunsException when another restore runs; this restore has changed nothing
   * @throws IOException when the cluster has a catalog, or Kafka does not answer
   */
  static RestoreLease take(
      ClusterRestore.Clusters target,
      RestoreNote own,
      Optional<RestoreNote> watched,
      int threads,
      Consumer<String> remarks)
      throws IOException {
    Optional<RestoreNote> former = await(target, watched, remarks);
    Opened<CatalogStore> stores = new Opened<>();
    RestoreLease lease = new RestoreLease(target, stores, own);
    try {
      lease.begin(former, threads);
      return lease;
    } catch (IOException | RuntimeException e) {
      try (lease) {
        throw e;
      }
    }
  }

  private static void watch(
      ClusterRestore.Clusters target, RestoreNote former, Consumer<String> remarks)
      throws IOException {
    remarks.accept(
        "a restore into this cluster began at %s and has not ended: waits %d s to see whether it runs"
            .formatted(former.begun(), WATCH_MS / 1_000));
    long sinceNanos = target.nanos();
    while (target.nanos() - sinceNanos < WATCH_MS * 1_000_000) {
      target.pause(LOOK_MS);
      requireSame(former, target.catalogTexts());
    }
  }

  private static void requireSame(RestoreNote former, Map<String, String> texts)
      throws IOException {
    ClusterRestore.requireFree(texts);
    if (!RestoreNote.in(texts).equals(Optional.of(former))) {
      throw new RestoreRunsException(
          "another restore into this cluster runs, which began at %s; this restore has changed nothing. Wait until the other 'tunnel cluster restore' ends"
              .formatted(former.begun()));
    }
  }

  /** The catalog's store is open: the former restore can store no note any more. */
  private void begin(Optional<RestoreNote> former, int threads) throws IOException {
    ClusterRestore.requireFree(catalog.all());
    if (!RestoreNote.in(catalog.all()).equals(former)) {
      throw new RestoreRunsException(
          "another restore into this cluster began at the same time: both restores end, and this"
              + " restore has written nothing. Run the command once more when both restores have"
              + " ended");
    }
    note(note);
    beats = Optional.of(target.every(BEAT_MS, this::beat));
    openGroups(threads);
  }

  /** Opening a store takes several answers of Kafka, one after the other. */
  private void openGroups(int threads) throws IOException {
    SortedMap<Integer, CatalogStore> opened = Collections.synchronizedSortedMap(new TreeMap<>());
    List<Integer> ids = IntStream.range(0, Unit.TUNNEL_GROUPS).boxed().toList();
    try {
      var unused =
          SideBySide.all(
              "restore-open",
              IntStream.range(0, threads).boxed().toList(),
              ids,
              (thread, group) -> opened.put(group, target.group(group)) == null);
    } finally {
      new ArrayList<>(opened.values()).forEach(stores::add);
    }
    groups.putAll(opened);
  }

  /** The store of a group of tunnels. */
  CatalogStore group(int group) {
    return groups.get(group);
  }

  /** A note that Kafka stores late was sent once: the next note has another count. */
  private synchronized void note(RestoreNote next) throws IOException {
    long begunNanos = target.nanos();
    note = next;
    try {
      catalog.write(next.noting());
    } catch (FencedStoreException e) {
      fenced = Optional.of(e);
      throw lost(e);
    }
    notedNanos = begunNanos;
    state = State.NOTED;
  }

  /** A note that cannot be stored now is written again by the next beat. */
  private void beat() {
    try {
      confirm();
    } catch (IOException e) {
      LOGGER.debug("cannot renew the note of this restore", e);
    }
  }

  /**
   * Writes the note again, which proves that no other restore had opened the catalog before.
   *
   * @throws IOException when another restore has taken over, or Kafka does not store the note
   */
  synchronized void confirm() throws IOException {
    if (state == State.NOTED) {
      note(note.beat());
    }
  }

  /**
   * Refuses a write to the topics of tables. Any thread.
   *
   * @throws IOException when another restore has taken over, or may do so
   */
  void requireHeld() throws IOException {
    if (fenced.isPresent()) {
      throw lost(fenced.get());
    }
    long silentMs = (target.nanos() - notedNanos) / 1_000_000;
    if (silentMs >= HELD_MS) {
      throw new LogUnavailableException(
          "Kafka has stored no sign of life of this restore for %d ms, so another restore may begin: this restore ends. Run the command again when Kafka answers"
              .formatted(silentMs),
          null);
    }
  }

  /** The failure of a restore whose stores another program has opened. */
  static IOException lost(FencedStoreException reason) {
    return new IOException(
        "another restore, or a node, has taken over the topics of this cluster, so this restore"
            + " ends and its topics are lost. Run one 'tunnel cluster restore' at a time, and no"
            + " node meanwhile",
        reason);
  }

  /**
   * Writes the catalog instead of the note. Kafka refuses the write when another restore has opened
   * the catalog.
   */
  synchronized void end(Map<String, Optional<String>> texts) throws IOException {
    state = State.ENDED;
    try {
      catalog.write(texts);
    } catch (FencedStoreException e) {
      throw lost(e);
    }
  }

  /** Counts the records and snapshots that may still land in a topic of a table. Any thread. */
  AtomicLong unanswered() {
    return unanswered;
  }

  /**
   * Tells the next restore of a failure, so that the next restore need not wait. While a record may
   * still land, the next restore waits as after a crash: topics are written by their names.
   */
  private synchronized void tellFailure() {
    if (state != State.NOTED || fenced.isPresent() || unanswered.get() > 0) {
      return;
    }
    state = State.ENDED;
    try {
      catalog.write(note.failed().noting());
    } catch (IOException | RuntimeException e) {
      LOGGER.debug("cannot note the failure of this restore", e);
    }
  }

  @Override
  public void close() throws IOException {
    try (stores) {
      if (beats.isPresent()) {
        beats.get().close();
      }
      tellFailure();
    }
  }
}
