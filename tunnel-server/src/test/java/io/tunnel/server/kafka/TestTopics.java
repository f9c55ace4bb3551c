package io.tunnel.server.kafka;

import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.AlterConfigOp.OpType;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.config.ConfigResource;

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
}
