package io.tunnel.it.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.it.ledger.TestTable;
import io.tunnel.it.process.RawClient;
import io.tunnel.it.process.RawWrite;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.sdk.testing.InMemoryTunnelService;
import io.tunnel.sdk.testing.Rule;
import io.tunnel.wire.ChannelRef;
import io.tunnel.wire.Checkpoint;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.Control.TableDescription;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.OperatorControl.ChannelSelection;
import io.tunnel.wire.control.SessionControl;
import io.tunnel.wire.control.SessionControl.Assignment;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The fake that users test against finds what a correct client never does. */
class FakeRulesTest {

  private static final String TABLE = "rules";
  private static final String TUNNEL = "audit";

  private InMemoryTunnelService service;
  private RawClient raw;
  private String tunnelId;

  @BeforeEach
  void start() {
    service = InMemoryTunnelService.start();
    service.createTable(Contract.meta(TABLE));
    tunnelId = service.createTunnel(TABLE, TUNNEL, TunnelType.Stream);
    raw = connect();
  }

  private RawClient connect() {
    return RawClient.greeted(Integer.parseInt(service.endpoint().replaceFirst(".*:", "")));
  }

  @AfterEach
  void close() {
    raw.close();
    service.close();
  }

  private Assignment opened() {
    Control open = new SessionControl.OpenSession(tunnelId, "raw", 60_000, 0);
    var unused = raw.request(Operation.OPEN_SESSION, open, SessionControl.SessionOpened.class);
    return Json.decode(raw.awaitPush(Operation.ASSIGN).payload(), Assignment.class);
  }

  private static byte[] checkpoint(Assignment held, long position) {
    return new Checkpoint(held.handle(), held.epoch(), position).encode();
  }

  private void credit(Assignment held, int bytes) {
    raw.credit(held, bytes);
    raw.requireOpen();
  }

  private void assertBroken(Rule rule) {
    assertThat(service.violations()).singleElement().asString().startsWith(rule + ": ");
    assertThatThrownBy(service::verify)
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining(rule + ": ");
    service.verify();
  }

  @Test
  void a_correct_client_breaks_no_rule() {
    Assignment held = opened();
    service.write(TABLE, Contract.put(1, 1));
    credit(held, 1 << 20);
    assertThat(raw.awaitPush(Operation.DELIVER).payload()).isNotEmpty();
    assertThat(raw.request(Operation.CHECKPOINT, checkpoint(held, 1))).isEmpty();
    service.awaitProcessed(TABLE, TUNNEL);
    assertThat(service.violations()).isEmpty();
  }

  @Test
  void more_credit_than_a_worker_gives_is_found_unless_it_was_said_to_be_right() {
    service.creditBytesMax(100);
    Assignment held = opened();
    credit(held, 100);
    assertThat(service.violations()).isEmpty();
    credit(held, 1);
    assertBroken(Rule.CREDIT);
  }

  @Test
  void a_checkpoint_beyond_what_was_delivered_is_found() {
    Assignment held = opened();
    assertThat(raw.refused(Operation.CHECKPOINT, checkpoint(held, 1)).message()).isNotEmpty();
    assertBroken(Rule.CHECKPOINT);
  }

  @Test
  void an_epoch_that_was_never_given_is_found() {
    Assignment held = opened();
    byte[] forged = new Checkpoint(held.handle(), held.epoch() + 1, 0).encode();
    assertThat(raw.refused(Operation.CHECKPOINT, forged).message()).isNotEmpty();
    assertBroken(Rule.EPOCH);
  }

  @Test
  void what_is_said_about_a_channel_that_was_given_back_is_found() {
    Assignment held = opened();
    credit(held, 1);
    byte[] ref = new ChannelRef(held.handle(), held.epoch()).encode();
    assertThat(raw.request(Operation.RELEASE, ref)).isEmpty();
    credit(held, 1);
    assertBroken(Rule.EPOCH);
  }

  @Test
  void what_crosses_the_news_that_a_channel_was_taken_is_a_race_and_allowed() {
    Assignment held = opened();
    credit(held, 1);
    service.fence(held.channelId());
    credit(held, 1);
    assertThat(raw.refused(Operation.CHECKPOINT, checkpoint(held, 0)).message()).isNotEmpty();
    assertThat(service.violations()).isEmpty();
  }

  @Test
  void a_batch_of_rows_that_do_not_fit_their_table_is_found() {
    TableDescription table =
        raw.request(Operation.PARTITION_MAP, new Control.TableName(TABLE), TableDescription.class);
    byte[] rows =
        RawWrite.payload(
            new TestTable(TABLE, 1).meta(),
            table.tableId(),
            table.partitions().get(0).id(),
            List.of(
                new RowPutChange(
                    PrimaryKey.builder().add("hash", 1).add("id", "x").build(),
                    List.of(new Column("v", ColumnValue.fromLong(1))))));
    assertThat(raw.refused(Operation.WRITE, rows).message()).isNotEmpty();
    assertBroken(Rule.BATCH);
  }

  @Test
  void a_channel_that_is_not_given_back_in_time_is_found_and_taken() {
    Assignment held = opened();
    Control pause = new ChannelSelection(TABLE, TUNNEL, List.of());
    assertThat(raw.request(Operation.PAUSE, Json.encode(pause))).isEmpty();
    service.advanceWithHeartbeats(Duration.ofMillis(4_999));
    assertThat(service.violations()).isEmpty();
    service.advanceWithHeartbeats(Duration.ofMillis(1));
    SessionControl.Fence fence =
        Json.decode(raw.awaitPush(Operation.FENCE).payload(), SessionControl.Fence.class);
    assertThat(fence.epoch()).isEqualTo(held.epoch());
    assertBroken(Rule.REVOCATION);
  }

  @Test
  void a_payload_that_is_none_is_found() {
    assertThat(raw.refused(Operation.DESCRIBE_TABLE, new byte[] {1}).message()).isNotEmpty();
    assertBroken(Rule.PROTOCOL);
  }

  @Test
  void what_was_found_fails_the_test_at_its_end_too() {
    Assignment held = opened();
    assertThat(raw.refused(Operation.CHECKPOINT, checkpoint(held, 1)).message()).isNotEmpty();
    assertThatThrownBy(service::close)
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("CHECKPOINT: ");
  }

  @Test
  void a_lenient_service_refuses_and_forgets() {
    var unused = service.lenient(Rule.CHECKPOINT);
    Assignment held = opened();
    assertThat(raw.refused(Operation.CHECKPOINT, checkpoint(held, 1)).message()).isNotEmpty();
    assertThat(service.violations()).isEmpty();
    assertThat(raw.refused(Operation.DESCRIBE_TABLE, new byte[] {1}).message()).isNotEmpty();
    assertBroken(Rule.PROTOCOL);
  }
}
