package io.tunnel.server.backup.cluster;

import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.RestoreNote;
import io.tunnel.server.catalog.TableRecord;
import io.tunnel.server.catalog.store.CatalogStore;
import io.tunnel.server.catalog.store.FencedStoreException;
import io.tunnel.server.catalog.store.StoreListener;
import io.tunnel.server.kafka.KafkaCluster;
import io.tunnel.server.kafka.KafkaConfig;
import io.tunnel.server.kafka.KafkaTopics;
import io.tunnel.server.kafka.LogUnavailableException;
import io.tunnel.server.kafka.TopicPlaces;
import io.tunnel.server.kafka.store.KafkaCatalogStore;
import io.tunnel.server.kafka.store.StoreTail;
import io.tunnel.server.kafka.store.StoreTopic;
import io.tunnel.server.partition.Shard;
import io.tunnel.server.replica.append.ReadableAppendLog;
import io.tunnel.server.replica.snapshot.SnapshotBlocks;
import java.io.Closeable;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The topics of a cluster in Kafka, as backups and restores use them. Any number of threads may
 * call: of {@link #THREADS}, each with logs of its own, a restore holds 40 MiB at most, and a
 * backup 16 MiB and the 128 MiB of the rows that the shard has not written to its files.
 */
public final class KafkaClusters
    implements ClusterRestore.Clusters, ClusterBackup.Clusters, Closeable {

  /**
   * Partitions, or stores of tunnels, that are read or written at once. Most of the time of each is
   * a wait for Kafka's next answer.
   */
  public static final int THREADS = 4;

  private static final String FETCH_WAIT = "fetch.max.wait.ms";

  /**
   * How long a broker holds the question for records that do not exist yet. A consumer that has
   * read all records asks for more at once, and answers its next request after this question.
   */
  private static final String FETCH_WAIT_MS = "20";

  /** Longest wait for one answer, retries included. */
  private static final long WAIT_MS_MAX = 60_000;

  /** Longest wait for the first answer of Kafka. */
  private static final int ASK_MS = 30_000;

  private static final KafkaCatalogStore.Waits STORE_WAITS =
      new KafkaCatalogStore.Waits(60_000, 60_000);

  private final KafkaConfig config;
  private final Shard.Clock clock;
  private final KafkaCluster kafka;

  /** Connects at the first request. */
  public KafkaClusters(KafkaConfig config, Shard.Clock clock) throws IOException {
    this.config = hasty(config);
    this.clock = clock;
    this.kafka = new KafkaCluster(this.config, clock);
  }

  private static KafkaConfig hasty(KafkaConfig config) {
    Map<String, String> properties = new HashMap<>(config.properties());
    properties.putIfAbsent(FETCH_WAIT, FETCH_WAIT_MS);
    return new KafkaConfig(
        config.bootstrap(),
        config.cluster(),
        config.replicas(),
        config.times(),
        config.compression(),
        properties);
  }

  /** Hears nothing: a write that takes too long fails the restore. */
  private static final class Deaf implements StoreListener {
    @Override
    public void stored(Map<String, Optional<String>> changes) {}

    @Override
    public void fenced(FencedStoreException reason) {}
  }

  /** Repeats a question while Kafka cannot answer now. */
  private <T> T answer(String what, Supplier<CompletableFuture<T>> asked) throws IOException {
    long deadlineNanos = clock.nanos() + TimeUnit.MILLISECONDS.toNanos(WAIT_MS_MAX);
    while (true) {
      try {
        return asked.get().get(WAIT_MS_MAX, TimeUnit.MILLISECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted while waiting for Kafka to " + what, e);
      } catch (TimeoutException e) {
        throw new LogUnavailableException("Kafka at " + config.bootstrap() + " did not " + what, e);
      } catch (ExecutionException e) {
        boolean mayPass =
            e.getCause() instanceof LogUnavailableException
                || (e.getCause() instanceof RefusedException refused && refused.retriable());
        if (!mayPass) {
          throw new IOException("cannot " + what + ": " + e.getCause().getMessage(), e);
        }
        if (clock.nanos() - deadlineNanos >= 0) {
          throw new LogUnavailableException("cannot " + what + ": " + e.getCause().getMessage(), e);
        }
      }
    }
  }

  @Override
  public Bytes openState() throws IOException {
    String catalog = KafkaTopics.catalog(config.cluster());
    var unused = answer("create the topics of the catalog", () -> kafka.topics().openState());
    return answer("tell the id of topic " + catalog, () -> kafka.topics().origin(catalog));
  }

  @Override
  public CatalogStore catalog() throws IOException {
    return store(KafkaTopics.catalog(config.cluster()), 0, ".catalog");
  }

  @Override
  public CatalogStore group(int group) throws IOException {
    return store(KafkaTopics.tunnels(config.cluster()), group, ".tunnels-" + group);
  }

  /** A node that leads the store has the same transactional id, so Kafka fences one of both. */
  private CatalogStore store(String topic, int partition, String writer) throws IOException {
    return KafkaCatalogStore.open(
        new StoreTopic(config.clientSettings(), topic, partition),
        config.cluster() + writer,
        STORE_WAITS,
        clock::nanos,
        new KafkaCatalogStore.Owner(Runnable::run, new Deaf()));
  }

  @Override
  public Map<String, String> catalogTexts() throws IOException {
    return texts(KafkaTopics.catalog(config.cluster()), 0);
  }

  @Override
  public Map<String, String> groupTexts(int group) throws IOException {
    return texts(KafkaTopics.tunnels(config.cluster()), group);
  }

  /** Reads a store, and writes nothing. */
  private Map<String, String> texts(String topic, int partition) throws IOException {
    var unused = answer("describe topic " + topic, () -> kafka.topics().origin(topic));
    Map<String, String> texts = new ConcurrentHashMap<>();
    CompletableFuture<Boolean> isRead = new CompletableFuture<>();
    try (StoreTail tail =
        new StoreTail(
            new StoreTopic(config.clientSettings(), topic, partition),
            changes -> CatalogStore.apply(changes, texts))) {
      tail.catchUp(() -> isRead.complete(true));
      var unusedEnd = answer("read topic " + topic, () -> isRead);
    }
    return Map.copyOf(texts);
  }

  /**
   * Refuses a Kafka that does not answer, before a command does anything else.
   *
   * @throws LogUnavailableException when no broker answers within {@value #ASK_MS} ms
   * @throws IOException when the brokers refuse this user
   */
  public void requireReachable() throws IOException {
    try {
      var unused = kafka.id(ASK_MS).get(WAIT_MS_MAX, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while waiting for Kafka", e);
    } catch (TimeoutException e) {
      throw unreachable(e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof LogUnavailableException) {
        throw unreachable(e);
      }
      throw new IOException(e.getCause().getMessage(), e);
    }
  }

  private LogUnavailableException unreachable(Exception reason) {
    return new LogUnavailableException(
        "no broker of Kafka answers at "
            + config.bootstrap()
            + "; are --bootstrap and --kafka-config right, and do the brokers run?",
        reason);
  }

  /**
   * Refuses a cluster that does not exist.
   *
   * @throws NoSuchClusterException when Kafka has no topic of the cluster's catalog
   */
  public void requireCluster() throws IOException {
    if (!hasCatalog()) {
      throw new NoSuchClusterException(
          "there is no cluster '%s' in Kafka at %s: topic %s does not exist; is --cluster right?"
              .formatted(
                  config.cluster(), config.bootstrap(), KafkaTopics.catalog(config.cluster())));
    }
  }

  /**
   * Refuses a cluster that has a catalog, or into which another restore runs, before a command
   * copies anything for it. Waits for 65 s where a former restore may run.
   *
   * @param remarks lines for people
   * @return the note of a former restore that runs no more, for {@link ClusterRestore#run}
   * @throws RestoreRunsException when another restore runs
   * @throws IOException says what to do
   */
  public Optional<RestoreNote> requireFree(Consumer<String> remarks) throws IOException {
    return hasCatalog() ? RestoreLease.await(this, Optional.empty(), remarks) : Optional.empty();
  }

  private boolean hasCatalog() throws IOException {
    String catalog = KafkaTopics.catalog(config.cluster());
    return answer("describe topic " + catalog, () -> kafka.topics().exists(catalog));
  }

  @Override
  public Map<String, Bytes> topicsOfTables() throws IOException {
    return answer("list its topics", kafka::appendTopicsOfTables);
  }

  @Override
  public void drop(Map<String, Bytes> topics) throws IOException {
    var unused = answer("delete topics of a failed restore", () -> kafka.dropTopics(topics));
  }

  @Override
  public List<String> problems(List<TableRecord> tables) throws IOException {
    return answer("describe the topics of tables", () -> kafka.tables().check(tables));
  }

  @Override
  public List<String> lost(List<TableRecord> tables) throws IOException {
    return answer("tell the ids of the topics of tables", () -> kafka.tables().lost(tables));
  }

  @Override
  public long nanos() {
    return clock.nanos();
  }

  @Override
  public void pause(long ms) throws IOException {
    long fromNanos = clock.nanos();
    long waitNanos = TimeUnit.MILLISECONDS.toNanos(ms);
    for (long left = waitNanos; left > 0; left = waitNanos - (clock.nanos() - fromNanos)) {
      LockSupport.parkNanos(left);
      if (Thread.currentThread().isInterrupted()) {
        throw new IOException("interrupted");
      }
    }
  }

  @Override
  public Closeable every(long ms, Runnable action) {
    ScheduledExecutorService thread =
        Executors.newSingleThreadScheduledExecutor(
            task -> {
              Thread made = new Thread(task, "restore-beat");
              made.setDaemon(true);
              return made;
            });
    var unused = thread.scheduleWithFixedDelay(action, ms, ms, TimeUnit.MILLISECONDS);
    return thread::shutdown;
  }

  @Override
  public Bytes create(TableRecord table) throws IOException {
    return answer(
            "create the topics of table " + table.meta().name(), () -> kafka.tables().create(table))
        .orElseThrow();
  }

  private TopicPlaces places(Catalog tables) {
    return new TopicPlaces(tables, () -> TimeUnit.MICROSECONDS.toMillis(clock.epochMicros()));
  }

  @Override
  public ReadableAppendLog appends(Catalog tables) {
    return kafka.openAppends(places(tables));
  }

  @Override
  public SnapshotBlocks blocks(Catalog tables) {
    return kafka.openBlocks(places(tables));
  }

  @Override
  public long waitMsMax() {
    return WAIT_MS_MAX;
  }

  @Override
  public void close() {
    kafka.close();
  }
}
