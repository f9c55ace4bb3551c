package io.tunnel.it.hostile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.it.process.ServerProcess;
import io.tunnel.it.process.Stage;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RefusedException;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.ClusterClient;
import io.tunnel.sdk.RowSession;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.security.SecurityClient.Permission;
import io.tunnel.sdk.table.CreateTableRequest;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A deputy, who is denied a table, ends row sessions, which takes their rows along. */
@Tag("proof-hostile")
class DeputyRowSessionTest {

  @RegisterExtension static final Stage STAGE = new Stage();

  private final ServerProcess server = STAGE.closedServer();

  /** A client that may do everything to the rows of a new table, and nothing else. */
  private TableClient owner(String principal, String table) {
    List<String> rights = List.of("create", "read", "write");
    TableClient tables =
        TableClient.connect(
            server.clientOf(principal, Permission.allow(principal, rights, "table:" + table)));
    var unused =
        tables.createTable(
            CreateTableRequest.builder(table).key("id", PrimaryKeyType.INTEGER).build());
    return tables;
  }

  private static RowSession bind(TableClient tables, String table) {
    RowSession session = tables.openSession(Duration.ofSeconds(60));
    RowPutChange row =
        new RowPutChange(
            PrimaryKey.builder().add("id", 1).build(),
            List.of(new Column("v", ColumnValue.fromLong(1))));
    assertThat(session.write(table, List.of(row)).allApplied()).isTrue();
    return session;
  }

  private static boolean isThere(TableClient tables, String table) {
    return tables.getRow(table, PrimaryKey.builder().add("id", 1).build()).isPresent();
  }

  @Test
  void ends_the_sessions_of_those_alone_who_may_do_no_more() {
    ClientConfig deputy =
        server.clientOf(
            "deputy",
            Permission.allow("deputy", List.of("admin"), "cluster"),
            Permission.deny("deputy", List.of("admin"), "table:salaries"));
    try (TableClient payroll = owner("payroll", "salaries");
        TableClient bob = owner("bob", "orders");
        ClusterClient cluster = new ClusterClient(deputy)) {
      RowSession paid = bind(payroll, "salaries");
      RowSession ordered = bind(bob, "orders");
      assertThatThrownBy(() -> cluster.endRowSession(paid.id()))
          .isInstanceOfSatisfying(
              RefusedException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_PERMITTED));
      assertThat(isThere(payroll, "salaries")).isTrue();
      cluster.endRowSession(ordered.id());
      assertThat(isThere(bob, "orders")).isFalse();
    }
  }
}
