package io.tunnel.server.kafka;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.AlterConfigOp.OpType;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.PolicyViolationException;

/** What an operator does to topics. */
final class TestTopics {

  private TestTopics() {}

  static void alter(Admin admin, String topic, Map<String, String> settings) throws Exception {
    List<AlterConfigOp> operations =
        settings.entrySet().stream()
            .map(
                one -> new AlterConfigOp(new ConfigEntry(one.getKey(), one.getValue()), OpType.SET))
            .toList();
    admin
        .incrementalAlterConfigs(
            Map.of(new ConfigResource(ConfigResource.Type.TOPIC, topic), operations))
        .all()
        .get();
  }

  /**
   * Deletes the records before {@code offset} of the topic's only partition. The topic must have
   * the cleanup policy "delete", and a broker applies a changed policy some time after the broker
   * has acknowledged the change; until then the deletion is refused and repeated.
   */
  static void deleteBefore(Admin admin, String topic, long offset) throws Exception {
    Map<TopicPartition, RecordsToDelete> records =
        Map.of(new TopicPartition(topic, 0), RecordsToDelete.beforeOffset(offset));
    boolean isDeleted = false;
    while (!isDeleted) {
      try {
        admin.deleteRecords(records).all().get();
        isDeleted = true;
      } catch (ExecutionException e) {
        if (!(e.getCause() instanceof PolicyViolationException)) {
          throw e;
        }
      }
    }
  }
}
