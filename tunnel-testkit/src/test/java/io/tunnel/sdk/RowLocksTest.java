package io.tunnel.sdk;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.TableMeta;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.testing.InMemoryTunnelService;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class RowLocksTest {

  private static final PrimaryKey LOCK = PrimaryKey.builder().add("id", 1).build();

  @Test
  void the_fencing_number_of_a_lock_rises_with_each_owner() {
    List<Column> owner = List.of(new Column("v", ColumnValue.fromLong(1)));
    try (InMemoryTunnelService service = InMemoryTunnelService.start();
        TableClient tables = TableClient.connect(service.endpoint())) {
      service.createTable(
          new TableMeta("t", List.of(new PrimaryKeySchema("id", PrimaryKeyType.INTEGER))));
      List<Long> numbers = new ArrayList<>();
      for (int round = 0; round < 3; round++) {
        try (RowSession one = tables.openSession(Duration.ofSeconds(10));
            RowSession other = tables.openSession(Duration.ofSeconds(10))) {
          numbers.add(one.tryLock("t", LOCK, owner).orElseThrow());
          assertThat(other.tryLock("t", LOCK, owner)).isEqualTo(OptionalLong.empty());
          one.write("t", List.of(new RowDeleteChange(LOCK)));
          numbers.add(other.tryLock("t", LOCK, owner).orElseThrow());
          tables.write("t", List.of(new RowPutChange(key(2), owner)));
        }
      }
      assertThat(numbers).isSorted().doesNotHaveDuplicates().hasSize(6);
    }
  }

  private static PrimaryKey key(long id) {
    return PrimaryKey.builder().add("id", id).build();
  }
}
