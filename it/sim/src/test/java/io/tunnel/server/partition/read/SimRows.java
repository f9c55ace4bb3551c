package io.tunnel.server.partition.read;

import io.tunnel.codec.AutoNumbers;
import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.Binary;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.ColumnCursor;
import io.tunnel.codec.RowCursor;
import io.tunnel.core.WriterCore;
import io.tunnel.it.sim.truth.RowFold;
import io.tunnel.model.ChangeKind;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeyColumn;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.server.log.LocalLog;
import io.tunnel.server.log.ReplayVisitor;
import io.tunnel.server.partition.SeenChanges;
import io.tunnel.server.partition.SeenPlaces;
import io.tunnel.server.partition.ShardRows;
import io.tunnel.server.partition.judge.AnswerCodec;
import io.tunnel.server.partition.judge.BoundRows;
import io.tunnel.server.partition.judge.RowBounds;
import io.tunnel.server.partition.judge.WriterLimits;
import io.tunnel.server.partition.judge.Writers;
import io.tunnel.server.table.BesideRows;
import io.tunnel.server.table.Expiries;
import io.tunnel.server.table.Expiry;
import io.tunnel.server.table.ExpiryIndex;
import io.tunnel.server.table.SimTableRows;
import io.tunnel.server.table.TableFold;
import io.tunnel.server.table.TableRows;
import io.tunnel.server.table.TableStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;
import java.util.function.LongFunction;

/**
 * The rows of a shard in memory, where a real one has RocksDB. A crash leaves what there was at the
 * last flush; the log is synced before one, as RocksDB's is.
 */
public final class SimRows implements ShardRows {

  /** A key for rows of which only the columns are looked at. */
  private static final PrimaryKey KEY =
      PrimaryKey.of(new PrimaryKeyColumn("id", PrimaryKeyValue.fromLong(0)));

  private final TreeMap<Integer, RowFold> rows = new TreeMap<>();
  private Optional<SimRows> stored = Optional.empty();
  private final TreeMap<Integer, Bytes> storedBounds = new TreeMap<>();
  private final TreeMap<Bytes, Bytes> storedWriters = new TreeMap<>();
  private final TreeMap<Bytes, Bytes> storedSessions = new TreeMap<>();
  private SeenChanges seen = SeenChanges.of(RowBounds.unknown());
  private long foldedOffset;

  /** Entries by partition, as a store has them beside the rows. */
  private final Map<Integer, Set<ExpiryIndex.Entry>> entries = new TreeMap<>();

  private Expiries lives = Expiries.NONE;
  private LocalLog log;
  private IntPredicate live = partition -> true;

  /**
   * What the catalog knows of rows.
   *
   * @param owners whose a row session is, as {@code BoundRows} asks
   * @param auto the AUTO column of a partition's keys, if they have one
   */
  public record Known(
      LongFunction<Optional<String>> owners, IntFunction<Optional<AutoNumbers>> auto) {}

  /** What a crash leaves, of a process or of its machine. */
  public SimRows afterDeath() {
    return of(stored);
  }

  /** What a store holds, before anything of its log is folded. */
  public static SimRows of(Optional<SimRows> stored) {
    SimRows left = stored.map(SimRows::copy).orElseGet(SimRows::new);
    left.stored = stored;
    return left;
  }

  /** What was stored last; never changes. */
  public Optional<SimRows> stored() {
    return stored;
  }

  private SimRows copy() {
    SimRows copy = new SimRows();
    rows.forEach((partition, fold) -> copy.rows.put(partition, fold.copy()));
    copy.storedBounds.putAll(storedBounds);
    copy.storedWriters.putAll(storedWriters);
    copy.storedSessions.putAll(storedSessions);
    entries.forEach((partition, of) -> copy.of(partition, copy.entries).addAll(of));
    copy.foldedOffset = foldedOffset;
    return copy;
  }

  /** Takes in what a log has that was not folded when the rows were stored. */
  public void open(LocalLog own, IntPredicate isLive, Expiries expiries, Known known)
      throws IOException {
    log = own;
    live = isLive;
    lives = expiries;
    rows.keySet().removeIf(partition -> !isLive.test(partition));
    entries.keySet().removeIf(partition -> !isLive.test(partition));
    storedSessions.keySet().removeIf(row -> !isLive.test(Binary.getInt(row.toByteArray(), 0)));
    // So few writers, for so short a time, that writers are forgotten in the middle of a world.
    Writers writers =
        new Writers(
            storedWriters::forEach,
            new WriterLimits.Share(3, 200),
            AnswerCodec::shortened,
            memory -> new WriterCore(2, 3_000_000, memory));
    seen =
        new SeenChanges(
            new RowBounds(storedBounds),
            writers,
            new BoundRows(storedSessions, known.owners()),
            SeenPlaces.NONE,
            known.auto());
    own.replay(
        foldedOffset,
        new ReplayVisitor() {
          @Override
          public void batch(ChangeBatch batch) {
            if (isLive.test(batch.partition())) {
              fold(batch);
              seen.saw(batch);
            }
          }

          @Override
          public void answers(ChangeBatch batch) {
            if (isLive.test(batch.partition())) {
              seen.saw(batch);
            }
          }

          @Override
          public void groupEnd(long end) {
            foldedOffset = end;
            store(seen.takeRaised());
          }
        });
  }

  private void fold(ChangeBatch batch) {
    of(batch.partition()).apply(batch);
    Expiry expiry = lives.apply(batch.partition());
    for (RowCursor row = batch.rows(); expiry.isOn() && row.next(); ) {
      if (row.kind() != ChangeKind.DELETE) {
        Bytes key = Bytes.copyOf(batch.array(), row.keyOffset(), row.keyBytes());
        of(batch.partition(), entries)
            .add(new ExpiryIndex.Entry(expiry.indexMicros(batch.commitMicros()), key));
      }
    }
  }

  private Set<ExpiryIndex.Entry> of(int partition, Map<Integer, Set<ExpiryIndex.Entry>> from) {
    return from.computeIfAbsent(
        partition,
        id ->
            new TreeSet<>(
                Comparator.comparingLong(ExpiryIndex.Entry::micros)
                    .thenComparing(ExpiryIndex.Entry::key)));
  }

  @Override
  public Expiries lives() {
    return lives;
  }

  @Override
  public ExpiryIndex expiries() {
    return new ExpiryIndex() {
      @Override
      public List<Entry> first(int partition, long fromMicros, int countMax) {
        return of(partition, entries).stream()
            .filter(entry -> entry.micros() >= fromMicros)
            .limit(countMax)
            .toList();
      }

      @Override
      public void change(int partition, List<Entry> removed, List<Entry> added) {
        of(partition, entries).removeAll(Set.copyOf(removed));
        of(partition, entries).addAll(added);
      }
    };
  }

  @Override
  public long commitMicros(int partition, Bytes key) {
    RowFold fold = of(partition);
    return fold.rows().containsKey(key) ? fold.commitMicros(key) : 0;
  }

  /** Entries of the index of rows that will expire. */
  public long expiryEntries() {
    return entries.values().stream().mapToLong(Set::size).sum();
  }

  /** The rows of a partition. */
  public RowFold of(int partition) {
    return rows.computeIfAbsent(partition, id -> new RowFold());
  }

  @Override
  public SeenChanges seen() {
    return seen;
  }

  private void store(BesideRows beside) {
    storedBounds.putAll(beside.bounds());
    store(beside.writers(), storedWriters);
    store(beside.sessions(), storedSessions);
  }

  private static void store(Map<Bytes, Bytes> raised, Map<Bytes, Bytes> known) {
    raised.forEach(
        (key, value) -> {
          if (value.length() == 0) {
            known.remove(key);
          } else {
            known.put(key, value);
          }
        });
  }

  @Override
  public boolean isLive(int partition) {
    return live.test(partition);
  }

  @Override
  public boolean exists(int partition, byte[] array, int keyOffset, int keyBytes) {
    return of(partition).rows().containsKey(Bytes.copyOf(array, keyOffset, keyBytes));
  }

  @Override
  public Optional<SortedMap<String, Bytes>> columns(int partition, Bytes key) {
    return Optional.ofNullable(of(partition).rows().get(key)).map(SimRows::encoded);
  }

  private static SortedMap<String, Bytes> encoded(Map<String, ColumnValue> columns) {
    List<Column> ofRow = new ArrayList<>();
    columns.forEach((name, value) -> ofRow.add(new Column(name, value)));
    BatchBuilder builder = new BatchBuilder(RowFold.SCHEMA, 256);
    if (!builder.add(new RowPutChange(KEY, ofRow))) {
      throw new IllegalStateException("a row of a simulation is too large for a batch");
    }
    byte[] array = builder.build(0);
    RowCursor row = ChangeBatch.parse(array, 0, array.length).rows();
    row.next();
    SortedMap<String, Bytes> encoded = new TreeMap<>();
    ColumnCursor at = row.columns();
    while (at.next()) {
      encoded.put(
          row.batch().name(at.nameIndex()),
          Bytes.copyOf(array, at.typeOffset(), at.columnEnd() - at.typeOffset()));
    }
    return encoded;
  }

  /** Folds a batch at a time, so other tasks come between two batches. */
  @Override
  public TableFold begin(List<ChangeBatch> batches, BesideRows beside) {
    store(beside);
    Iterator<ChangeBatch> left = batches.iterator();
    return (offsets, mayGoOn) -> {
      if (left.hasNext()) {
        ChangeBatch batch = left.next();
        fold(batch);
      }
      if (left.hasNext()) {
        return false;
      }
      foldedOffset = offsets.after();
      return true;
    };
  }

  @Override
  public long durableOffset() {
    return stored.map(each -> each.foldedOffset).orElse(0L);
  }

  /** Ends at once. */
  @Override
  public void startFlush() throws IOException {
    log.sync();
    stored = Optional.of(copy());
  }

  @Override
  public void dropPartition(int partition) {
    rows.remove(partition);
    entries.remove(partition);
  }

  @Override
  public TableRows readable() {
    return new SimTableRows(
        rows::keySet,
        partition -> of(partition).columns(),
        (partition, key) -> of(partition).commitMicros(key));
  }

  @Override
  public TableStore store() {
    throw new UnsupportedOperationException("rows of a simulation are not in a TableStore");
  }

  @Override
  public void close() {
    // Nothing is held.
  }
}
