package io.tunnel.programs.bench.kafka;

import io.tunnel.programs.bench.peer.Arrivals;
import io.tunnel.programs.bench.peer.BatchSettings;
import io.tunnel.programs.bench.peer.Look;
import io.tunnel.programs.bench.peer.Peer;
import io.tunnel.programs.bench.peer.RowReader;
import io.tunnel.programs.bench.peer.RowWriter;
import io.tunnel.programs.bench.peer.SourceRow;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.ExitCode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RemoveMembersFromConsumerGroupOptions;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** A Kafka; a table is a topic. What it has made and not dropped goes when it is closed. */
public final class KafkaPeer implements Peer, AutoCloseable {

  /** What it is called in results. */
  public static final String NAME = "kafka";

  private static final int CALL_SECONDS_MAX = 60;
  private static final int FIRST_ANSWER_SECONDS_MAX = 10;
  private static final Duration LAST_CALL_MAX = Duration.ofSeconds(10);

  private final KafkaService service;
  private final BatchSettings batches;
  private final String acks;
  private final Admin admin;

  /** Topics that this peer created. */
  private final Set<String> topics = ConcurrentHashMap.newKeySet();

  /** Groups of programs that read them. */
  private final Set<String> groups = ConcurrentHashMap.newKeySet();

  /**
   * Writes to {@code service}.
   *
   * @param acks of its producer; it is idempotent with "all" alone
   * @throws CommandFailure when a bootstrap address has no name that is known here
   */
  public KafkaPeer(KafkaService service, BatchSettings batches, String acks) {
    this.acks = acks;
    this.service = service;
    this.batches = batches;
    Map<String, Object> settings = new HashMap<>(service.client());
    settings.put(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, service.bootstrap());
    try {
      this.admin = Admin.create(settings);
    } catch (KafkaException e) {
      throw unreachable(e.getCause() == null ? e : e.getCause());
    }
  }

  /**
   * Returns when the service has answered.
   *
   * @throws CommandFailure when it does not within 10 s
   */
  public void requireAnswer() throws InterruptedException {
    try {
      var unused = admin.describeCluster().nodes().get(FIRST_ANSWER_SECONDS_MAX, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw unreachable(e.getCause());
    } catch (TimeoutException e) {
      throw unreachable(new KafkaException("no answer in " + FIRST_ANSWER_SECONDS_MAX + " s"));
    }
  }

  private CommandFailure unreachable(Throwable why) {
    return new CommandFailure(
        ExitCode.UNAVAILABLE,
        "no Kafka broker at " + service.bootstrap() + " can be used: " + why.getMessage());
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public void create(String table, int partitions) throws InterruptedException {
    String topic = topic(table);
    topics.add(topic);
    try {
      call(
          "make the topic " + topic,
          admin.createTopics(List.of(new NewTopic(topic, partitions, (short) 1))).all());
    } catch (CommandFailure e) {
      if (e.exitCode() == ExitCode.FAILED) { // refused: whatever has that name is not ours
        topics.remove(topic);
      }
      throw e;
    }
  }

  @Override
  public void drop(String table) throws InterruptedException {
    String topic = topic(table);
    call("delete the topic " + topic, admin.deleteTopics(List.of(topic)).all());
    topics.remove(topic);
  }

  /** Names the group of a program that reads a table's topic; it goes with this peer too. */
  String addGroup(String table) {
    String group = group(table);
    groups.add(group);
    return group;
  }

  /** Deletes a group whose members have left. */
  void dropGroup(String table) throws InterruptedException {
    String group = group(table);
    call("delete the group " + group, deleteGroup(group));
    groups.remove(group);
  }

  private String group(String table) {
    return topic(table) + "-table";
  }

  /** Also one whose members had no time to leave. */
  private CompletableFuture<Void> deleteGroup(String group) {
    return admin
        .removeMembersFromConsumerGroup(group, new RemoveMembersFromConsumerGroupOptions())
        .all()
        .toCompletionStage()
        .handle((removed, nobodyThere) -> group)
        .thenCompose(name -> admin.deleteConsumerGroups(List.of(name)).all().toCompletionStage())
        .exceptionallyCompose(
            failure ->
                isUnknownGroup(failure)
                    ? CompletableFuture.completedFuture(null)
                    : CompletableFuture.failedFuture(failure))
        .toCompletableFuture();
  }

  private static boolean isUnknownGroup(Throwable failure) {
    return failure instanceof GroupIdNotFoundException
        || failure.getCause() instanceof GroupIdNotFoundException;
  }

  private void call(String what, KafkaFuture<Void> outcome) throws InterruptedException {
    call(what, outcome.toCompletionStage().toCompletableFuture());
  }

  private void call(String what, CompletableFuture<Void> outcome) throws InterruptedException {
    try {
      var unused = outcome.get(CALL_SECONDS_MAX, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw CommandFailure.failed(
          "Kafka at "
              + service.bootstrap()
              + " did not "
              + what
              + ": "
              + e.getCause().getMessage());
    } catch (TimeoutException e) {
      throw new CommandFailure(
          ExitCode.UNAVAILABLE,
          "Kafka at "
              + service.bootstrap()
              + " did not "
              + what
              + " within "
              + CALL_SECONDS_MAX
              + " s");
    }
  }

  String topic(String table) {
    return service.topicPrefix() + table;
  }

  /** Asks for the deletion of all topics and groups that are left, and waits so long for it. */
  public boolean dropAll(Duration longest) throws InterruptedException {
    List<CompletableFuture<Void>> outcomes =
        new ArrayList<>(groups.stream().map(this::deleteGroup).toList());
    if (!topics.isEmpty()) {
      outcomes.add(
          admin.deleteTopics(List.copyOf(topics)).all().toCompletionStage().toCompletableFuture());
    }
    try {
      var unused =
          CompletableFuture.allOf(outcomes.toArray(CompletableFuture<?>[]::new))
              .get(longest.toMillis(), TimeUnit.MILLISECONDS);
      groups.clear();
      topics.clear();
      return true;
    } catch (ExecutionException | TimeoutException | KafkaException e) {
      return false;
    }
  }

  /** Says what is still there. */
  public String left() {
    return "Kafka at "
        + service.bootstrap()
        + " still has the topics "
        + topics
        + (groups.isEmpty() ? "" : " and the groups " + groups);
  }

  @Override
  public RowWriter openWriter(String table) {
    return openWriter(service, topic(table), batches, acks);
  }

  /** A writer of records to a topic. */
  public static RowWriter openWriter(
      KafkaService service, String topic, BatchSettings batches, String acks) {
    Map<String, Object> settings = new HashMap<>(service.client());
    settings.putAll(
        Map.of(
            ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, service.bootstrap(),
            ProducerConfig.ACKS_CONFIG, acks,
            ProducerConfig.LINGER_MS_CONFIG, batches.lingerMs(),
            ProducerConfig.BATCH_SIZE_CONFIG, batches.kafkaBatchBytes(),
            ProducerConfig.BUFFER_MEMORY_CONFIG, batches.bufferBytes()));
    KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
    producer.partitionsFor(topic); // so that no round waits for them
    return new Writer(producer, topic);
  }

  @Override
  public RowReader openReader(String table, Look look, Arrivals arrivals) {
    return new KafkaReader(service, topic(table), look, arrivals);
  }

  @Override
  public OptionalLong serverCpuNanos() {
    return service.cpuNanos().get();
  }

  @Override
  public void close() {
    try {
      if (!dropAll(LAST_CALL_MAX)) {
        throw CommandFailure.failed(left());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      admin.close(LAST_CALL_MAX);
    }
  }

  private record Writer(KafkaProducer<byte[], byte[]> producer, String topic) implements RowWriter {

    @Override
    public void add(SourceRow row, Acknowledged acknowledged) {
      long sequence = row.sequence();
      producer.send(
          new ProducerRecord<>(topic, KafkaRow.key(row), KafkaRow.value(row)),
          (metadata, failure) -> acknowledged.completed(sequence, failure == null));
    }

    @Override
    public void flush() {
      producer.flush();
    }

    @Override
    public void close() {
      producer.close();
    }
  }
}
