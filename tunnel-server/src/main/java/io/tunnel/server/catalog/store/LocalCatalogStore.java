package io.tunnel.server.catalog.store;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.disk.DiskCondition;
import io.tunnel.server.disk.DiskFullException;
import io.tunnel.server.disk.DiskWatch;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A catalog on this machine's disk, which recovers by itself from a disk that failed for a while.
 *
 * <p>After a failed write or sync it is unknown what the disk holds, and a repeated sync proves
 * nothing, since the system forgets what it could not write. So the store rolls the write back: it
 * notes the former texts, opens its files again, which makes all that is read durable in new files,
 * and writes the former texts. The store refuses writes until the roll-back has succeeded. The
 * caller of the failed write hears {@link UnknownOutcomeException}: a crash before the roll-back
 * may leave the write stored.
 *
 * <p>One thread at a time writes and {@linkplain #tend tends}; {@link #condition}, {@link #syncs}
 * and {@link #isInDoubt} are for any thread, and wait for nothing.
 */
final class LocalCatalogStore implements CatalogStore {

  private static final Logger LOGGER = LoggerFactory.getLogger(LocalCatalogStore.class);

  /** Pause before the first attempt to recover; doubles with each failure. */
  static final long PAUSE_NANOS_MIN = TimeUnit.MILLISECONDS.toNanos(200);

  /** Longest pause between two attempts to recover. */
  static final long PAUSE_NANOS_MAX = TimeUnit.SECONDS.toNanos(10);

  private final CatalogFile.Opener opener;
  private final LongSupplier nanos;
  private final DiskWatch watch;
  private volatile StoreState state = StoreState.SERVING;

  /** Whether the last failure was a lack of space; of use only IN_DOUBT. */
  private volatile boolean isFull;

  /** Present while SERVING; IN_DOUBT absent from a close until the next opening. */
  private Optional<CatalogFile> file;

  /** Names of the write in doubt; empty while SERVING. */
  private Set<String> doubtful = Set.of();

  /** The texts before the write in doubt, once they are read. */
  private Optional<Map<String, Optional<String>>> former = Optional.empty();

  private String reason = "";
  private long pauseNanos;
  private long retryNanos;

  /** Syncs of files that are closed, and of the open one. */
  private long closedSyncs;

  private volatile long syncs;

  /** Opens the store. */
  LocalCatalogStore(CatalogFile.Opener opener, LongSupplier nanos) throws IOException {
    this.opener = opener;
    this.nanos = nanos;
    this.watch = new DiskWatch(nanos);
    this.file = Optional.of(opener.open());
  }

  @Override
  public synchronized Map<String, String> all() throws IOException {
    requireOpen();
    return file.orElseThrow(this::unavailable).all();
  }

  @Override
  public synchronized void write(Map<String, Optional<String>> changes) throws IOException {
    requireOpen();
    if (state == StoreState.IN_DOUBT) {
      throw unavailable();
    }
    watch.began();
    try {
      file.orElseThrow().write(changes);
    } catch (IOException e) {
      doubt(changes.keySet(), e);
      throw new UnknownOutcomeException(
          "the disk of the server's catalog failed while it stored this; the server rolls it back"
              + " when the disk recovers ("
              + e.getMessage()
              + ")",
          e);
    } finally {
      watch.ended();
      count();
    }
  }

  private void requireOpen() {
    if (state == StoreState.CLOSED) {
      throw new RefusedException(ErrorCode.SHUTTING_DOWN, "the server is stopping");
    }
  }

  private StoreUnavailableException unavailable() {
    return new StoreUnavailableException(
        "the disk of the server's catalog failed, and this attempt stored nothing (an attempt from"
            + " before the failure may have); the server recovers the catalog when the disk does ("
            + reason
            + ")");
  }

  private void doubt(Set<String> names, IOException failure) {
    move(StoreState.IN_DOUBT);
    doubtful = Set.copyOf(names);
    former = Optional.empty();
    pauseNanos = PAUSE_NANOS_MIN;
    failed(failure);
    LOGGER.error(
        "cannot write the catalog; refusing changes of tables, tunnels, keys and checkpoints until"
            + " its disk recovers",
        failure);
  }

  private void failed(IOException failure) {
    reason = failure.getMessage();
    isFull = failure instanceof DiskFullException;
    retryNanos = nanos.getAsLong() + pauseNanos;
  }

  /** Tries to recover when an attempt is due. */
  @Override
  public synchronized void tend() {
    if (state != StoreState.IN_DOUBT || nanos.getAsLong() - retryNanos < 0) {
      return;
    }
    watch.began();
    try {
      recover();
    } catch (IOException e) {
      pauseNanos = Math.min(PAUSE_NANOS_MAX, 2 * pauseNanos);
      failed(e);
      LOGGER.warn(
          "cannot recover the catalog; will retry in {} ms: {}",
          TimeUnit.NANOSECONDS.toMillis(pauseNanos),
          reason);
    } finally {
      watch.ended();
      count();
    }
  }

  private void recover() throws IOException {
    if (former.isEmpty()) {
      former = Optional.of(file.orElseThrow().texts(doubtful));
    }
    closeFile();
    CatalogFile opened = opener.open();
    file = Optional.of(opened);
    opened.write(former.get());
    doubtful = Set.of();
    former = Optional.empty();
    move(StoreState.SERVING);
    LOGGER.info("the catalog has recovered: its last write was rolled back, and writes continue");
  }

  private void closeFile() {
    count();
    closedSyncs = syncs;
    file.ifPresent(CatalogFile::close);
    file = Optional.empty();
  }

  private void count() {
    syncs = closedSyncs + file.map(CatalogFile::syncs).orElse(0L);
  }

  private void move(StoreState next) {
    if (!state.next().contains(next)) {
      throw new IllegalStateException("a catalog's store cannot go from " + state + " to " + next);
    }
    state = next;
  }

  @Override
  public boolean isInDoubt() {
    return state == StoreState.IN_DOUBT;
  }

  @Override
  public DiskCondition condition() {
    if (state == StoreState.IN_DOUBT) {
      return isFull ? DiskCondition.DISK_FULL : DiskCondition.STORAGE_FAILED;
    }
    return watch.isStalled() ? DiskCondition.DISK_STALLED : DiskCondition.UP;
  }

  @Override
  public long syncs() {
    return syncs;
  }

  @Override
  public synchronized void close() {
    closeFile();
    move(StoreState.CLOSED);
  }

  /** What the disk of a local catalog allows. */
  private enum StoreState {
    /** Everything. */
    SERVING,
    /**
     * A write failed, and the disk may hold it or not: the store refuses writes until it has opened
     * its files again and rolled the write back.
     */
    IN_DOUBT,
    /** The store is closed. */
    CLOSED;

    /** The states that may follow this state. */
    Set<StoreState> next() {
      return switch (this) {
        case SERVING -> Set.of(IN_DOUBT, CLOSED);
        case IN_DOUBT -> Set.of(SERVING, CLOSED);
        case CLOSED -> Set.of(CLOSED);
      };
    }
  }
}
