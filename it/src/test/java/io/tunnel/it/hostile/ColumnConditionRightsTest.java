package io.tunnel.it.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.condition.Condition;
import io.tunnel.it.process.ServerProcess;
import io.tunnel.it.process.Stage;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.Returning;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.RowResult.Outcome;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.security.Secret;
import io.tunnel.sdk.security.SecurityClient;
import io.tunnel.sdk.security.SecurityClient.Permission;
import io.tunnel.sdk.table.CreateTableRequest;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Who may write and not read, and asks by conditions what the rows hold. */
@Tag("proof-hostile")
class ColumnConditionRightsTest {

  @RegisterExtension static final Stage STAGE = new Stage();

  private static final String SECRETS = "secrets";

  private final ServerProcess server = STAGE.closedServer();

  /** A client with a new key, whose principal has these rights on the table alone. */
  private TableClient as(String principal, String... rights) {
    return TableClient.connect(
        server.clientOf(
            principal, Permission.allow(principal, List.of(rights), "table:" + SECRETS)));
  }

  private static RowPutChange put(long value) {
    return new RowPutChange(
        PrimaryKey.builder().add("id", 1L).build(),
        List.of(new Column("v", ColumnValue.fromLong(value))));
  }

  /** Refused by a row that has 41, and by no row below. */
  private static RowUpdateChange add() {
    return new RowUpdateChange(
        PrimaryKey.builder().add("id", 1L).build(),
        List.of(new ColumnUpdate.Increment("v", Long.MAX_VALUE - 40)));
  }

  @Test
  void learns_nothing_without_the_right_to_read() {
    Condition guess = Condition.parse("v = 41");
    try (TableClient owner = as("owner", "create", "read", "write");
        TableClient writer = as("writer", "write")) {
      owner.createTable(
          CreateTableRequest.builder(SECRETS).key("id", PrimaryKeyType.INTEGER).build());
      owner.write(SECRETS, List.of(put(41)));

      var refused = writer.tryWrite(SECRETS, List.of(put(42).onlyIf(guess))).results().get(0);
      assertThat(refused.outcome()).isEqualTo(Outcome.REJECTED);
      assertThat(refused.error()).contains(ErrorCode.NOT_PERMITTED);
      assertThat(refused.message()).contains("read");

      var added = writer.tryWrite(SECRETS, List.of(add())).results().get(0);
      assertThat(added.error()).as("an overflow tells as much").contains(ErrorCode.NOT_PERMITTED);
      assertThat(owner.tryWrite(SECRETS, List.of(add())).results().get(0).error())
          .contains(ErrorCode.INTEGER_OVERFLOW);

      var asked = put(42).onlyIf(guess).returning(Returning.columns("v"));
      assertThat(writer.tryWrite(SECRETS, List.of(asked)).results().get(0).error())
          .contains(ErrorCode.NOT_PERMITTED);
      var update =
          new RowUpdateChange(
              put(0).primaryKey(), List.of(new ColumnUpdate.Put("w", ColumnValue.fromLong(1))));
      for (Returning columns :
          List.of(Returning.columns("v"), Returning.columns("v").whenRefused())) {
        var tells = writer.tryWrite(SECRETS, List.of(update.returning(columns))).results().get(0);
        assertThat(tells.error()).as("%s", columns).contains(ErrorCode.NOT_PERMITTED);
      }
      var key = writer.tryWrite(SECRETS, List.of(update.returning(Returning.KEY)));
      assertThat(key.results().get(0).returned().row().orElseThrow().columns()).isEmpty();

      var met = owner.tryWrite(SECRETS, List.of(put(42).onlyIf(guess))).results().get(0);
      assertThat(met.outcome()).isEqualTo(Outcome.APPLIED);
      var unmet = owner.tryWrite(SECRETS, List.of(put(43).onlyIf(guess))).results().get(0);
      assertThat(unmet.error()).contains(ErrorCode.CONDITION_FAILED);
      assertThat(writer.tryWrite(SECRETS, List.of(put(44))).results().get(0).outcome())
          .as("a plain write takes the right to write alone")
          .isEqualTo(Outcome.APPLIED);
    }
  }

  private void quota(String principal) {
    try (SecurityClient security = new SecurityClient(server.client())) {
      security.setQuota(new SecurityClient.Quota(principal, Map.of("readBytesPerSecond", 1L)));
    }
  }

  /** How often quotas made a principal wait. */
  private long waits(String principal) {
    String name = "tunnel_principal_slowed_total{principal=\"" + principal + "\"} ";
    Secret token;
    try (SecurityClient security = new SecurityClient(server.client())) {
      security.grant(Permission.allow("prometheus", List.of("read"), "cluster"));
      token = security.createToken("prometheus", Optional.empty()).text();
    }
    return server
        .get("/metrics", Optional.of(token))
        .body()
        .lines()
        .filter(line -> line.startsWith(name))
        .mapToLong(line -> (long) Double.parseDouble(line.substring(name.length())))
        .sum();
  }

  /** Each write is the only request of its client, which would wait for its debt. */
  @Test
  void pays_for_what_a_write_reads_as_for_a_read() {
    String large = "x".repeat(100_000);
    RowPutChange put =
        new RowPutChange(
            PrimaryKey.builder().add("id", 1L).build(),
            List.of(new Column("v", ColumnValue.fromString(large))));
    RowUpdateChange touch =
        new RowUpdateChange(
            put.primaryKey(), List.of(new ColumnUpdate.Put("w", ColumnValue.fromLong(1))));
    try (TableClient owner = as("owner", "create", "read", "write")) {
      owner.createTable(
          CreateTableRequest.builder(SECRETS).key("id", PrimaryKeyType.INTEGER).build());
      owner.write(SECRETS, List.of(put));
    }
    requirePays("condition", touch.onlyIf(Condition.parse("v = 'x'")));
    requirePays("returned", touch.returning(Returning.columns("v")));
    requirePays("own-columns", put.returning(Returning.columns("v")));
  }

  private void requirePays(String principal, RowChange change) {
    try (TableClient client = as(principal, "read", "write")) {
      quota(principal);
      assertThat(client.tryWrite(SECRETS, List.of(change)).results()).hasSize(1);
      assertThat(waits(principal)).as(principal).isPositive();
    }
  }
}
