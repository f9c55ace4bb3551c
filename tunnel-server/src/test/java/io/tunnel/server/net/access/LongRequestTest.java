package io.tunnel.server.net.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.codec.MalformedException;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.Limits;
import io.tunnel.model.RefusedException;
import io.tunnel.model.TableMeta;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.server.TestRows;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.Control.CreateTable;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.OperatorControl.Seek;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A client without the right does not make the server parse a request of megabytes. */
final class LongRequestTest {

  private final TestGate at;
  private final Authority authority;

  LongRequestTest() throws IOException {
    at = new TestGate();
    authority = new Authority(at.catalog);
  }

  /** A request with that beginning, of a megabyte that is no JSON: whoever parses it fails. */
  private static byte[] garbage(String beginning) {
    return (beginning + "x".repeat(1 << 20)).getBytes(StandardCharsets.UTF_8);
  }

  private ErrorCode refused(Operation operation, byte[] payload, String principal) {
    try {
      authority.require(operation, payload, at.caller(principal));
    } catch (RefusedException e) {
      return e.code();
    }
    throw new AssertionError("not refused");
  }

  @Test
  void the_right_is_judged_before_the_rest_is_parsed() throws IOException {
    byte[] create = garbage("{\"meta\":{\"name\":\"orders\",\"primaryKey\":[");
    byte[] seek = garbage("{\"table\":\"orders\",\"tunnel\":\"t\",\"channels\":[");
    assertThat(refused(Operation.CREATE_TABLE, create, "eve")).isEqualTo(ErrorCode.NOT_PERMITTED);
    assertThat(refused(Operation.SEEK, seek, "eve")).isEqualTo(ErrorCode.TABLE_NOT_FOUND);
    at.allow("eve", "tunnel:orders/t", "consume");
    assertThat(refused(Operation.SEEK, seek, "eve")).isEqualTo(ErrorCode.NOT_PERMITTED);
    at.allow("eve", "tunnel:orders/t", "operate");
    at.allow("eve", "table:orders", "create");
    for (Operation operation : List.of(Operation.CREATE_TABLE, Operation.SEEK)) {
      byte[] payload = operation == Operation.SEEK ? seek : create;
      assertThatThrownBy(() -> authority.require(operation, payload, at.caller("eve")))
          .as("with the right it is parsed")
          .isInstanceOf(MalformedException.class);
    }
  }

  @Test
  void a_name_that_comes_late_is_refused_with_what_would_be_right() throws IOException {
    at.allow("eve", "table:*", "create");
    String filling = "\"x\":\"" + "x".repeat(LongRequest.BEGINNING_BYTES_MAX) + "\",";
    byte[] late = garbage("{" + filling + "\"meta\":{\"name\":\"orders\"");
    assertThatThrownBy(() -> authority.require(Operation.CREATE_TABLE, late, at.caller("eve")))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("'meta.name' in its first 65536 bytes");
    for (String none : List.of("", "[", "{", "{\"meta\":[", "{\"meta\":{\"name\":{", "\u0000")) {
      assertThat(refused(Operation.CREATE_TABLE, garbage(none), "eve"))
          .isEqualTo(ErrorCode.INVALID_REQUEST);
    }
  }

  @Test
  void a_second_name_behind_the_first_is_judged_too() throws IOException {
    at.allow("eve", "tunnel:mine/t", "operate");
    at.allow("eve", "table:orders", "read");
    String filling = "\"x\":\"" + "x".repeat(Limits.NAMING_REQUEST_BYTES_MAX) + "\",";
    byte[] twice =
        ("{\"table\":\"mine\",\"tunnel\":\"t\","
                + filling
                + "\"channels\":[],\"isDryRun\":false,\"position\":7,\"table\":\"orders\"}")
            .getBytes(StandardCharsets.UTF_8);
    assertThatThrownBy(() -> authority.require(Operation.SEEK, twice, at.caller("eve")))
        .isInstanceOfAny(RefusedException.class, MalformedException.class);
  }

  @Test
  void what_our_clients_send_has_its_names_in_front() {
    List<PrimaryKeyValue> points =
        IntStream.range(0, 30_000).mapToObj(i -> PrimaryKeyValue.fromString("p" + i)).toList();
    byte[] create =
        Json.encode(new CreateTable(new TableMeta("orders", TestRows.SCHEMA), points), "an-id");
    assertThat(LongRequest.is(Operation.CREATE_TABLE, create)).isTrue();
    assertThat(LongRequest.member(create, "meta", "name")).isEqualTo("orders");
    byte[] seek =
        Json.encode(
            new Seek(
                "orders",
                "t",
                IntStream.range(0, 50_000).mapToObj(i -> "channel" + i).toList(),
                Optional.empty(),
                Optional.of(7L),
                Optional.empty(),
                Optional.empty(),
                false),
            "an-id");
    assertThat(LongRequest.is(Operation.SEEK, seek)).isTrue();
    assertThat(LongRequest.member(seek, "table")).isEqualTo("orders");
    assertThat(LongRequest.member(seek, "tunnel")).isEqualTo("t");
  }

  @Test
  void the_audit_log_reads_no_more_of_a_refused_one() {
    byte[] seek = garbage("{\"table\":\"orders\",\"tunnel\":\"t\",\"channels\":[");
    assertThat(AuditedRequest.readRefused(Operation.SEEK, seek, at.catalog).resource())
        .contains("tunnel:orders/t");
    byte[] create = garbage("{\"meta\":{\"name\":\"orders\"");
    assertThat(AuditedRequest.readRefused(Operation.CREATE_TABLE, create, at.catalog).resource())
        .contains("table:orders");
    assertThat(AuditedRequest.readRefused(Operation.SEEK, garbage("{"), at.catalog).resource())
        .isEmpty();
  }
}
