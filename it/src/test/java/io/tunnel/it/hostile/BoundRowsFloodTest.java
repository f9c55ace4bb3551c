package io.tunnel.it.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.it.process.ServerProcess;
import io.tunnel.it.process.Stage;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.RowResult;
import io.tunnel.sdk.RowSession;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.security.SecurityClient.Permission;
import io.tunnel.sdk.table.CreateTableRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A principal binds as many rows as it gets, while another one needs a lock. */
@Tag("proof-hostile")
class BoundRowsFloodTest {

  private static final String TABLE = "locks";

  /** As many as a session binds in a partition. */
  private static final int OF_SESSION = 1_000;

  /** A sixth of the 100,000 rows that a shard takes has room for so many sessions. */
  private static final int SESSIONS = 16;

  @RegisterExtension static final Stage STAGE = new Stage();

  private final ServerProcess server = STAGE.closedServer();

  private TableClient as(String principal, String... rights) {
    return STAGE.closing(
        TableClient.connect(
            server.clientOf(
                principal, Permission.allow(principal, List.of(rights), "table:" + TABLE))));
  }

  private static List<RowChange> rows(long from) {
    return LongStream.range(from, from + OF_SESSION)
        .<RowChange>mapToObj(
            id ->
                new RowPutChange(
                    PrimaryKey.builder().add("id", id).build(),
                    List.of(new Column("v", ColumnValue.fromLong(id)))))
        .toList();
  }

  private static RowSession session(TableClient client) {
    return client.openSession(Duration.ofMinutes(10));
  }

  @Test
  void others_bind_their_rows_and_the_places_come_back() {
    TableClient modest = as("modest", "create", "read", "write");
    modest.createTable(CreateTableRequest.builder(TABLE).key("id", PrimaryKeyType.INTEGER).build());
    TableClient greedy = as("greedy", "write");
    List<RowSession> sessions = new ArrayList<>();
    for (long i = 0; i < SESSIONS; i++) {
      sessions.add(session(greedy));
      assertThat(sessions.get(sessions.size() - 1).write(TABLE, rows(i * OF_SESSION)).allApplied())
          .isTrue();
    }
    RowSession refused = session(greedy);
    List<RowChange> more = rows((long) SESSIONS * OF_SESSION);
    RowResult result = refused.tryWrite(TABLE, more).results().get(0);
    assertThat(result.error()).as(result.message()).contains(ErrorCode.LIMIT_REACHED);
    assertThat(result.message()).contains("principal 'greedy' has 16000 bound rows");
    assertThat(session(modest).write(TABLE, more).allApplied()).isTrue();
    sessions.get(0).close();
    assertThat(refused.write(TABLE, rows(0)).allApplied()).isTrue();
  }
}
