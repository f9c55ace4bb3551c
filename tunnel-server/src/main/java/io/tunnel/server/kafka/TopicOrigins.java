package io.tunnel.server.kafka;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.partition.Shard;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.Uuid;

/**
 * Tells topics of one name apart: Kafka gives each topic an id, and a topic that is created anew
 * another id. Caches answers for some seconds.
 */
final class TopicOrigins {

  private static final long KNOWN_NANOS_MAX = TimeUnit.SECONDS.toNanos(5);

  private final Admin admin;
  private final Shard.Clock clock;
  private final Map<String, Known> knownByTopic = new ConcurrentHashMap<>();

  private record Known(CompletableFuture<Bytes> origin, long askedNanos) {}

  TopicOrigins(Admin admin, Shard.Clock clock) {
    this.admin = admin;
    this.clock = clock;
  }

  CompletableFuture<Bytes> of(String topic) {
    long now = clock.nanos();
    return knownByTopic
        .compute(topic, (name, known) -> isGood(known, now) ? known : ask(name, now))
        .origin();
  }

  /** Drops the cached answer, so that the next question asks Kafka. */
  void forget(String topic) {
    knownByTopic.remove(topic);
  }

  private static boolean isGood(Known known, long nowNanos) {
    return known != null
        && nowNanos - known.askedNanos() < KNOWN_NANOS_MAX
        && !known.origin().isCompletedExceptionally();
  }

  private Known ask(String topic, long nowNanos) {
    CompletableFuture<Bytes> origin =
        AdminFutures.of(
                "describe topic " + topic,
                admin.describeTopics(List.of(topic)).topicNameValues().get(topic))
            .thenApply(TopicOrigins::origin);
    return new Known(origin, nowNanos);
  }

  /** The topic's id, from the bytes that {@link #origin} made of it. */
  static Uuid id(Bytes origin) {
    ByteBuffer bytes = ByteBuffer.wrap(origin.toByteArray());
    return new Uuid(bytes.getLong(), bytes.getLong());
  }

  static Bytes origin(TopicDescription topic) {
    Uuid id = topic.topicId();
    ByteBuffer bytes = ByteBuffer.allocate(2 * Long.BYTES);
    bytes.putLong(id.getMostSignificantBits()).putLong(id.getLeastSignificantBits());
    return Bytes.copyOf(bytes.array());
  }
}
