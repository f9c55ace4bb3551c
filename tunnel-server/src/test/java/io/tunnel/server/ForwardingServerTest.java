package io.tunnel.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.ChannelType;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RefusedException;
import io.tunnel.model.TableMeta;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.server.config.ServerConfig;
import io.tunnel.server.config.ServerConfig.SecurityConfig;
import io.tunnel.server.forward.ForwardException;
import io.tunnel.server.forward.Forwarding.Changes;
import io.tunnel.server.forward.Forwarding.OnBehalf;
import io.tunnel.server.net.NetConfig;
import io.tunnel.server.net.audit.AuditTrail;
import io.tunnel.server.security.Principal;
import io.tunnel.server.security.files.TestSecurity;
import io.tunnel.server.security.files.TestSecurity.Authority;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.Control.TableName;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.PartitionControl.ReadPartition;
import io.tunnel.wire.control.SecurityControl.Identity;
import io.tunnel.wire.control.SecurityControl.PermissionInfo;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Requests that a real server makes to itself for principals. */
final class ForwardingServerTest {

  private static final TableMeta META =
      new TableMeta("orders", List.of(new PrimaryKeySchema("id", PrimaryKeyType.STRING)));
  private static final OnBehalf ADMIN = of("admin");
  private static final OnBehalf BOB = of("bob");
  private static final OnBehalf NOBODY = new OnBehalf(Optional.empty(), "192.0.2.9");

  @TempDir private Path directory;
  private Optional<Server> server = Optional.empty();

  @AfterEach
  void stop() throws IOException {
    if (server.isPresent()) {
      server.get().close();
    }
  }

  private static OnBehalf of(String principal) {
    return new OnBehalf(Optional.of(new Principal(principal)), "192.0.2.9");
  }

  private Server start(boolean isClosed, int connectionsMax) throws IOException {
    Path security = directory.resolve("security");
    TestSecurity.write(security, Authority.of("test"));
    ServerConfig config =
        ServerConfig.defaults(1)
            .withNet(new NetConfig("127.0.0.1", 0, -1, 1, connectionsMax, false))
            .withSecurity(isClosed ? new SecurityConfig(security.toString()) : SecurityConfig.NONE)
            .withAudit(new AuditTrail.Settings(AuditTrail.Written.ALL, 1 << 20, 2));
    server = Optional.of(Server.alone(directory.resolve("data"), config));
    return server.get();
  }

  private byte[] ask(OnBehalf who, Operation operation, byte[] payload) throws Exception {
    try {
      return server
          .orElseThrow()
          .forwarding()
          .ask(who, Optional.empty(), operation, payload, Duration.ofSeconds(30))
          .get(60, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw (Exception) e.getCause();
    }
  }

  private byte[] ask(OnBehalf who, Operation operation, Control payload) throws Exception {
    return ask(who, operation, Json.encode(payload));
  }

  private ErrorCode refusal(OnBehalf who, Operation operation, Control payload) throws Exception {
    try {
      byte[] unused = ask(who, operation, payload);
      throw new AssertionError("an answer");
    } catch (RefusedException e) {
      return e.code();
    }
  }

  private static PermissionInfo permission(String right) {
    return new PermissionInfo("bob", true, List.of(right), "table:orders");
  }

  private void create(OnBehalf who) throws Exception {
    byte[] unused = ask(who, Operation.CREATE_TABLE, new Control.CreateTable(META, List.of()));
  }

  @Test
  void a_principal_has_its_own_rights_at_each_request_and_none_of_the_server() throws Exception {
    Server unused = start(true, 100);
    create(ADMIN);
    TableName orders = new TableName("orders");
    assertThat(refusal(BOB, Operation.DESCRIBE_TABLE, orders)).isEqualTo(ErrorCode.TABLE_NOT_FOUND);
    byte[] granted = ask(ADMIN, Operation.GRANT, permission("read"));
    byte[] described = ask(BOB, Operation.DESCRIBE_TABLE, orders);
    assertThat(Json.decode(described, Control.TableDescription.class).meta().name())
        .isEqualTo("orders");
    assertThat(refusal(BOB, Operation.DROP_TABLE, orders)).isEqualTo(ErrorCode.NOT_PERMITTED);
    byte[] withdrawn = ask(ADMIN, Operation.WITHDRAW, permission("read"));
    assertThat(refusal(BOB, Operation.DESCRIBE_TABLE, orders)).isEqualTo(ErrorCode.TABLE_NOT_FOUND);
    assertThat(granted).isNotNull();
    assertThat(withdrawn).isNotNull();
  }

  private Changes read(int partition) throws Exception {
    ReadPartition behind =
        new ReadPartition(
            partition, ChannelType.Stream, 0, Bytes.EMPTY, Optional.empty(), Optional.empty());
    try {
      return server
          .orElseThrow()
          .forwarding()
          .read(BOB, behind, 1_000, Duration.ofMillis(100))
          .get(60, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw (Exception) e.getCause();
    }
  }

  private void requireNoChangesFor(int partition, ErrorCode code) {
    assertThatThrownBy(() -> read(partition))
        .isInstanceOfSatisfying(RefusedException.class, e -> assertThat(e.code()).isEqualTo(code));
  }

  @Test
  void changes_are_read_with_the_right_read_of_the_principal_alone() throws Exception {
    Server unused = start(true, 100);
    create(ADMIN);
    TableName orders = new TableName("orders");
    int partition =
        Json.decode(ask(ADMIN, Operation.PARTITION_MAP, orders), Control.TableDescription.class)
            .partitions()
            .get(0)
            .id();
    requireNoChangesFor(partition, ErrorCode.TABLE_NOT_FOUND);
    byte[] mayWrite = ask(ADMIN, Operation.GRANT, permission("write"));
    requireNoChangesFor(partition, ErrorCode.NOT_PERMITTED);
    byte[] mayRead = ask(ADMIN, Operation.GRANT, permission("read"));
    assertThat(read(partition).delivery()).isEmpty();
    byte[] withdrawn = ask(ADMIN, Operation.WITHDRAW, permission("read"));
    requireNoChangesFor(partition, ErrorCode.NOT_PERMITTED);
    assertThat(List.of(mayWrite, mayRead, withdrawn)).hasSize(3);
  }

  @Test
  void the_server_says_who_asks_and_asks_for_nobody_on_a_closed_server() throws Exception {
    Server unused = start(true, 100);
    Identity bob = Json.decode(ask(BOB, Operation.WHO_AM_I, new byte[0]), Identity.class);
    assertThat(bob.toString()).contains("bob").doesNotContain("admin");
    assertThat(refusal(NOBODY, Operation.LIST_TABLES, new Control.Empty()))
        .isEqualTo(ErrorCode.NOT_AUTHENTICATED);
    OnBehalf subject = of("CN=" + "ü".repeat(200));
    assertThat(refusal(subject, Operation.LIST_TABLES, new Control.Empty()))
        .isEqualTo(ErrorCode.INVALID_REQUEST);
    assertThat(refusal(of("CN=reports,O=Example"), Operation.DESCRIBE_TABLE, new TableName("x")))
        .isEqualTo(ErrorCode.TABLE_NOT_FOUND);
  }

  @Test
  void the_audit_log_says_principal_and_address() throws Exception {
    Server closed = start(true, 100);
    create(ADMIN);
    assertThat(refusal(BOB, Operation.DROP_TABLE, new TableName("orders")))
        .isEqualTo(ErrorCode.TABLE_NOT_FOUND);
    closed.close();
    assertThat(audit("CREATE_TABLE"))
        .contains("\"principal\":\"admin\",\"address\":\"via server from 192.0.2.9\"");
    assertThat(audit("DROP_TABLE"))
        .contains("\"principal\":\"bob\",\"address\":\"via server from 192.0.2.9\"");
  }

  @Test
  void the_audit_log_of_an_open_server_says_the_address() throws Exception {
    Server open = start(false, 100);
    create(NOBODY);
    open.close();
    assertThat(audit("CREATE_TABLE"))
        .contains("\"address\":\"via server from 192.0.2.9\"")
        .doesNotContain("principal");
  }

  private String audit(String operation) throws IOException {
    return Files.readString(directory.resolve("data/audit/audit.jsonl"))
        .lines()
        .filter(line -> line.contains("\"" + operation + "\""))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void a_crowded_port_does_not_lock_the_server_out() throws Exception {
    Server crowded = start(true, 1);
    List<Socket> sockets = new ArrayList<>();
    try {
      for (int i = 0; i < 4; i++) {
        sockets.add(
            new Socket(crowded.localAddress().getAddress(), crowded.localAddress().getPort()));
      }
      create(ADMIN);
    } finally {
      for (Socket socket : sockets) {
        socket.close();
      }
    }
  }

  @Test
  void a_server_that_has_no_other_nodes_knows_no_name_but_its_own() throws Exception {
    Server alone = start(false, 100);
    assertThat(alone.forwarding())
        .satisfies(
            forwarding ->
                assertThat(
                        forwarding.ask(
                            NOBODY,
                            Optional.of("n1"),
                            Operation.LIST_TABLES,
                            new byte[0],
                            Duration.ofSeconds(30)))
                    .failsWithin(Duration.ofSeconds(60))
                    .withThrowableOfType(ExecutionException.class)
                    .withCauseInstanceOf(ForwardException.class)
                    .withMessageContaining("there is no node 'n1'"));
  }
}
