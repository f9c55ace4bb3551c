package io.tunnel.it.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.fixtures.LocalServer;
import io.tunnel.fixtures.Poll;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RefusedException;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.RowSession;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.table.CreateTableRequest;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Rows of a server that are bound to a session, while the server stops and starts. */
@Tag("proof-service")
class BoundRowsTest {

  private static final String TABLE = "members";

  private LocalServer server;

  @BeforeEach
  void start() throws IOException {
    server = new LocalServer();
    var unused =
        server
            .client()
            .createTable(
                CreateTableRequest.builder(TABLE).key("id", PrimaryKeyType.INTEGER).build());
  }

  @AfterEach
  void stop() throws IOException {
    server.close();
  }

  private static PrimaryKey key(long id) {
    return PrimaryKey.builder().add("id", id).build();
  }

  private static RowChange put(long id) {
    return new RowPutChange(key(id), List.of(new Column("v", ColumnValue.fromLong(id))));
  }

  private boolean isThere(long id) {
    return server.client().getRow(TABLE, key(id)).isPresent();
  }

  @Test
  void a_session_survives_restarts_and_renews_itself_for_longer_than_its_lease()
      throws IOException {
    try (RowSession session = server.client().openSession(Duration.ofSeconds(3))) {
      session.write(TABLE, List.of(put(1)));
      for (int i = 0; i < 2; i++) {
        server.stop();
        server.start();
        assertThat(isThere(1)).isTrue();
      }
      session.write(TABLE, List.of(put(2)));
      long renewed = System.nanoTime() + Duration.ofSeconds(4).toNanos();
      Poll.until("more than a lease has passed", () -> System.nanoTime() - renewed > 0);
      assertThat(session.isOpen()).isTrue();
      assertThat(List.of(isThere(1), isThere(2))).containsOnly(true);
      assertThat(server.metric("tunnel_row_sessions")).isEqualTo(1);
    }
    assertThat(List.of(isThere(1), isThere(2))).containsOnly(false);
    assertThat(server.metric("tunnel_row_sessions")).isZero();
    assertThat(server.metric("tunnel_rows_unbound_total")).isEqualTo(2);
  }

  @Test
  void rows_of_a_client_that_is_gone_go_after_its_lease_also_when_the_server_was_down()
      throws IOException {
    RowSession lost;
    try (TableClient client = TableClient.connect(server.endpoint())) {
      lost = client.openSession(Duration.ofSeconds(2));
      lost.write(TABLE, List.of(put(1), put(2)));
      server.write(TABLE, List.of(put(2)));
      // The client ends while nobody hears of that.
      server.stop();
    }
    assertThat(lost.isOpen()).isFalse();
    server.start();
    Poll.until("row 1 is gone", () -> !isThere(1));
    assertThat(isThere(2)).isTrue();
  }

  @Test
  void a_session_that_nobody_can_renew_tells_its_owner_within_its_lease() throws IOException {
    RowSession session = server.client().openSession(Duration.ofSeconds(2));
    session.write(TABLE, List.of(put(1)));
    server.stop();
    assertThat(session.ended().join()).isEqualTo(RowSession.End.LOST);
    server.start();
    Poll.until("row 1 is gone", () -> !isThere(1));
    session.close();
  }

  @Test
  void a_lease_that_no_number_of_milliseconds_holds_is_refused_by_name() {
    assertThatThrownBy(() -> server.client().openSession(Duration.ofSeconds(Long.MAX_VALUE)))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("the lease of a session is 2000 to 3600000 ms");
  }
}
