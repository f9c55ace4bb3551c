package io.tunnel.server.kafka;

import io.tunnel.model.value.Bytes;
import java.nio.ByteBuffer;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.Uuid;

/** Tells topics of one name apart: a topic that is created again has another id in Kafka. */
final class TopicOrigins {

  private TopicOrigins() {}

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
