package io.tunnel.flink.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.Durability;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TableOptions;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TableWriter;
import io.tunnel.sdk.TableWriterConfig;
import io.tunnel.sdk.testing.ClientRequest;
import io.tunnel.sdk.testing.InMemoryTunnelService;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A DELETE of a whole key, which is no job, against the service in the test's memory. */
class KeyedDeleteTest {

  private final InMemoryTunnelService service = InMemoryTunnelService.start();

  @AfterEach
  void stop() {
    service.close();
  }

  /** A table with row 1, which is there also after a power failure. */
  private SqlSession sql(Durability ofTable, String durability) {
    List<PrimaryKeySchema> key = List.of(new PrimaryKeySchema("id", PrimaryKeyType.INTEGER));
    service.createTable(new TableMeta("t", key, new TableOptions(ofTable)));
    try (TableClient client = TableClient.connect(service.endpoint());
        TableWriter writer =
            client.openWriter("t", TableWriterConfig.DEFAULTS.withDurability(Durability.FSYNC))) {
      var unused =
          writer.add(
              new RowPutChange(
                  PrimaryKey.builder().add("id", 1).build(),
                  List.of(new Column("n", ColumnValue.fromLong(1)))));
    }
    SqlSession sql = SqlSession.batch();
    var unused =
        sql.run(
            "CREATE TABLE t (id BIGINT, n BIGINT, PRIMARY KEY (id) NOT ENFORCED) WITH ("
                + "'connector'='tunnel', 'table'='t', 'endpoint'='"
                + service.endpoint()
                + "', 'sink.durability'='"
                + durability
                + "')");
    return sql;
  }

  @ParameterizedTest
  @CsvSource({"OS,fsync,0", "OS,table,1", "OS,os,1", "FSYNC,table,0", "FSYNC,os,1"})
  void a_deletion_survives_what_the_sink_is_told(
      Durability ofTable, String durability, int rowsAfterPowerFailure) throws Exception {
    SqlSession sql = sql(ofTable, durability);
    sql.finish("DELETE FROM t WHERE id = 1");
    assertThat(service.rows("t")).isEmpty();
    service.losePowerAndRestart();
    assertThat(service.rows("t")).hasSize(rowsAfterPowerFailure);
  }

  @Test
  void a_deletion_in_doubt_is_repeated() throws Exception {
    SqlSession sql = sql(Durability.OS, "table");
    service.doubtNextWrites(1);
    sql.finish("DELETE FROM t WHERE id = 1");
    assertThat(service.rows("t")).isEmpty();
  }

  @Test
  void a_deletion_that_is_refused_is_named() {
    SqlSession sql = sql(Durability.OS, "table");
    service.refuseNext(ClientRequest.WRITE, ErrorCode.ROW_TOO_LARGE);
    assertThatThrownBy(() -> sql.finish("DELETE FROM t WHERE id = 1"))
        .hasStackTraceContaining("row (id=1) of table 't' is not deleted")
        .hasStackTraceContaining("ROW_TOO_LARGE");
  }
}
