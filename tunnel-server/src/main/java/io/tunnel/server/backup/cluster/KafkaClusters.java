package io.tunnel.server.backup.cluster;

import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.Catalog;
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
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
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
        throw new IOException("Kafka at " + config.bootstrap() + " did not " + what, e);
      } catch (ExecutionException e) {
        boolean mayPass =
            e.getCause() instanceof LogUnavailableException
                || (e.getCause() instanceof RefusedException refused && refused.retriable());
        if (!mayPass || clock.nanos() - deadlineNanos >= 0) {
          throw new IOException("cannot " + what + ": " + e.getCause().getMessage(), e);
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

  @Override
  public void dropTables() throws IOException {
    long deadlineNanos = clock.nanos() + TimeUnit.MILLISECONDS.toNanos(WAIT_MS_MAX);
    while (!answer("list its topics", () -> kafka.tables().tables()).isEmpty()) {
      if (clock.nanos() - deadlineNanos >= 0) {
        throw new IOException("Kafka did not delete the topics of a failed restore in time");
      }
      var unused = answer("delete topics of a failed restore", kafka::dropAppendTables);
    }
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
