package io.tunnel.server.net.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.codec.MalformedException;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.TableMeta;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.server.TestRows;
import io.tunnel.server.catalog.Asked;
import io.tunnel.server.catalog.TableRecord;
import io.tunnel.server.catalog.TunnelCatalog;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.Json;
import java.io.IOException;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** What a caller may ask for, and what is said to those who may not. */
final class AuthorityTest {

  /** Each right that can be granted, alone on the table, the tunnel or the cluster; and others. */
  private static final List<String> ROLES =
      List.of(
          "none",
          "nobody",
          "elsewhere",
          "table:read",
          "table:write",
          "table:create",
          "table:alter",
          "table:drop",
          "table:admin",
          "tunnel:consume",
          "tunnel:create",
          "tunnel:drop",
          "tunnel:operate",
          "tunnel:admin",
          "cluster:read",
          "cluster:admin",
          "administrator",
          "anybody");

  private static final Set<String> EVERYTHING = Set.of("cluster:admin", "administrator", "anybody");

  /** Roles that may know of the table. */
  private static final Set<String> SEE_TABLE =
      ROLES.stream()
          .filter(role -> role.startsWith("table:") || role.startsWith("tunnel:"))
          .collect(Collectors.toSet());

  private static final Set<String> SEE_TUNNEL =
      ROLES.stream()
          .filter(role -> role.startsWith("tunnel:") || role.equals("table:admin"))
          .collect(Collectors.toSet());

  /**
   * For each operation the roles that may ask for the operation, beside the administrators; "all"
   * are all roles, and "-" is no role. Behind the roles stand the refusals: of roles that see the
   * named thing, of roles that see only its table, and of roles that see neither.
   */
  private static final String EXPECTED =
      """
      HELLO               | all                               | -             -                -
      AUTHENTICATE        | all                               | -             -                -
      CREATE_TABLE        | table:create table:admin          | NOT_PERMITTED NOT_PERMITTED    NOT_PERMITTED
      DESCRIBE_TABLE      | see-table                         | -             -                TABLE_NOT_FOUND
      LIST_TABLES         | all                               | -             -                -
      DROP_TABLE          | table:drop table:admin            | NOT_PERMITTED NOT_PERMITTED    TABLE_NOT_FOUND
      CREATE_TUNNEL       | tunnel:create tunnel:admin table:admin  | NOT_PERMITTED NOT_PERMITTED NOT_PERMITTED
      DESCRIBE_TUNNEL     | see-tunnel                        | -             TUNNEL_NOT_FOUND TABLE_NOT_FOUND
      LIST_TUNNELS        | see-table                         | -             -                TABLE_NOT_FOUND
      DELETE_TUNNEL       | tunnel:drop tunnel:admin table:admin    | NOT_PERMITTED TUNNEL_NOT_FOUND TABLE_NOT_FOUND
      PARTITION_MAP       | see-table                         | -             -                TABLE_NOT_FOUND
      SEEK                | tunnel:operate tunnel:admin table:admin | NOT_PERMITTED TUNNEL_NOT_FOUND TABLE_NOT_FOUND
      PAUSE               | tunnel:operate tunnel:admin table:admin | NOT_PERMITTED TUNNEL_NOT_FOUND TABLE_NOT_FOUND
      RESUME              | tunnel:operate tunnel:admin table:admin | NOT_PERMITTED TUNNEL_NOT_FOUND TABLE_NOT_FOUND
      END_SESSION         | tunnel:operate tunnel:admin table:admin | NOT_PERMITTED TUNNEL_NOT_FOUND TABLE_NOT_FOUND
      ALTER_TABLE         | table:alter table:admin           | NOT_PERMITTED NOT_PERMITTED    TABLE_NOT_FOUND
      EXPORT_CHECKPOINTS  | tunnel:operate tunnel:admin table:admin | NOT_PERMITTED TUNNEL_NOT_FOUND TABLE_NOT_FOUND
      DESCRIBE_CLUSTER    | all                               | -             -                -
      WRITE               | table:write table:admin           | NOT_PERMITTED NOT_PERMITTED    TABLE_NOT_FOUND
      OPEN_WRITER         | table:write table:admin           | NOT_PERMITTED NOT_PERMITTED    TABLE_NOT_FOUND
      GET_ROW             | table:read table:admin            | NOT_PERMITTED NOT_PERMITTED    TABLE_NOT_FOUND
      GET_ROWS            | table:read table:admin            | NOT_PERMITTED NOT_PERMITTED    TABLE_NOT_FOUND
      GET_RANGE           | table:read table:admin            | NOT_PERMITTED NOT_PERMITTED    TABLE_NOT_FOUND
      DESCRIBE_NODE       | all                               | -             -                -
      DRAIN_NODE          | -                                 | NOT_PERMITTED NOT_PERMITTED    NOT_PERMITTED
      UPGRADE             | -                                 | NOT_PERMITTED NOT_PERMITTED    NOT_PERMITTED
      OPEN_SESSION        | all                               | -             -                -
      CLOSE_SESSION       | all                               | -             -                -
      HEARTBEAT           | all                               | -             -                -
      OPEN_ROW_SESSION    | all                               | -             -                -
      RENEW_ROW_SESSION   | all                               | -             -                -
      CLOSE_ROW_SESSION   | all                               | -             -                -
      ASSIGN              | all                               | -             -                -
      REVOKE              | all                               | -             -                -
      RELEASE             | all                               | -             -                -
      DELIVER             | all                               | -             -                -
      CREDIT              | all                               | -             -                -
      CHECKPOINT          | all                               | -             -                -
      END_OF_CHANNEL      | all                               | -             -                -
      FENCE               | all                               | -             -                -
      SESSION_END         | all                               | -             -                -
      STOP_CHANNEL        | all                               | -             -                -
      ATTACH              | tunnel:consume tunnel:admin table:admin | NOT_PERMITTED TUNNEL_NOT_FOUND TABLE_NOT_FOUND
      DETACH              | all                               | -             -                -
      LIMIT               | all                               | -             -                -
      RENEW               | all                               | -             -                -
      SETTLED             | all                               | -             -                -
      READ_PARTITION      | table:read table:admin            | NOT_PERMITTED NOT_PERMITTED    TABLE_NOT_FOUND
      WATCH               | table:read table:admin            | NOT_PERMITTED NOT_PERMITTED    TABLE_NOT_FOUND
      FIND_POSITIONS      | table:read table:admin            | NOT_PERMITTED NOT_PERMITTED    TABLE_NOT_FOUND
      WHO_AM_I            | all                               | -             -                -
      ECHO                | all                               | -             -                -
      CREATE_KEY          | -                                 | NOT_PERMITTED NOT_PERMITTED    NOT_PERMITTED
      LIST_KEYS           | -                                 | NOT_PERMITTED NOT_PERMITTED    NOT_PERMITTED
      REVOKE_KEY          | -                                 | NOT_PERMITTED NOT_PERMITTED    NOT_PERMITTED
      ROTATE_KEY          | -                                 | NOT_PERMITTED NOT_PERMITTED    NOT_PERMITTED
      GRANT               | -                                 | NOT_PERMITTED NOT_PERMITTED    NOT_PERMITTED
      WITHDRAW            | -                                 | NOT_PERMITTED NOT_PERMITTED    NOT_PERMITTED
      LIST_PERMISSIONS    | -                                 | NOT_PERMITTED NOT_PERMITTED    NOT_PERMITTED
      CHANGE_GROUP        | -                                 | NOT_PERMITTED NOT_PERMITTED    NOT_PERMITTED
      LIST_GROUPS         | -                                 | NOT_PERMITTED NOT_PERMITTED    NOT_PERMITTED
      CREATE_TOKEN        | -                                 | NOT_PERMITTED NOT_PERMITTED    NOT_PERMITTED
      LIST_TOKENS         | -                                 | NOT_PERMITTED NOT_PERMITTED    NOT_PERMITTED
      REVOKE_TOKEN        | -                                 | NOT_PERMITTED NOT_PERMITTED    NOT_PERMITTED
      SET_QUOTA           | -                                 | NOT_PERMITTED NOT_PERMITTED    NOT_PERMITTED
      LIST_QUOTAS         | -                                 | NOT_PERMITTED NOT_PERMITTED    NOT_PERMITTED
      CHECKPOINT_SKIPPING | all                               | -             -                -
      """;

  private static final Map<Operation, Expected> EXPECTED_BY_OPERATION = expected();

  private record Expected(Set<String> allowed, List<String> refusals) {

    String of(String role) {
      if (allowed.contains(role)) {
        return "-";
      }
      return refusals.get(SEE_TUNNEL.contains(role) ? 0 : SEE_TABLE.contains(role) ? 1 : 2);
    }
  }

  private final TestGate at;
  private final Authority authority;
  private final TableRecord orders;
  private final TableRecord secret;
  private final AuthorityRequests requests;

  AuthorityTest() throws IOException {
    at = new TestGate();
    authority = new Authority(at.catalog);
    secret = table("secret");
    orders = table("orders");
    requests = new AuthorityRequests("orders", "sync", orders.tableId());
  }

  private TableRecord table(String name, String... splits) throws IOException {
    return at.catalog.createTable(
        new TableMeta(name, TestRows.SCHEMA),
        Arrays.stream(splits).map(PrimaryKeyValue::fromString).toList(),
        1);
  }

  private static Map<Operation, Expected> expected() {
    Map<Operation, Expected> all = new EnumMap<>(Operation.class);
    for (String line : EXPECTED.lines().toList()) {
      String[] parts = line.split("\\|", -1);
      Set<String> allowed = new TreeSet<>(EVERYTHING);
      for (String role : parts[1].strip().split(" +", -1)) {
        allowed.addAll(
            switch (role) {
              case "all" -> ROLES;
              case "see-table" -> SEE_TABLE;
              case "see-tunnel" -> SEE_TUNNEL;
              default -> Set.of(role);
            });
      }
      all.put(
          Operation.valueOf(parts[0].strip()),
          new Expected(allowed, List.of(parts[2].strip().split(" +", -1))));
    }
    return all;
  }

  @BeforeEach
  void partitionsAndTablesOfOneIdAreOfOneName() {
    assertThat(orders.partitions().get(0).id()).isEqualTo(orders.tableId());
  }

  private Caller caller(String role) throws IOException {
    at.clear();
    return switch (role) {
      case "anybody" -> Caller.anybody();
      case "nobody" -> Caller.nobody();
      case "administrator" -> at.caller("admin");
      case "none" -> at.caller("bob");
      case "elsewhere" -> {
        at.allow("bob", "table:other", "admin");
        at.allow("bob", "tunnel:other/sync", "consume");
        at.allow("ann", "cluster", "admin");
        yield at.caller("bob");
      }
      default -> {
        String[] parts = role.split(":", -1);
        String resource =
            switch (parts[0]) {
              case "table" -> "table:orders";
              case "tunnel" -> "tunnel:orders/sync";
              default -> "cluster";
            };
        at.allow("bob", resource, parts[1]);
        yield at.caller("bob");
      }
    };
  }

  private String decided(Operation operation, byte[] payload, Caller caller) {
    try {
      authority.require(operation, payload, caller);
      return "-";
    } catch (RefusedException e) {
      return e.code().name();
    }
  }

  @ParameterizedTest
  @EnumSource(Operation.class)
  void an_operation_is_allowed_to_whom_the_table_above_says(Operation operation)
      throws IOException {
    Expected expected = EXPECTED_BY_OPERATION.get(operation);
    assertThat(expected).as("a line for %s", operation).isNotNull();
    for (String role : ROLES) {
      assertThat(decided(operation, requests.payload(operation), caller(role)))
          .as("%s by %s", operation, role)
          .isEqualTo(expected.of(role));
    }
  }

  @Test
  void who_is_denied_a_right_is_as_who_never_had_it() throws IOException {
    for (String right : List.of("read", "admin")) {
      Caller bob = caller("table:read");
      at.deny("bob", "table:ord*", right);
      assertThat(decided(Operation.GET_ROW, requests.payload(Operation.GET_ROW), bob))
          .isEqualTo("TABLE_NOT_FOUND");
    }
  }

  /** What is said of something that is hidden, with its name, or number, taken out. */
  private String words(Operation operation, AuthorityRequests asked, Caller caller) {
    try {
      authority.require(operation, asked.payload(operation), caller);
      return "allowed";
    } catch (RefusedException e) {
      return e.code()
          + " "
          + caller
              .told(e)
              .getMessage()
              .replace(asked.table(), "TABLE")
              .replace(asked.tunnel(), "TUNNEL")
              .replace(String.valueOf(asked.id()), "ID");
    }
  }

  @ParameterizedTest
  @EnumSource(value = Operation.class, mode = Mode.EXCLUDE, names = "CREATE_KEY")
  void what_may_not_be_seen_is_refused_in_the_words_for_what_does_not_exist(Operation operation)
      throws IOException {
    Caller bob = caller("elsewhere");
    AuthorityRequests hidden = new AuthorityRequests("secret", "hidden_tunnel", secret.tableId());
    AuthorityRequests absent = new AuthorityRequests("absent", "missing_one", 77);
    assertThat(words(operation, hidden, bob)).isEqualTo(words(operation, absent, bob));
    at.catalog.dropTable(secret, Asked.NAMELESS);
    assertThat(words(operation, hidden, bob))
        .as("that it was dropped is not said either")
        .isEqualTo(words(operation, absent, bob));
  }

  private static RefusedException refusal(Supplier<?> question) {
    try {
      throw new AssertionError("found " + question.get());
    } catch (RefusedException e) {
      return e;
    }
  }

  /** The rooms say it of a name that a caller could see, the authority of one that it could not. */
  @Test
  void the_words_of_the_authority_are_those_of_the_rooms() throws IOException {
    TunnelCatalog tunnels = new TunnelCatalog(at.catalog);
    Caller bob = caller("table:read");
    for (RefusedException[] pair :
        List.of(
            new RefusedException[] {
              refusal(() -> at.catalog.table("secret2")),
              refused(Operation.DESCRIBE_TABLE, new AuthorityRequests("secret2", "x", 1), bob)
            },
            new RefusedException[] {
              refusal(() -> at.catalog.table(1_000)),
              refused(Operation.GET_ROW, new AuthorityRequests("x", "x", 1_000), bob)
            },
            new RefusedException[] {
              refusal(() -> at.catalog.tableOfPartition(1_000)),
              refused(Operation.ATTACH, new AuthorityRequests("x", "x", 1_000), bob)
            },
            new RefusedException[] {
              refusal(() -> tunnels.tunnel("orders", "sync")),
              refused(Operation.DESCRIBE_TUNNEL, requests, bob)
            })) {
      assertThat(bob.told(pair[0]).code()).isEqualTo(pair[1].code());
      assertThat(bob.told(pair[0])).hasMessage(bob.told(pair[1]).getMessage());
    }
  }

  private RefusedException refused(Operation operation, AuthorityRequests asked, Caller caller) {
    return refusal(
        () -> {
          authority.require(operation, asked.payload(operation), caller);
          return "";
        });
  }

  @Test
  void names_of_others_are_not_told_but_to_those_who_may_do_everything() throws IOException {
    RefusedException table = refusal(() -> at.catalog.table("nothing"));
    assertThat(table).hasMessageContaining("the tables are orders, secret");
    Caller bob = caller("table:read");
    assertThat(bob.told(table)).hasMessage("there is no table 'nothing'");
    assertThat(Caller.nobody().told(table)).hasMessage("there is no table 'nothing'");
    assertThat(Caller.anybody().told(table)).isSameAs(table);
    assertThat(at.caller("admin").told(table)).isSameAs(table);
    RefusedException other =
        new RefusedException(ErrorCode.NOT_PERMITTED, "no; it is for others to say");
    assertThat(bob.told(other)).isSameAs(other);
  }

  @Test
  void who_may_not_is_told_which_right_is_missing_and_where() throws IOException {
    Caller bob = caller("table:read");
    assertThat(refused(Operation.WRITE, requests, bob))
        .hasMessage(
            "'bob' does not have the right write on table orders; an administrator can grant it");
    assertThat(refused(Operation.CREATE_TUNNEL, requests, bob))
        .hasMessageContaining("the right create on tunnel orders/sync;");
    assertThat(refused(Operation.LIST_KEYS, requests, bob))
        .hasMessageContaining("the right admin on the cluster;");
  }

  @Test
  void a_channel_is_attached_to_with_a_grant_only() throws IOException {
    byte[] payload = Json.encode(requests.attach());
    for (String role : List.of("table:read", "tunnel:consume", "table:admin")) {
      assertThat(decided(Operation.ATTACH, payload, caller(role))).isEqualTo("NOT_PERMITTED");
    }
    assertThat(decided(Operation.ATTACH, payload, caller("none"))).isEqualTo("TABLE_NOT_FOUND");
    assertThat(decided(Operation.ATTACH, payload, caller("anybody"))).isEqualTo("-");
    byte[] ofNoTunnel = Json.encode(requests.attach().withGrant(Bytes.fromHex("00")));
    assertThat(decided(Operation.ATTACH, ofNoTunnel, caller("tunnel:consume")))
        .isEqualTo("NOT_PERMITTED");
  }

  @Test
  void a_request_that_is_cut_off_is_refused_as_such() throws IOException {
    Caller bob = caller("table:read");
    for (Operation operation :
        List.of(Operation.WRITE, Operation.GET_ROW, Operation.GET_ROWS, Operation.GET_RANGE)) {
      assertThatThrownBy(() -> authority.require(operation, new byte[3], bob))
          .isInstanceOf(MalformedException.class);
    }
    for (Operation operation : List.of(Operation.DROP_TABLE, Operation.ATTACH, Operation.SEEK)) {
      assertThatThrownBy(() -> authority.require(operation, new byte[] {'{'}, bob))
          .isInstanceOf(MalformedException.class);
    }
  }

  @Test
  void all_tunnels_may_be_listed_by_everybody_and_those_of_a_hidden_table_by_nobody()
      throws IOException {
    Caller bob = caller("elsewhere");
    assertThat(decided(Operation.LIST_TUNNELS, new byte[0], bob)).isEqualTo("-");
    assertThat(bob.sees("orders")).isFalse();
    assertThat(bob.sees("other")).isTrue();
    assertThat(bob.sees("other", "sync")).isTrue();
    assertThat(bob.sees("orders", "sync")).isFalse();
  }
}
