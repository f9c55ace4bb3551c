package io.tunnel.server.net.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.TableMeta;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.server.catalog.TableRecord;
import io.tunnel.server.net.audit.AuditTrail;
import io.tunnel.server.net.audit.AuditTrail.Settings;
import io.tunnel.server.net.audit.AuditTrail.Written;
import io.tunnel.server.security.Principal;
import io.tunnel.server.security.Voucher;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.ClusterControl.DrainNode;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.OperatorControl.ChannelSelection;
import io.tunnel.wire.control.OperatorControl.Seek;
import io.tunnel.wire.control.SecurityControl.ChangeGroup;
import io.tunnel.wire.control.SecurityControl.CreateKey;
import io.tunnel.wire.control.SecurityControl.CreateToken;
import io.tunnel.wire.control.SecurityControl.KeyInfo;
import io.tunnel.wire.control.SecurityControl.KeySecret;
import io.tunnel.wire.control.SecurityControl.PermissionInfo;
import io.tunnel.wire.control.SecurityControl.QuotaChange;
import io.tunnel.wire.control.SecurityControl.QuotaLimit;
import io.tunnel.wire.control.SecurityControl.RotateKey;
import io.tunnel.wire.control.SecurityControl.TokenInfo;
import io.tunnel.wire.control.SecurityControl.TokenSecret;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Which requests are written to the audit log, and what is said of them. */
final class AuditLogTest {

  private static final InetSocketAddress ADDRESS = new InetSocketAddress("10.0.0.7", 51_312);
  private static final TableMeta META =
      new TableMeta("orders", List.of(new PrimaryKeySchema("id", PrimaryKeyType.STRING)));

  @TempDir private Path data;
  private final TestGate at;
  private final TableRecord table;

  AuditLogTest() throws IOException {
    at = new TestGate();
    table =
        at.catalog.createTable(META, List.of(PrimaryKeyValue.fromString("a-secret-row-key")), 0);
  }

  private AuditLog log(Written requests) {
    return new AuditLog(
        new AuditTrail(
            new Settings(requests, 1 << 20, 1),
            data,
            Optional.empty(),
            new AuditTrail.Clock(at.nanos::get, at.epochMs::get),
            Runnable::run),
        at.catalog);
  }

  private String written() throws IOException {
    return written("administration") + written("audit");
  }

  private String written(String name) throws IOException {
    try {
      return Files.readString(data.resolve(name + ".jsonl"));
    } catch (NoSuchFileException e) {
      return "";
    }
  }

  private static Frame frame(Operation operation, byte[] payload) {
    return new Frame(operation, FrameKind.REQUEST, 1, payload);
  }

  private static Frame frame(Operation operation, Control payload) {
    return frame(operation, Json.encode(payload));
  }

  private String done(Operation operation, Control payload) throws IOException {
    return done(operation, payload, new Control.Empty());
  }

  private String done(Operation operation, Control payload, Control answer) throws IOException {
    String file = operation.right() == Operation.Right.ADMIN ? "administration" : "audit";
    log(Written.REFUSED)
        .done(frame(operation, payload), Json.encode(answer), at.caller("CN=ops"), ADDRESS);
    List<String> lines = written(file).lines().toList();
    return lines.isEmpty() ? "" : lines.get(lines.size() - 1);
  }

  private static String said(String operation, String resource, String detail) {
    return "\"principal\":\"CN=ops\",\"address\":\"10.0.0.7:51312\",\"operation\":\""
        + operation
        + "\",\"resource\":\""
        + resource
        + "\""
        + (detail.isEmpty() ? "" : ",\"detail\":\"" + detail + "\"")
        + ",\"outcome\":\"ok\"}";
  }

  @Test
  void a_request_for_which_a_node_vouches_is_written_with_principal_node_and_address()
      throws IOException {
    Voucher voucher = at.gate.vouch(Principal.ofKey("alice"), "192.0.2.9", "n1").voucher();
    Caller vouched = at.gate.vouched(voucher);
    AuditLog log = log(Written.ALL);
    log.entered(vouched, ADDRESS);
    log.refused(
        frame(Operation.DROP_TABLE, new Control.TableName("orders")),
        vouched,
        ErrorCode.NOT_PERMITTED,
        ADDRESS);
    log.ended(vouched, ErrorCode.NOT_AUTHENTICATED, ADDRESS);
    assertThat(written("audit").lines())
        .hasSize(3)
        .allSatisfy(
            line ->
                assertThat(line)
                    .contains("\"principal\":\"alice\",\"address\":\"via n1 from 192.0.2.9\"")
                    .doesNotContain("10.0.0.7"));
  }

  @Test
  void what_administrators_do_is_said_without_keys_of_rows() throws IOException {
    assertThat(
            done(
                Operation.CREATE_TABLE,
                new Control.CreateTable(META, List.of(PrimaryKeyValue.fromString("mmm")))))
        .endsWith(said("CREATE_TABLE", "table:orders", "2 partitions"))
        .doesNotContain("mmm");
    assertThat(done(Operation.DROP_TABLE, new Control.TableName("orders")))
        .endsWith(said("DROP_TABLE", "table:orders", ""));
    assertThat(
            done(
                Operation.RESUME,
                new ChannelSelection("orders", "a", List.of("1", "2", "3", "4", "5", "6", "7"))))
        .endsWith(said("RESUME", "tunnel:orders/a", "channels 1, 2, 3, 4, 5, 6, 7"));
    assertThat(done(Operation.SEEK, seek(true)))
        .endsWith(said("SEEK", "tunnel:orders/a", "dry run behind position 7, channel 1"));
    assertThat(done(Operation.DRAIN_NODE, new DrainNode(true)))
        .endsWith(said("DRAIN_NODE", "cluster", "begins"));
    assertThat(
            done(
                Operation.GRANT,
                new PermissionInfo("billing", true, List.of("read", "write"), "table:ord*")))
        .endsWith(said("GRANT", "table:ord*", "allow read, write to billing"));
    assertThat(
            done(Operation.CHANGE_GROUP, new ChangeGroup("ops", List.of("a"), List.of("b", "c"))))
        .endsWith(said("CHANGE_GROUP", "group:ops", "adds a; removes b, c"));
    assertThat(
            done(
                Operation.SET_QUOTA,
                new QuotaChange(
                    "billing", List.of(new QuotaLimit("tables", 3)), List.of("tunnels"))))
        .endsWith(said("SET_QUOTA", "principal:billing", "tunnels=none, tables=3"));
  }

  @Test
  void what_was_granted_is_said_whole() throws IOException {
    List<String> all = List.of("read", "write", "create", "alter", "drop", "admin");
    assertThat(done(Operation.GRANT, new PermissionInfo("eve", true, all, "table:*")))
        .endsWith(said("GRANT", "table:*", "allow read, write, create, alter, drop, admin to eve"));
    List<String> members = IntStream.range(0, 1_000).mapToObj(i -> "member-" + i).toList();
    assertThat(done(Operation.CHANGE_GROUP, new ChangeGroup("ops", members, List.of())))
        .endsWith(said("CHANGE_GROUP", "group:ops", "adds " + String.join(", ", members)));
  }

  @Test
  void what_was_made_is_named_by_its_id_and_never_by_its_secret() throws IOException {
    KeyInfo key = new KeyInfo("tkabc", "billing", 1, 5);
    assertThat(
            done(
                Operation.CREATE_KEY,
                new CreateKey("billing"),
                new KeySecret(key, "a-secret-of-a-key")))
        .endsWith(said("CREATE_KEY", "principal:billing", "key tkabc of billing"));
    assertThat(
            done(
                Operation.ROTATE_KEY,
                new RotateKey("tkabc", false),
                new KeySecret(key, "a-secret-of-a-key")))
        .endsWith(said("ROTATE_KEY", "key:tkabc", "begins; key tkabc of billing"));
    TokenInfo token = new TokenInfo("thxyz", "CN=prom", 5, Optional.empty());
    assertThat(
            done(
                Operation.CREATE_TOKEN,
                new CreateToken("CN=prom", Optional.empty()),
                new TokenSecret(token, "a-token")))
        .endsWith(said("CREATE_TOKEN", "principal:CN=prom", "token thxyz"));
    assertThat(written()).doesNotContain("a-secret").doesNotContain("a-token");
  }

  @Test
  void what_administrators_do_is_in_files_that_nobody_else_fills() throws IOException {
    String granted =
        done(Operation.GRANT, new PermissionInfo("eve", true, List.of("read"), "table:*"));
    for (int i = 0; i < 100; i++) {
      done(Operation.EXPORT_CHECKPOINTS, new Control.TunnelName("orders", "a"));
      log(Written.REFUSED)
          .refused(
              frame(Operation.GRANT, new byte[0]),
              at.caller("eve"),
              ErrorCode.NOT_PERMITTED,
              ADDRESS);
    }
    assertThat(written("administration").lines()).containsExactly(granted);
    assertThat(written("audit").lines()).hasSize(200);
  }

  private static Seek seek(boolean isDryRun) {
    return new Seek(
        "orders",
        "a",
        List.of("1"),
        Optional.empty(),
        Optional.empty(),
        Optional.of(7L),
        Optional.empty(),
        isDryRun);
  }

  private Set<Operation> writtenOf(Written requests) throws IOException {
    Set<Operation> written = EnumSet.noneOf(Operation.class);
    AuthorityRequests asked = new AuthorityRequests("orders", "a", table.tableId());
    for (Operation operation : Operation.values()) {
      int before = written().length();
      log(requests)
          .done(frame(operation, asked.payload(operation)), new byte[0], at.caller("ops"), ADDRESS);
      if (written().length() > before) {
        written.add(operation);
      }
    }
    return written;
  }

  @Test
  void administrative_requests_are_always_written_and_others_by_choice() throws IOException {
    Set<Operation> always = writtenOf(Written.REFUSED);
    Set<Operation> changes = writtenOf(Written.CHANGES);
    assertThat(always)
        .contains(
            Operation.CREATE_TABLE,
            Operation.GRANT,
            Operation.LIST_KEYS,
            Operation.SEEK,
            Operation.DRAIN_NODE)
        .doesNotContain(Operation.WRITE, Operation.GET_ROW, Operation.HEARTBEAT);
    assertThat(changes)
        .containsAll(always)
        .contains(Operation.WRITE, Operation.OPEN_SESSION, Operation.CHECKPOINT)
        .doesNotContain(Operation.GET_ROW, Operation.HEARTBEAT, Operation.LIST_TABLES);
    assertThat(writtenOf(Written.ALL)).containsExactlyInAnyOrder(Operation.values());
    assertThat(written()).doesNotContain("a-secret-row-key");
  }

  @ParameterizedTest
  @EnumSource(ErrorCode.class)
  void refusals_for_want_of_a_right_are_always_written(ErrorCode code) throws IOException {
    byte[] get = new AuthorityRequests("orders", "a", table.tableId()).payload(Operation.GET_ROW);
    log(Written.CHANGES)
        .refused(frame(Operation.GET_ROW, get), at.caller("billing"), code, ADDRESS);
    boolean isWritten =
        Set.of(
                ErrorCode.NOT_PERMITTED,
                ErrorCode.NOT_AUTHENTICATED,
                ErrorCode.TABLE_NOT_FOUND,
                ErrorCode.TUNNEL_NOT_FOUND)
            .contains(code);
    assertThat(written().contains("\"outcome\":\"" + code + "\"")).isEqualTo(isWritten);
    assertThat(written().contains("\"resource\":\"table:orders\"")).isEqualTo(isWritten);
  }

  @Test
  void a_payload_that_is_none_is_about_nothing() throws IOException {
    byte[] garbage = new byte[1 << 20];
    Arrays.fill(garbage, (byte) '{');
    for (Operation operation : Operation.values()) {
      log(Written.ALL)
          .refused(frame(operation, garbage), at.caller("x"), ErrorCode.INVALID_REQUEST, ADDRESS);
    }
    assertThat(written().lines()).hasSizeGreaterThan(40);
    assertThat(written()).doesNotContain("{{").doesNotContain("resource");
  }

  @Test
  void strangers_are_counted_by_their_network() throws IOException {
    AuditLog log = log(Written.REFUSED);
    for (String host : List.of("2001:db8::1", "2001:db8::2", "10.0.0.7", "10.0.0.7")) {
      log.notEntered(ErrorCode.NOT_AUTHENTICATED, new InetSocketAddress(host, 1));
    }
    assertThat(written().lines()).hasSize(2);
    assertThat(written()).contains("\"outcome\":\"NOT_AUTHENTICATED\"").doesNotContain("principal");
  }

  @Test
  void visitors_of_the_http_port_are_written_when_they_are_refused() throws IOException {
    log(Written.REFUSED).refusedVisit(Optional.empty(), ADDRESS);
    log(Written.REFUSED).refusedVisit(Optional.of(at.caller("billing")), ADDRESS);
    assertThat(written().lines())
        .hasSize(2)
        .anyMatch(line -> line.contains("\"operation\":\"HTTP\",\"outcome\":\"NOT_AUTHENTICATED\""))
        .anyMatch(line -> line.contains("billing") && line.contains("NOT_PERMITTED"));
  }

  @Test
  void whoever_is_let_in_is_written_by_choice() throws IOException {
    log(Written.REFUSED).entered(at.caller("billing"), ADDRESS);
    assertThat(written()).isEmpty();
    log(Written.CHANGES).entered(at.caller("billing"), ADDRESS);
    assertThat(written()).contains("\"operation\":\"CONNECT\",\"outcome\":\"ok\"");
    AuditLog.none().entered(at.caller("billing"), ADDRESS);
    AuditLog.none().notEntered(ErrorCode.NOT_AUTHENTICATED, ADDRESS);
  }
}
