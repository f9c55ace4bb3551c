package io.tunnel.server.kafka;

import io.tunnel.server.cluster.Unit;
import io.tunnel.server.kafka.TopicSettings.Found;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * The topics of a cluster: one for the catalog, one for tunnels, one for each table by its id.
 * Everything here may be asked again when its outcome is not known.
 */
public final class KafkaTopics {

  private static final String TABLE = ".table.";
  private static final int LOOKS_MAX = 10;
  private static final long LOOK_MS = 100;

  private final KafkaConfig config;
  private final Admin admin;

  KafkaTopics(KafkaConfig config, Admin admin) {
    this.config = config;
    this.admin = admin;
  }

  /**
   * A table, as far as its topic is concerned.
   *
   * @param retentionMs 0 for ever
   */
  public record TableTopic(int tableId, int partitions, long retentionMs) {
    /** Refuses what cannot be. */
    public TableTopic {
      if (tableId < 1 || partitions < 1 || retentionMs < 0) {
        throw new IllegalArgumentException(
            "table " + tableId + " of " + partitions + " partitions, kept " + retentionMs + " ms");
      }
    }
  }

  /** Of tables; one partition. */
  public static String catalog(String cluster) {
    return cluster + ".catalog";
  }

  /** Of tunnels; a partition for each group of them. */
  public static String tunnels(String cluster) {
    return cluster + ".tunnels";
  }

  /** Of a table's changes. */
  public static String table(String cluster, int tableId) {
    return cluster + TABLE + tableId;
  }

  /**
   * Makes the topics of catalog and tunnels unless they are there, and waits until they are shown;
   * fails with {@link TopicSettingsException} when one is there and not as it must be.
   */
  public CompletableFuture<Void> openState() {
    return open(
        Map.of(
            catalog(config.cluster()), TopicSettings.ofState(1, config.replicas()),
            tunnels(config.cluster()),
                TopicSettings.ofState(Unit.TUNNEL_GROUPS, config.replicas())));
  }

  /** Makes the topic of a table, as {@link #openState} does. */
  public CompletableFuture<Void> openTable(TableTopic table) {
    return open(Map.of(table(config.cluster(), table.tableId()), settings(table)));
  }

  /** Fails with {@link TopicSettingsException} when a topic is not there or not as it must be. */
  public CompletableFuture<Void> checkTables(Collection<TableTopic> tables) {
    Map<String, TopicSettings> topics = new HashMap<>();
    tables.forEach(table -> topics.put(table(config.cluster(), table.tableId()), settings(table)));
    return check(topics);
  }

  private TopicSettings settings(TableTopic table) {
    return TopicSettings.ofTable(table.partitions(), config.replicas(), table.retentionMs());
  }

  private CompletableFuture<Void> open(Map<String, TopicSettings> topics) {
    List<NewTopic> made = new ArrayList<>();
    topics.forEach(
        (name, settings) ->
            made.add(
                new NewTopic(name, settings.partitions(), (short) config.replicas().count())
                    .configs(settings.given())));
    List<CompletableFuture<Optional<String>>> answers = new ArrayList<>();
    admin
        .createTopics(made)
        .values()
        .forEach(
            (name, answer) ->
                answers.add(
                    failedBecause(
                        TopicExistsException.class,
                        name,
                        Answers.of("make topic " + name, answer))));
    return all(answers)
        .thenCompose(
            existing -> {
              Map<String, TopicSettings> checked = new HashMap<>(topics);
              checked.keySet().retainAll(existing);
              Set<String> fresh = new HashSet<>(topics.keySet());
              fresh.removeAll(existing);
              return awaitShown(fresh, LOOKS_MAX).thenCompose(shown -> check(checked));
            });
  }

  /** Kafka says that a topic is made before its brokers know where that is. */
  private CompletableFuture<Void> awaitShown(Set<String> topics, int looksLeft) {
    if (topics.isEmpty()) {
      return CompletableFuture.completedFuture(null);
    }
    return describe(topics)
        .thenCompose(
            shown -> {
              if (shown.keySet().containsAll(topics)) {
                return CompletableFuture.completedFuture(null);
              }
              return looksLeft == 1
                  ? CompletableFuture.failedFuture(
                      new LogUnavailableException(
                          "Kafka made the topics " + topics + " and does not show them yet", null))
                  : later().thenCompose(now -> awaitShown(topics, looksLeft - 1));
            });
  }

  private static CompletableFuture<Void> later() {
    return CompletableFuture.runAsync(
        () -> {}, CompletableFuture.delayedExecutor(LOOK_MS, TimeUnit.MILLISECONDS));
  }

  private CompletableFuture<Void> check(Map<String, TopicSettings> topics) {
    return look(topics, LOOKS_MAX)
        .thenCompose(
            problems ->
                problems.isEmpty()
                    ? CompletableFuture.completedFuture(null)
                    : CompletableFuture.failedFuture(new TopicSettingsException(problems)));
  }

  /** A broker may learn later than others what was made or changed: so it is asked again. */
  private CompletableFuture<List<String>> look(Map<String, TopicSettings> topics, int looksLeft) {
    return describe(topics.keySet())
        .thenCompose(
            descriptions ->
                settingsOf(descriptions.keySet())
                    .thenApply(settings -> problems(topics, descriptions, settings)))
        .thenCompose(
            problems ->
                problems.isEmpty() || looksLeft == 1
                    ? CompletableFuture.completedFuture(problems)
                    : later().thenCompose(now -> look(topics, looksLeft - 1)));
  }

  private List<String> problems(
      Map<String, TopicSettings> topics,
      Map<String, TopicDescription> descriptions,
      Map<ConfigResource, Config> settings) {
    List<String> problems = new ArrayList<>();
    new TreeMap<>(topics)
        .forEach(
            (name, must) -> {
              if (descriptions.containsKey(name)) {
                Found found = found(descriptions.get(name), settings.get(resource(name)));
                problems.addAll(must.problems(config.bootstrap(), name, found));
              } else {
                problems.add("topic " + name + " does not exist, and what was in it is lost");
              }
            });
    return problems;
  }

  /** Those that exist. */
  private CompletableFuture<Map<String, TopicDescription>> describe(Set<String> names) {
    Map<String, TopicDescription> found = new ConcurrentHashMap<>();
    List<CompletableFuture<Optional<String>>> answers = new ArrayList<>();
    admin
        .describeTopics(names)
        .topicNameValues()
        .forEach(
            (name, answer) ->
                answers.add(
                    failedBecause(
                        UnknownTopicOrPartitionException.class,
                        name,
                        Answers.of("describe topic " + name, answer)
                            .thenAccept(description -> found.put(name, description)))));
    return all(answers).thenApply(missing -> found);
  }

  private CompletableFuture<Map<ConfigResource, Config>> settingsOf(Set<String> names) {
    List<ConfigResource> resources = names.stream().map(KafkaTopics::resource).toList();
    return Answers.of(
        "describe the settings of topics " + names, admin.describeConfigs(resources).all());
  }

  private static Found found(TopicDescription description, Config settings) {
    Map<String, String> values = new HashMap<>();
    for (ConfigEntry entry : settings.entries()) {
      Optional.ofNullable(entry.value()).ifPresent(value -> values.put(entry.name(), value));
    }
    int replicas =
        description.partitions().stream()
            .mapToInt(partition -> partition.replicas().size())
            .min()
            .orElse(0);
    return new Found(description.partitions().size(), replicas, values);
  }

  /** Keeps a table's changes for that long from now on; 0 for ever. */
  public CompletableFuture<Void> alterRetention(int tableId, long retentionMs) {
    String name = table(config.cluster(), tableId);
    List<AlterConfigOp> operations =
        TopicSettings.retention(retentionMs).entrySet().stream()
            .map(
                setting ->
                    new AlterConfigOp(
                        new ConfigEntry(setting.getKey(), setting.getValue()),
                        AlterConfigOp.OpType.SET))
            .toList();
    Map<ConfigResource, Collection<AlterConfigOp>> changes = Map.of(resource(name), operations);
    return Answers.of("alter topic " + name, admin.incrementalAlterConfigs(changes).all());
  }

  /** The tables that have a topic. */
  public CompletableFuture<Set<Integer>> tables() {
    Pattern name = Pattern.compile(Pattern.quote(config.cluster() + TABLE) + "(\\d{1,9})");
    return Answers.of("list its topics", admin.listTopics().names())
        .thenApply(
            names ->
                names.stream()
                    .map(name::matcher)
                    .filter(Matcher::matches)
                    .map(found -> Integer.parseInt(found.group(1)))
                    .collect(Collectors.toSet()));
  }

  /** Deletes a table's topic, if it is there. */
  public CompletableFuture<Void> dropTable(int tableId) {
    String name = table(config.cluster(), tableId);
    return failedBecause(
            UnknownTopicOrPartitionException.class,
            name,
            Answers.of("delete topic " + name, admin.deleteTopics(List.of(name)).all()))
        .thenAccept(missing -> {});
  }

  private static ConfigResource resource(String topic) {
    return new ConfigResource(ConfigResource.Type.TOPIC, topic);
  }

  /** The topic's name when the answer failed for that reason, nothing when it did not fail. */
  private static CompletableFuture<Optional<String>> failedBecause(
      Class<? extends Throwable> reason, String name, CompletableFuture<Void> answer) {
    return answer
        .thenApply(done -> Optional.<String>empty())
        .exceptionallyCompose(
            failure -> {
              Throwable cause = Answers.cause(failure);
              return reason.isInstance(cause.getCause())
                  ? CompletableFuture.completedFuture(Optional.of(name))
                  : CompletableFuture.failedFuture(cause);
            });
  }

  private static CompletableFuture<Set<String>> all(
      List<CompletableFuture<Optional<String>>> answers) {
    return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
        .thenApply(
            done ->
                answers.stream()
                    .flatMap(answer -> answer.join().stream())
                    .collect(Collectors.toSet()));
  }
}
