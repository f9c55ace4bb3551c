package io.tunnel.server;

import io.tunnel.model.RefusedException;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.CatalogStore;
import io.tunnel.server.cluster.ClusterConfig;
import io.tunnel.server.cluster.Membership;
import io.tunnel.server.kafka.KafkaCatalogStore;
import io.tunnel.server.kafka.KafkaCluster;
import io.tunnel.server.kafka.KafkaConfig;
import io.tunnel.server.kafka.KafkaTopics;
import io.tunnel.server.kafka.LogUnavailableException;
import io.tunnel.server.kafka.StoreTail;
import io.tunnel.server.kafka.StoreTopic;
import io.tunnel.server.log.EdgeQueries;
import io.tunnel.server.partition.TableLogs;
import io.tunnel.server.replica.SharedLog;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Everything that a node has in Kafka: changes, catalog, tunnels, and the group of all nodes. */
final class ClusterLog implements ClusterTunnels.Stores, Closeable {

  private static final Logger LOGGER = LoggerFactory.getLogger(ClusterLog.class);

  /** How long a start waits for a log that is not there yet. */
  private static final long START_WAIT_S = 60;

  private static final int ANSWER_MS_MAX = 1_000;

  private static final KafkaCatalogStore.Waits STORE_WAITS =
      new KafkaCatalogStore.Waits(15_000, 3_000);

  private final Parts parts = new Parts();
  private final SystemClock clock;
  private final NodeThreads threads;
  private final KafkaConfig config;
  private final KafkaCluster kafka;
  private final KafkaTopics topics;
  private final String kafkaId;
  private final Catalog catalog = new Catalog();
  private final TopicPlaces places;
  private final StoreTail tail;

  /**
   * Finds or makes the cluster's topics, and reads its catalog.
   *
   * @param threads those that the catalog and the groups of tunnels belong to
   * @throws IOException when Kafka cannot be reached, or a topic is not as it must be
   */
  ClusterLog(ServerConfig server, ClusterConfig cluster, NodeThreads threads, SystemClock clock)
      throws IOException {
    this.threads = threads;
    this.clock = clock;
    this.places =
        new TopicPlaces(catalog, () -> TimeUnit.MICROSECONDS.toMillis(clock.epochMicros()));
    config = config(server, cluster);
    try {
      kafka = parts.open(new KafkaCluster(config, clock));
      topics = kafka.topics();
      AtomicReference<String> id = new AtomicReference<>("");
      await(
          "say what it is called", () -> kafka.id(config.times().requestMs()).thenAccept(id::set));
      kafkaId = id.get();
      await("make or check the topics of cluster " + cluster.name(), topics::openState);
      tail = parts.open(new StoreTail(catalogTopic(), this::followed));
      await("read the catalog", this::caughtUp);
      await("check the topics of tables", this::checkTables);
    } catch (IOException | RuntimeException e) {
      parts.closeAfter(e);
      throw e;
    }
  }

  private static KafkaConfig config(ServerConfig server, ClusterConfig cluster) {
    ClusterConfig.Log log = cluster.log();
    KafkaConfig.Times times = server.log().kafka();
    return new KafkaConfig(
        String.join(",", log.bootstrap()),
        cluster.name(),
        new KafkaConfig.Replicas(log.replication(), log.minInsync()),
        new KafkaConfig.Times(
            log.sessionMs(), times.requestMs(), times.deliveryMs(), times.lingerMs()),
        "lz4",
        log.clientSettings());
  }

  private StoreTopic catalogTopic() {
    return topic(KafkaTopics.catalog(config.cluster()), 0);
  }

  private StoreTopic topic(String name, int partition) {
    return new StoreTopic(config.clientSettings(), name, partition);
  }

  private void followed(Map<String, Optional<String>> changes) {
    threads.control().execute(() -> catalog.followed(changes));
  }

  /** The catalog follows from now on. */
  private CompletableFuture<Void> caughtUp() {
    return afterAll(catalog::caughtUp);
  }

  /**
   * The catalog was told all that is stored by now; or, if this node has just ceased to decide
   * about tables, what it has to be told first, which was asked for before this.
   */
  private CompletableFuture<Void> told() {
    return afterAll(() -> {});
  }

  private CompletableFuture<Void> afterAll(Runnable then) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    tail.catchUp(
        () ->
            threads
                .control()
                .execute(
                    () -> {
                      then.run();
                      done.complete(null);
                    }));
    return done;
  }

  private CompletableFuture<Void> checkTables() {
    List<KafkaTopics.TableTopic> all =
        catalog.tables().stream()
            .map(table -> SharedTables.topic(table, table.meta().options()))
            .toList();
    return topics.checkTables(all);
  }

  /** Something in Kafka that can be asked for again. */
  private void await(String what, Supplier<CompletableFuture<Void>> asked) throws IOException {
    long deadline = clock.nanos() + TimeUnit.SECONDS.toNanos(START_WAIT_S);
    while (true) {
      try {
        asked.get().get(START_WAIT_S, TimeUnit.SECONDS);
        return;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted while waiting for Kafka to " + what, e);
      } catch (TimeoutException e) {
        throw unreachable(what, e);
      } catch (ExecutionException e) {
        if (!isPassing(e.getCause())) {
          throw new IOException("cannot " + what + ": " + e.getCause().getMessage(), e.getCause());
        }
        if (clock.nanos() - deadline >= 0) {
          throw unreachable(what, e.getCause());
        }
        LOGGER.warn("waiting for Kafka at {} to {}: {}", config.bootstrap(), what, message(e));
      }
    }
  }

  private static String message(ExecutionException e) {
    return String.valueOf(e.getCause().getMessage());
  }

  private static boolean isPassing(Throwable failure) {
    return failure instanceof LogUnavailableException
        || (failure instanceof RefusedException refused && refused.retriable());
  }

  private IOException unreachable(String what, Throwable cause) {
    return new IOException(
        "Kafka at "
            + config.bootstrap()
            + " did not "
            + what
            + " within "
            + START_WAIT_S
            + " s; is it running, and is --bootstrap right? ("
            + cause.getMessage()
            + ")",
        cause);
  }

  @Override
  public Catalog catalog() {
    return catalog;
  }

  /** Where partitions are. */
  TopicPlaces places() {
    return places;
  }

  /** Tells these copies apart from those of a log that was made anew under the same name. */
  String identity() {
    return config.cluster() + " of kafka " + kafkaId;
  }

  /** Whether the log answers at all, within a second or two. */
  boolean answers() {
    try {
      kafka.id(ANSWER_MS_MAX).get(2 * ANSWER_MS_MAX, TimeUnit.MILLISECONDS);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } catch (ExecutionException | TimeoutException e) {
      return false;
    }
  }

  /** The changes of all partitions; to be closed before this. */
  SharedLog openChanges() {
    return kafka.openLog(places);
  }

  @Override
  public EdgeQueries edges() {
    return new SharedEdgeQueries(kafka.edges(places));
  }

  /** The logs of tables. */
  TableLogs tables() {
    return new SharedTables(topics);
  }

  /** The group of all nodes. */
  Membership.Factory group() {
    return kafka.memberships();
  }

  @Override
  public LedStore.Leader catalogLeader() {
    LeftTopics left =
        new LeftTopics(
            topics::tables,
            table -> catalog.isLeading() && catalog.isDropped(table),
            topics::dropTable,
            threads.control());
    return new LedCatalog(catalog, tail::catchUp, threads.control(), left);
  }

  @Override
  public CatalogStore openCatalog(KafkaCatalogStore.Listener listener) throws IOException {
    return open(
        catalogTopic(),
        config.cluster() + ".catalog",
        new KafkaCatalogStore.Owner(threads.control(), listener));
  }

  @Override
  public CatalogStore openGroup(int group, KafkaCatalogStore.Listener listener) throws IOException {
    await("read the catalog", this::told);
    return open(
        topic(KafkaTopics.tunnels(config.cluster()), group),
        config.cluster() + ".tunnels-" + group,
        new KafkaCatalogStore.Owner(threads.ofGroup(group), listener));
  }

  private CatalogStore open(StoreTopic topic, String transactionalId, KafkaCatalogStore.Owner owner)
      throws IOException {
    return KafkaCatalogStore.open(topic, transactionalId, STORE_WAITS, clock::nanos, owner);
  }

  @Override
  public void close() throws IOException {
    parts.close();
  }
}
