package io.tunnel.it.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.condition.Condition;
import io.tunnel.condition.Returning;
import io.tunnel.it.process.ServerProcess;
import io.tunnel.it.process.Stage;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.RowResult.Outcome;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.security.AccessKey;
import io.tunnel.sdk.security.SecurityClient;
import io.tunnel.sdk.security.SecurityClient.IssuedKey;
import io.tunnel.sdk.security.SecurityClient.Permission;
import io.tunnel.sdk.table.CreateTableRequest;
import java.util.List;
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
    ClientConfig administrator = server.client();
    try (SecurityClient security = new SecurityClient(administrator)) {
      IssuedKey issued = security.createKey(principal);
      security.grant(Permission.allow(principal, List.of(rights), "table:" + SECRETS));
      AccessKey key = new AccessKey(issued.key().id(), issued.secret());
      return TableClient.connect(administrator.withSecurity(administrator.security().withKey(key)));
    }
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
}
