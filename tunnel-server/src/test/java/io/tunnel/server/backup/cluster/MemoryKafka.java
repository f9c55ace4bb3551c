package io.tunnel.server.backup.cluster;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.TableRecord;
import io.tunnel.server.catalog.store.CatalogStore;
import io.tunnel.server.catalog.store.FencedStoreException;
import io.tunnel.server.catalog.store.MemoryCatalogStore;
import io.tunnel.server.catalog.store.UnknownOutcomeException;
import io.tunnel.server.replica.append.ReadableAppendLog;
import io.tunnel.server.replica.append.RestoredLogs;
import io.tunnel.server.replica.snapshot.SnapshotBlocks;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The topics of a cluster, which several programs use. The last opener of a store writes it. */
final class MemoryKafka {

  static final Bytes ORIGIN = Bytes.copyOf(new byte[] {1});

  final RestoredLogs logs = new RestoredLogs();
  final TreeMap<String, String> catalog = new TreeMap<>();
  final List<TreeMap<String, String>> groups = new ArrayList<>();

  /** The id of the topics of each table that exists. */
  final TreeMap<Integer, Integer> topics = new TreeMap<>();

  /** What nodes would say of new topics. */
  List<String> problems = List.of();

  /** Whether Kafka is asked in vain to delete topics, for 10 s each time. */
  boolean keepsTopics;

  /** Whether writes of stores are stored, and the writers hear too late of it. */
  boolean isLate;

  long waitMsMax = 60_000;

  /** Writes of stores that succeed. */
  int writesLeft = Integer.MAX_VALUE;

  private final IdentityHashMap<Map<String, String>, Object> writers = new IdentityHashMap<>();
  private int topicsCreated;

  MemoryKafka() {
    for (int i = 0; i < 16; i++) {
      groups.add(new TreeMap<>());
    }
  }

  /** A program that restores. */
  Program program() {
    return new Program();
  }

  /** The origin of the topics of a table. */
  Bytes origin(int tableId) {
    return Bytes.copyOf(new byte[] {9, (byte) tableId, topics.get(tableId).byteValue()});
  }

  Catalog read() throws IOException {
    MemoryCatalogStore store = new MemoryCatalogStore();
    Map<String, Optional<String>> texts = new TreeMap<>();
    catalog.forEach((name, text) -> texts.put(name, Optional.of(text)));
    store.write(texts);
    return new Catalog(store);
  }

  /** The death of a program. */
  static final class Crash extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  /** What one program has of Kafka, and its clock. */
  final class Program implements ClusterRestore.Clusters {

    /** Is run before each request. */
    private Runnable beforeRequest = () -> {};

    /** Is run before each look at the clock. */
    private Runnable beforeLook = () -> {};

    /** Is run in each pause, after the clock of this program. */
    private Runnable meanwhile = () -> {};

    private long nanos = 1_000_000_000_000L;
    private Optional<Runnable> beat = Optional.empty();
    private boolean isDead;
    int requests;

    /** Looks at the clock: a restore looks before each record and block. */
    int looks;

    /** Looks before the program has opened the logs of tables. */
    int looksBeforeLogs;

    /** Before look {@code number} at the clock, an action is run, once. */
    void beforeLook(int number, Runnable action) {
      beforeLook =
          () -> {
            if (looks == number) {
              beforeLook = () -> {};
              action.run();
            }
          };
    }

    /** Before look {@code number} at the clock, the program dies. */
    void dieBeforeLook(int number) {
      beforeLook(
          number,
          () -> {
            isDead = true;
            throw new Crash();
          });
    }

    /** Before request {@code number}, an action is run, once. */
    void before(int number, Runnable action) {
      beforeRequest =
          () -> {
            if (requests == number) {
              beforeRequest = () -> {};
              action.run();
            }
          };
    }

    void inEachPause(Runnable action) {
      meanwhile = action;
    }

    /** Runs what the thread of this program runs again and again. */
    void beat() {
      beat.ifPresent(Runnable::run);
    }

    void advance(long ms) {
      nanos += ms * 1_000_000;
    }

    /** Before request {@code number}, the program dies: nothing that it does counts any more. */
    void dieBefore(int number) {
      before(
          number,
          () -> {
            isDead = true;
          });
    }

    private void request() {
      requests++;
      beforeRequest.run();
      if (isDead) {
        throw new Crash();
      }
    }

    /** A store that is open; another opener fences it. */
    private final class Texts implements CatalogStore {
      private final Map<String, String> texts;
      private final Map<String, String> known;

      Texts(Map<String, String> texts) {
        this.texts = texts;
        this.known = new TreeMap<>(texts);
        writers.put(texts, this);
      }

      @Override
      public Map<String, String> all() {
        return Map.copyOf(known);
      }

      @Override
      public void write(Map<String, Optional<String>> changes) throws IOException {
        request();
        if (writers.get(texts) != this) {
          throw new FencedStoreException("another program writes", new IOException());
        }
        writesLeft--;
        if (writesLeft < 0) {
          throw new IOException("the store is full");
        }
        CatalogStore.apply(changes, texts);
        CatalogStore.apply(changes, known);
        if (isLate) {
          throw new UnknownOutcomeException("no answer in time", new IOException());
        }
      }

      @Override
      public void close() {}
    }

    @Override
    public Bytes openState() {
      request();
      return ORIGIN;
    }

    @Override
    public Map<String, String> catalogTexts() {
      request();
      return Map.copyOf(catalog);
    }

    @Override
    public CatalogStore catalog() {
      request();
      return new Texts(catalog);
    }

    @Override
    public CatalogStore group(int group) {
      request();
      return new Texts(groups.get(group));
    }

    @Override
    public Map<String, Bytes> topicsOfTables() {
      request();
      Map<String, Bytes> found = new TreeMap<>();
      topics.keySet().forEach(id -> found.put(Integer.toString(id), origin(id)));
      return found;
    }

    @Override
    public void drop(Map<String, Bytes> dropped) {
      request();
      if (keepsTopics) {
        advance(10_000);
        return;
      }
      dropped.forEach(
          (name, origin) -> {
            int id = Integer.parseInt(name);
            if (topics.containsKey(id) && origin(id).equals(origin)) {
              topics.remove(id);
              logs.clear(id);
            }
          });
    }

    @Override
    public Bytes create(TableRecord table) throws IOException {
      request();
      if (topics.containsKey(table.tableId())) {
        throw new IOException("the topic has records of another table");
      }
      topicsCreated++;
      topics.put(table.tableId(), topicsCreated);
      return origin(table.tableId());
    }

    @Override
    public List<String> problems(List<TableRecord> tables) {
      request();
      return problems;
    }

    @Override
    public List<String> lost(List<TableRecord> tables) {
      request();
      return tables.stream()
          .filter(
              table ->
                  !topics.containsKey(table.tableId())
                      || !table.origin().orElseThrow().equals(origin(table.tableId())))
          .map(table -> "topic " + table.tableId() + " was created again")
          .toList();
    }

    @Override
    public ReadableAppendLog appends(Catalog known) {
      request();
      looksBeforeLogs = looks;
      return logs;
    }

    @Override
    public SnapshotBlocks blocks(Catalog known) {
      request();
      return logs;
    }

    @Override
    public long waitMsMax() {
      return waitMsMax;
    }

    @Override
    public long nanos() {
      looks++;
      beforeLook.run();
      return nanos;
    }

    @Override
    public void pause(long ms) {
      advance(ms);
      meanwhile.run();
    }

    @Override
    public Closeable every(long ms, Runnable action) {
      beat = Optional.of(action);
      return () -> beat = Optional.empty();
    }
  }
}
