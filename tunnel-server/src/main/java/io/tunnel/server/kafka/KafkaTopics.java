package io.tunnel.server.kafka;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.cluster.Unit;
import io.tunnel.server.kafka.TopicSettings.Found;
import java.util.ArrayList;
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
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.TopicCollection;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicIdException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * The topics of a cluster: a topic for the catalog and a topic for tunnels; {@link AppendTopics}
 * has those of tables. Every request may be repeated when its outcome is unknown.
 */
public final class KafkaTopics {

  private static final int LOOKS_MAX = 10;
  private static final long LOOK_MS = 100;

  private final KafkaConfig config;
  private final Admin admin;

  KafkaTopics(KafkaConfig config, Admin admin) {
    this.config = config;
    this.admin = admin;
  }

  /** Of tables; one partition. */
  public static String catalog(String cluster) {
    return cluster + ".catalog";
  }

  /** Of tunnels; a partition for each group of them. */
  public static String tunnels(String cluster) {
    return cluster + ".tunnels";
  }

  /**
   * Creates the topics of catalog and tunnels in a new cluster, and waits until Kafka lists them.
   * Fails with {@link LostTopicsException} when one of them is missing in a cluster that is not
   * new, and with {@link TopicSettingsException} when one has wrong settings.
   */
  public CompletableFuture<Void> openState() {
    return lookAround(LOOKS_MAX)
        // One after the other: when the catalog has records, the topic of tunnels has existed.
        .thenCompose(fit -> open(catalog(config.cluster()), 1))
        .thenCompose(made -> open(tunnels(config.cluster()), Unit.TUNNEL_GROUPS));
  }

  private CompletableFuture<Void> open(String topic, int partitions) {
    return open(Map.of(topic, TopicSettings.ofState(partitions, config.replicas())))
        .thenAccept(opened -> {});
  }

  /** Retries, because brokers learn of a new topic one after the other. */
  private CompletableFuture<Void> lookAround(int looksLeft) {
    return new ClusterLook(config, admin)
        .look()
        .thenCompose(
            found -> {
              Optional<String> objection = found.objection();
              if (objection.isEmpty()) {
                return CompletableFuture.completedFuture(null);
              }
              return looksLeft == 1
                  ? CompletableFuture.failedFuture(new LostTopicsException(objection.get()))
                  : later().thenCompose(now -> lookAround(looksLeft - 1));
            });
  }

  /** The origin of a topic of this cluster. */
  public CompletableFuture<Bytes> origin(String topic) {
    return AdminFutures.of(
            "describe topic " + topic,
            admin.describeTopics(List.of(topic)).topicNameValues().get(topic))
        .thenApply(TopicOrigins::origin);
  }

  /** Whether Kafka has a topic. Retries, because brokers learn of topics one after the other. */
  public CompletableFuture<Boolean> exists(String topic) {
    return exists(topic, LOOKS_MAX);
  }

  private CompletableFuture<Boolean> exists(String topic, int looksLeft) {
    return describe(Set.of(topic))
        .thenCompose(
            found ->
                found.containsKey(topic) || looksLeft == 1
                    ? CompletableFuture.completedFuture(found.containsKey(topic))
                    : later().thenCompose(now -> exists(topic, looksLeft - 1)));
  }

  /**
   * Whose a topic is.
   *
   * @param origin origin of the topic; absent while the topic does not exist
   */
  record Own(int tableId, Optional<Bytes> origin) {}

  /** By name, a message for each topic that is missing or is not the topic of its table. */
  CompletableFuture<Map<String, String>> lost(Map<String, Own> topics) {
    return topics.isEmpty() ? CompletableFuture.completedFuture(Map.of()) : lost(topics, LOOKS_MAX);
  }

  private CompletableFuture<Map<String, String>> lost(Map<String, Own> topics, int looksLeft) {
    return describe(topics.keySet())
        .thenCompose(
            found -> {
              Map<String, String> lost = new TreeMap<>();
              topics.forEach(
                  (name, own) ->
                      loss(name, own, found.get(name))
                          .ifPresent(problem -> lost.put(name, problem)));
              return lost.isEmpty() || looksLeft == 1
                  ? CompletableFuture.completedFuture(lost)
                  : later().thenCompose(now -> lost(topics, looksLeft - 1));
            });
  }

  private static Optional<String> loss(String name, Own own, TopicDescription found) {
    if (found == null) {
      return Optional.of("topic " + name + " does not exist, and its changes are lost");
    }
    Bytes origin = TopicOrigins.origin(found);
    return own.origin()
        .filter(noted -> !noted.equals(origin))
        .map(
            noted ->
                "topic %s was created again: its id is %s, and that of table %d is %s; its changes are lost"
                    .formatted(name, origin, own.tableId(), noted));
  }

  /**
   * Creates topics, waits until Kafka lists them, and returns the names of the topics that existed
   * before. Fails with {@link TopicSettingsException} when one of those has wrong settings.
   */
  CompletableFuture<Set<String>> open(Map<String, TopicSettings> topics) {
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
                        Set.of(TopicExistsException.class),
                        name,
                        AdminFutures.of("create topic " + name, answer))));
    return all(answers)
        .thenCompose(
            existing -> {
              Map<String, TopicSettings> checked = new HashMap<>(topics);
              checked.keySet().retainAll(existing);
              Set<String> fresh = new HashSet<>(topics.keySet());
              fresh.removeAll(existing);
              return awaitShown(fresh, LOOKS_MAX)
                  .thenCompose(shown -> check(checked))
                  .thenApply(fit -> existing);
            });
  }

  /** Kafka answers that a topic is created before all brokers know its leaders. */
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
                          "Kafka created the topics " + topics + " and does not list them yet",
                          null))
                  : later().thenCompose(now -> awaitShown(topics, looksLeft - 1));
            });
  }

  private static CompletableFuture<Void> later() {
    return CompletableFuture.runAsync(
        () -> {}, CompletableFuture.delayedExecutor(LOOK_MS, TimeUnit.MILLISECONDS));
  }

  private CompletableFuture<Void> check(Map<String, TopicSettings> topics) {
    return problems(topics)
        .thenCompose(
            problems ->
                problems.isEmpty()
                    ? CompletableFuture.completedFuture(null)
                    : CompletableFuture.failedFuture(
                        new TopicSettingsException(
                            problems.values().stream().flatMap(List::stream).toList())));
  }

  /**
   * The problems of each topic that has any, by name. Retries, because brokers learn of new topics
   * and settings one after the other.
   */
  CompletableFuture<Map<String, List<String>>> problems(Map<String, TopicSettings> topics) {
    return topics.isEmpty() ? CompletableFuture.completedFuture(Map.of()) : look(topics, LOOKS_MAX);
  }

  private CompletableFuture<Map<String, List<String>>> look(
      Map<String, TopicSettings> topics, int looksLeft) {
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

  private Map<String, List<String>> problems(
      Map<String, TopicSettings> topics,
      Map<String, TopicDescription> descriptions,
      Map<ConfigResource, Config> settings) {
    Map<String, List<String>> problems = new TreeMap<>();
    topics.forEach(
        (name, must) -> {
          List<String> ofTopic =
              descriptions.containsKey(name)
                  ? must.problems(
                      config.bootstrap(),
                      name,
                      found(descriptions.get(name), settings.get(resource(name))))
                  : List.of("topic " + name + " does not exist any more");
          if (!ofTopic.isEmpty()) {
            problems.put(name, ofTopic);
          }
        });
    return problems;
  }

  /** Descriptions of the topics that exist. */
  CompletableFuture<Map<String, TopicDescription>> describe(Set<String> names) {
    Map<String, TopicDescription> found = new ConcurrentHashMap<>();
    List<CompletableFuture<Optional<String>>> answers = new ArrayList<>();
    admin
        .describeTopics(names)
        .topicNameValues()
        .forEach(
            (name, answer) ->
                answers.add(
                    failedBecause(
                        Set.of(UnknownTopicOrPartitionException.class),
                        name,
                        AdminFutures.of("describe topic " + name, answer)
                            .thenAccept(description -> found.put(name, description)))));
    return all(answers).thenApply(missing -> found);
  }

  private CompletableFuture<Map<ConfigResource, Config>> settingsOf(Set<String> names) {
    List<ConfigResource> resources = names.stream().map(KafkaTopics::resource).toList();
    return AdminFutures.of(
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

  /** The id of a table that follows {@code prefix} in the name of a topic. */
  static Optional<Integer> tableAfter(String prefix, String topic) {
    return topic.startsWith(prefix) && topic.substring(prefix.length()).matches("\\d{1,9}")
        ? Optional.of(Integer.parseInt(topic.substring(prefix.length())))
        : Optional.empty();
  }

  /** Deletes the topic with this origin, if it exists; its name is for messages. */
  CompletableFuture<Void> drop(String name, Bytes origin) {
    TopicCollection topic = TopicCollection.ofTopicIds(List.of(TopicOrigins.id(origin)));
    return failedBecause(
            Set.of(UnknownTopicOrPartitionException.class, UnknownTopicIdException.class),
            name,
            AdminFutures.of("delete topic " + name, admin.deleteTopics(topic).all()))
        .thenAccept(missing -> {});
  }

  private static ConfigResource resource(String topic) {
    return new ConfigResource(ConfigResource.Type.TOPIC, topic);
  }

  /** The topic's name when the answer failed for one of the reasons; empty when it did not fail. */
  private static CompletableFuture<Optional<String>> failedBecause(
      Set<Class<? extends Throwable>> reasons, String name, CompletableFuture<Void> answer) {
    return answer
        .thenApply(done -> Optional.<String>empty())
        .exceptionallyCompose(
            failure -> {
              Throwable cause = AdminFutures.cause(failure);
              return reasons.stream().anyMatch(reason -> reason.isInstance(cause.getCause()))
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
