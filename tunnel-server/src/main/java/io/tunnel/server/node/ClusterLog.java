package io.tunnel.server.node;

import io.tunnel.model.Level;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.CatalogIdentity;
import io.tunnel.server.catalog.ChannelGrants;
import io.tunnel.server.catalog.DroppedLog;
import io.tunnel.server.catalog.Founding;
import io.tunnel.server.catalog.LogForm;
import io.tunnel.server.catalog.store.CatalogStore;
import io.tunnel.server.catalog.store.StoreListener;
import io.tunnel.server.cluster.ClusterConfig;
import io.tunnel.server.cluster.Membership;
import io.tunnel.server.config.ServerConfig;
import io.tunnel.server.engine.Parts;
import io.tunnel.server.engine.SystemClock;
import io.tunnel.server.engine.WiringChance;
import io.tunnel.server.kafka.KafkaCluster;
import io.tunnel.server.kafka.KafkaConfig;
import io.tunnel.server.kafka.KafkaTopics;
import io.tunnel.server.kafka.LogUnavailableException;
import io.tunnel.server.kafka.LostTopicsException;
import io.tunnel.server.kafka.TableTopics;
import io.tunnel.server.kafka.TopicPlaces;
import io.tunnel.server.kafka.store.KafkaCatalogStore;
import io.tunnel.server.kafka.store.StoreTail;
import io.tunnel.server.kafka.store.StoreTopic;
import io.tunnel.server.partition.TableLogs;
import io.tunnel.server.replica.ReplicasIdentity;
import io.tunnel.server.replica.append.ReadableAppendLog;
import io.tunnel.server.replica.append.TopicProblems;
import io.tunnel.server.replica.snapshot.SnapshotBlocks;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Everything that a node uses in Kafka: changes, catalog, tunnels, and the group of all nodes. */
final class ClusterLog implements ClusterTunnels.Stores, Closeable {

  private static final Logger LOGGER = LoggerFactory.getLogger(ClusterLog.class);

  /** Longest wait of a start for Kafka, in seconds. */
  private static final long START_WAIT_S = 60;

  private static final int ANSWER_MS_MAX = 1_000;

  private static final KafkaCatalogStore.Waits STORE_WAITS =
      new KafkaCatalogStore.Waits(15_000, 3_000);

  private final Parts parts = new Parts();
  private final SystemClock clock;
  private final NodeThreads threads;
  private final LogForm form;
  private final KafkaConfig config;
  private final KafkaCluster kafka;
  private final KafkaTopics topics;
  private final TableTopics tables;
  private final String kafkaId;
  private final Bytes catalogOrigin;
  private final Bytes tunnelsOrigin;
  private final CatalogIdentity catalogIdentity;
  private final Catalog catalog = new Catalog();
  private final TopicPlaces places;
  private final StoreTail tail;

  /**
   * Finds or creates the cluster's topics, and reads its catalog.
   *
   * @param threads the threads that own the catalog and the groups of tunnels
   * @param replicas the directory of this node's replicas; need not exist
   * @param form the form of log that this node serves
   * @throws IOException when Kafka cannot be reached, a topic is unusable, the replicas are of
   *     another cluster, or the cluster's log has another form; nothing is changed then
   */
  ClusterLog(
      ServerConfig server,
      ClusterConfig cluster,
      NodeThreads threads,
      SystemClock clock,
      Path replicas,
      LogForm form)
      throws IOException {
    this.threads = threads;
    this.clock = clock;
    this.form = form;
    this.places =
        new TopicPlaces(catalog, () -> TimeUnit.MICROSECONDS.toMillis(clock.epochMicros()));
    config = config(server, cluster);
    try {
      kafka = parts.open(new KafkaCluster(config, clock));
      topics = kafka.topics();
      tables = kafka.tables();
      kafkaId = await("tell its cluster id", () -> kafka.id(config.times().requestMs()));
      Optional<ReplicasIdentity> former = ReplicasIdentity.read(replicas);
      if (former.isPresent()) {
        former.get().requireLog(replicas, logName());
      }
      await("create or check the topics of cluster " + cluster.name(), topics::openState);
      catalogOrigin =
          await("tell the id of the catalog's topic", () -> topics.origin(catalogName()));
      tunnelsOrigin =
          await("tell the id of the tunnels' topic", () -> topics.origin(tunnelsName()));
      tail = parts.open(new StoreTail(catalogTopic(), this::followed));
      catalogIdentity = await("read the catalog", this::caughtUp);
      LevelWatch.requireServed(config.cluster(), catalog, Level.NEWEST);
      if (former.isPresent()) {
        former.get().requireSame(replicas, identity(former.get().shards()));
      }
      await("check the topics of tables", () -> tables.check(catalog.tables()))
          .forEach(LOGGER::error);
    } catch (IOException | RuntimeException e) {
      parts.closeAfter(e);
      throw e;
    }
  }

  /**
   * The settings of Kafka that follow from this configuration.
   *
   * @throws IllegalArgumentException when a setting of clients is none of Kafka's
   */
  static KafkaConfig config(ServerConfig server, ClusterConfig cluster) {
    ClusterConfig.Log log = cluster.log();
    KafkaConfig.Times times = server.log().kafka();
    return new KafkaConfig(
        String.join(",", log.bootstrap()),
        cluster.name(),
        new KafkaConfig.Replication(log.replication(), log.minInsync()),
        new KafkaConfig.Times(log.sessionMs(), times.requestMs(), times.deliveryMs()),
        "lz4",
        log.clientSettings());
  }

  private String catalogName() {
    return KafkaTopics.catalog(config.cluster());
  }

  private String tunnelsName() {
    return KafkaTopics.tunnels(config.cluster());
  }

  private StoreTopic catalogTopic() {
    return topic(catalogName(), 0);
  }

  private StoreTopic topic(String name, int partition) {
    return new StoreTopic(config.clientSettings(), name, partition);
  }

  private void followed(Map<String, Optional<String>> changes) {
    threads
        .control()
        .execute(
            () -> {
              // The founding comes before all tables: a node of another form never learns of any.
              if (!form.isForeign(catalog.texts())) {
                catalog.followed(changes);
              }
            });
  }

  /**
   * Reads the catalog, which follows its topic from now on. A catalog without an identity gets the
   * origin of its topic, by its first leader. Fails for a catalog of another form.
   */
  private CompletableFuture<CatalogIdentity> caughtUp() {
    return afterAll(
        () -> {
          form.require(catalog.texts());
          catalog.caughtUp();
          return catalog.identity().orElseGet(() -> new CatalogIdentity(catalogOrigin));
        });
  }

  /**
   * Completes once the catalog has followed all writes before the call. Right after this node
   * ceased to lead the catalog, completes once the catalog has followed the writes of the earlier
   * call.
   */
  private CompletableFuture<Void> told() {
    return afterAll(() -> null);
  }

  @Override
  public void whenCaughtUp(Runnable then) {
    tail.catchUp(() -> threads.control().execute(then));
  }

  private <T> CompletableFuture<T> afterAll(Callable<T> then) {
    CompletableFuture<T> done = new CompletableFuture<>();
    whenCaughtUp(
        () -> {
          try {
            done.complete(then.call());
          } catch (Exception e) {
            done.completeExceptionally(e);
          }
        });
    return done;
  }

  /** Waits for an answer of Kafka, and repeats the question while the start may wait. */
  private <T> T await(String what, Supplier<CompletableFuture<T>> asked) throws IOException {
    long deadline = clock.nanos() + TimeUnit.SECONDS.toNanos(START_WAIT_S);
    while (true) {
      try {
        return asked.get().get(START_WAIT_S, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted while waiting for Kafka to " + what, e);
      } catch (TimeoutException e) {
        throw unreachable(config.bootstrap(), what, e);
      } catch (ExecutionException e) {
        if (!isPassing(e.getCause())) {
          throw new IOException("cannot " + what + ": " + e.getCause().getMessage(), e.getCause());
        }
        if (clock.nanos() - deadline >= 0) {
          throw unreachable(config.bootstrap(), what, e.getCause());
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

  /** The error of a start that has waited for Kafka for too long. */
  static IOException unreachable(String bootstrap, String what, Throwable cause) {
    // A TimeoutException has no message.
    String reason = cause instanceof TimeoutException ? "no answer" : cause.getMessage();
    return new IOException(
        "Kafka at "
            + bootstrap
            + " did not "
            + what
            + " within "
            + START_WAIT_S
            + " s; is it running, and is --bootstrap right? ("
            + reason
            + ")",
        cause);
  }

  @Override
  public Optional<String> objection() {
    return form.objection(catalog.texts());
  }

  @Override
  public Catalog catalog() {
    return catalog;
  }

  /** Tells the topic of each partition. */
  TopicPlaces places() {
    return places;
  }

  /** The identity of this cluster's replicas, which replicas of another cluster do not share. */
  ReplicasIdentity identity(int shards) {
    return new ReplicasIdentity(logName(), catalogIdentity.origin(), shards);
  }

  private String logName() {
    return config.cluster() + " of kafka " + kafkaId;
  }

  /** Whether the log answers within a second or two. */
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

  /** Opens the appends of all partitions; close them before this object. */
  ReadableAppendLog openAppends() {
    return kafka.openAppends(places);
  }

  /** Opens the blocks of snapshots; close them before this object. */
  SnapshotBlocks openBlocks() {
    return kafka.openBlocks(places);
  }

  /** Says what keeps partitions of a log of appends from being led. */
  TopicProblems problems() {
    return kafka.topicProblems(places);
  }

  /** The logs of tables. */
  TableLogs tables() {
    return tables;
  }

  /** The group of all nodes. */
  Membership.Factory group() {
    return kafka.memberships();
  }

  @Override
  public LedStore.Holder catalogHolder() {
    LeftTopics left = new LeftTopics(catalog, new TopicsInKafka(tables), threads.control());
    return new LedCatalog(catalog, tail::catchUp, threads.control(), left, this::founding);
  }

  private record TopicsInKafka(TableTopics topics) implements LeftTopics.Topics {

    @Override
    public CompletableFuture<Set<Integer>> tables() {
      return topics.tables();
    }

    @Override
    public CompletableFuture<Void> drop(DroppedLog log) {
      return topics.drop(log);
    }
  }

  private Founding founding() {
    return new Founding(
        catalogIdentity, WiringChance.secret(ChannelGrants.KEY_BYTES), Level.NEWEST, form);
  }

  @Override
  public CatalogStore openCatalog(StoreListener listener) throws IOException {
    CatalogStore opened =
        open(
            catalogTopic(),
            config.cluster() + ".catalog",
            new KafkaCatalogStore.Owner(threads.control(), listener));
    return requireSame(opened, catalogName(), catalogOrigin);
  }

  @Override
  public CatalogStore openGroup(int group, StoreListener listener) throws IOException {
    var unused = await("read the catalog", this::told);
    CatalogStore opened =
        open(
            topic(tunnelsName(), group),
            config.cluster() + ".tunnels-" + group,
            new KafkaCatalogStore.Owner(threads.ofGroup(group), listener));
    return requireSame(opened, tunnelsName(), tunnelsOrigin);
  }

  private CatalogStore open(StoreTopic topic, String transactionalId, KafkaCatalogStore.Owner owner)
      throws IOException {
    return KafkaCatalogStore.open(topic, transactionalId, STORE_WAITS, clock::nanos, owner);
  }

  /** Refuses a topic that was created again, in place of the one that this node has followed. */
  private CatalogStore requireSame(CatalogStore opened, String topic, Bytes origin)
      throws IOException {
    try {
      Bytes found = await("tell the id of topic " + topic, () -> topics.origin(topic));
      if (!found.equals(origin)) {
        throw new LostTopicsException(
            "topic %s was deleted and created again while this node ran: its id is %s, and was %s. This node does not use the new topic. Stop all nodes, and restore the topic from a backup of Kafka"
                .formatted(topic, found, origin));
      }
      return opened;
    } catch (IOException | RuntimeException e) {
      try {
        opened.close();
      } catch (IOException | RuntimeException suppressed) {
        e.addSuppressed(suppressed);
      }
      throw e;
    }
  }

  @Override
  public void close() throws IOException {
    parts.close();
  }
}
