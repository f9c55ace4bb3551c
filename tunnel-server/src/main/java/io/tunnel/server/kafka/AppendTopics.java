package io.tunnel.server.kafka;

import io.tunnel.model.value.Bytes;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.common.TopicPartition;

/**
 * The two topics of each table whose log has appends: {@code CLUSTER.log.ID} with the changes, and
 * {@code CLUSTER.rows.ID} with the blocks of snapshots. Every request may be repeated when its
 * outcome is unknown, and each request repeats what a crash has left between the two topics.
 */
final class AppendTopics {

  private static final String LOG = ".log.";
  private static final String ROWS = ".rows.";

  private final KafkaConfig config;
  private final Admin admin;
  private final KafkaTopics topics;

  AppendTopics(KafkaConfig config, Admin admin, KafkaTopics topics) {
    this.config = config;
    this.admin = admin;
    this.topics = topics;
  }

  /**
   * The topics of a table.
   *
   * @param origin as {@link #open} returned it; absent while the topics do not exist
   */
  public record Table(int tableId, int partitions, Optional<Bytes> origin) {

    /** A table whose topics do not exist yet. */
    public Table(int tableId, int partitions) {
      this(tableId, partitions, Optional.empty());
    }

    /** Refuses what cannot be. */
    public Table {
      if (tableId < 1 || partitions < 1) {
        throw new IllegalArgumentException(
            "table " + tableId + " of " + partitions + " partitions");
      }
      origin.ifPresent(TableOrigin::of);
    }
  }

  /** Of a table's changes. */
  static String log(String cluster, int tableId) {
    return cluster + LOG + tableId;
  }

  /** Of the blocks of a table's snapshots. */
  static String rows(String cluster, int tableId) {
    return cluster + ROWS + tableId;
  }

  private String log(int tableId) {
    return log(config.cluster(), tableId);
  }

  private String rows(int tableId) {
    return rows(config.cluster(), tableId);
  }

  /**
   * Creates the topics of a table unless they exist, waits until Kafka lists them, and returns
   * their origin. Existing topics without any record are accepted: they were created for a table
   * that never came into the catalog. Fails with {@link TopicSettingsException} when an existing
   * topic has records or wrong settings.
   */
  public CompletableFuture<Bytes> open(Table table) {
    String log = log(table.tableId());
    String rows = rows(table.tableId());
    TopicSettings settings = settings(table);
    return topics
        .open(Map.of(log, settings, rows, settings))
        .thenCompose(existing -> new ClusterLook(config, admin).used(existing))
        .thenCompose(
            used ->
                used.isEmpty()
                    ? topics.origin(log).thenCombine(topics.origin(rows), TableOrigin::new)
                    : CompletableFuture.failedFuture(
                        new TopicSettingsException(
                            used.stream()
                                .sorted()
                                .map(topic -> "topic " + topic + " has records of another table")
                                .toList())))
        .thenApply(TableOrigin::bytes);
  }

  /**
   * What keeps tables from being led, by table: a topic is lost or was created again, a setting
   * breaks the rule of the log, or this node's user may not delete records. Each message names the
   * topic and says what to do. A node asks at its start, before a claim and every minute. Fails
   * only when Kafka does not answer.
   */
  public CompletableFuture<Map<Integer, List<String>>> problems(Collection<Table> tables) {
    Map<String, KafkaTopics.Own> own = own(tables);
    Map<String, TopicSettings> settings = new HashMap<>();
    for (Table table : tables) {
      settings.put(log(table.tableId()), settings(table));
      settings.put(rows(table.tableId()), settings(table));
    }
    Map<String, List<String>> found = new TreeMap<>();
    return topics
        .lost(own)
        .thenCompose(
            lost -> {
              lost.forEach((topic, problem) -> found.put(topic, List.of(problem)));
              settings.keySet().removeAll(lost.keySet());
              return topics.problems(settings);
            })
        .thenCompose(
            wrong -> {
              found.putAll(wrong);
              settings.keySet().removeAll(wrong.keySet());
              return undeletable(settings.keySet());
            })
        .thenApply(
            undeletable -> {
              found.putAll(undeletable);
              return byTable(found, own);
            });
  }

  /** A message for each topic that is missing or was created again: a part of {@link #problems}. */
  CompletableFuture<List<String>> lost(Collection<Table> tables) {
    return topics.lost(own(tables)).thenApply(found -> List.copyOf(found.values()));
  }

  private Map<String, KafkaTopics.Own> own(Collection<Table> tables) {
    Map<String, KafkaTopics.Own> own = new HashMap<>();
    for (Table table : tables) {
      Optional<TableOrigin> origin = table.origin().map(TableOrigin::of);
      own.put(
          log(table.tableId()), new KafkaTopics.Own(table.tableId(), origin.map(TableOrigin::log)));
      own.put(
          rows(table.tableId()),
          new KafkaTopics.Own(table.tableId(), origin.map(TableOrigin::rows)));
    }
    return own;
  }

  private static Map<Integer, List<String>> byTable(
      Map<String, List<String>> found, Map<String, KafkaTopics.Own> own) {
    Map<Integer, List<String>> byTable = new TreeMap<>();
    found.forEach(
        (topic, problems) ->
            byTable
                .computeIfAbsent(own.get(topic).tableId(), id -> new ArrayList<>())
                .addAll(problems));
    return byTable;
  }

  /**
   * The topics of which this node's user may delete no records, which Kafka says at the first
   * deletion only. The question deletes nothing: no record is before offset 0.
   */
  private CompletableFuture<Map<String, List<String>>> undeletable(Set<String> names) {
    Map<TopicPartition, RecordsToDelete> nothing =
        names.stream()
            .collect(
                Collectors.toMap(
                    topic -> new TopicPartition(topic, 0),
                    topic -> RecordsToDelete.beforeOffset(0)));
    if (nothing.isEmpty()) {
      return CompletableFuture.completedFuture(Map.of());
    }
    Map<String, CompletableFuture<List<String>>> answers = new TreeMap<>();
    admin
        .deleteRecords(nothing)
        .lowWatermarks()
        .forEach(
            (partition, answer) ->
                answers.put(
                    partition.topic(),
                    AdminFutures.of("delete records of topic " + partition.topic(), answer)
                        .handle((done, failure) -> refusal(failure))));
    return CompletableFuture.allOf(answers.values().toArray(CompletableFuture[]::new))
        .thenApply(
            all -> {
              Map<String, List<String>> refused = new TreeMap<>();
              answers.forEach((topic, answer) -> refused.put(topic, answer.join()));
              refused.values().removeIf(List::isEmpty);
              return refused;
            });
  }

  /** Why Kafka deletes no records; a broker that does not answer now refuses nothing. */
  private static List<String> refusal(Throwable failure) {
    return failure == null || AdminFutures.cause(failure) instanceof LogUnavailableException
        ? List.of()
        : List.of(AdminFutures.cause(failure).getMessage());
  }

  /**
   * Deletes the records of a partition's log before {@code offset}. Kafka frees complete segments
   * only, and may answer that a replica of the partition is away: then repeat the request later.
   */
  CompletableFuture<Void> deleteLogBefore(PartitionTopics.Place place, long offset) {
    return deleteBefore(new TopicPartition(log(place.tableId()), place.index()), offset);
  }

  /** Deletes the blocks of a partition's snapshots before {@code offset}. */
  CompletableFuture<Void> deleteRowsBefore(PartitionTopics.Place place, long offset) {
    return deleteBefore(new TopicPartition(rows(place.tableId()), place.index()), offset);
  }

  private CompletableFuture<Void> deleteBefore(TopicPartition partition, long offset) {
    return AdminFutures.of(
            "delete the records of " + partition + " before offset " + offset,
            admin
                .deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(offset)))
                .lowWatermarks()
                .get(partition))
        .thenAccept(deleted -> {});
  }

  /** The tables with a log topic, a rows topic, or both. */
  public CompletableFuture<Set<Integer>> tables() {
    return AdminFutures.of("list its topics", admin.listTopics().names())
        .thenApply(
            names ->
                names.stream()
                    .flatMap(name -> tableOf(config.cluster(), name).stream())
                    .collect(Collectors.toSet()));
  }

  /** The id of the table that the topic belongs to. */
  static Optional<Integer> tableOf(String cluster, String topic) {
    return Stream.of(LOG, ROWS)
        .flatMap(kind -> KafkaTopics.tableAfter(cluster + kind, topic).stream())
        .findFirst();
  }

  /** Deletes a dropped table's topics, those with this origin, as far as they exist. */
  public CompletableFuture<Void> drop(int tableId, Bytes origin) {
    TableOrigin both = TableOrigin.of(origin);
    // The second deletion is asked for even if the first one fails.
    return CompletableFuture.allOf(
        topics.drop(log(tableId), both.log()), topics.drop(rows(tableId), both.rows()));
  }

  /**
   * The topics of all tables by their names, with their origins: no catalog has the origins of a
   * restore that has failed.
   */
  CompletableFuture<Map<String, Bytes>> all() {
    return tables()
        .thenCompose(
            found ->
                topics.describe(
                    found.stream()
                        .flatMap(id -> Stream.of(log(id), rows(id)))
                        .collect(Collectors.toSet())))
        .thenApply(
            existing -> {
              Map<String, Bytes> origins = new TreeMap<>();
              existing.forEach((name, topic) -> origins.put(name, TopicOrigins.origin(topic)));
              return origins;
            });
  }

  private TopicSettings settings(Table table) {
    return TopicSettings.ofAppends(table.partitions(), config.replicas());
  }
}
