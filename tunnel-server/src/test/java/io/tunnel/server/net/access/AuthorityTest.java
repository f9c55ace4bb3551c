package io.tunnel.server.net.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.codec.MalformedException;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.OptionsChange;
import io.tunnel.model.RefusedException;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TableOptions;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.server.TestRows;
import io.tunnel.server.catalog.Asked;
import io.tunnel.server.catalog.TableRecord;
import io.tunnel.server.catalog.TunnelCatalog;
import io.tunnel.wire.Operation;
import io.tunnel.wire.Operation.Right;
import io.tunnel.wire.control.Json;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
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

  private static final List<OperationsPage.Row> PAGE = OperationsPage.rows();

  private static final Map<Operation, Expected> EXPECTED_BY_OPERATION = expected();

  /** Operations whose right the server checks again while the connection lives. */
  private static final Set<Operation> HELD =
      EnumSet.of(
          Operation.OPEN_SESSION, Operation.ATTACH, Operation.READ_PARTITION, Operation.WATCH);

  /**
   * @param allowed roles that may ask for the operation
   * @param refusals of roles that see the named thing, of roles that see only its table, and of
   *     roles that see neither; "-" where no such role is refused
   */
  private record Expected(Set<String> allowed, List<String> refusals) {

    String of(String role) {
      if (allowed.contains(role)) {
        return "-";
      }
      return refusals.get(SEE_TUNNEL.contains(role) ? 0 : SEE_TABLE.contains(role) ? 1 : 2);
    }

    static Expected of(OperationsPage.Row row) {
      Set<String> allowed = new TreeSet<>(EVERYTHING);
      String right = row.right().orElse("");
      if (row.isAboutTable() && right.isEmpty()) {
        allowed.addAll(SEE_TABLE);
        return new Expected(allowed, List.of("-", "-", "TABLE_NOT_FOUND"));
      }
      if (row.isAboutTunnel() && right.isEmpty()) {
        allowed.addAll(SEE_TUNNEL);
        return new Expected(allowed, List.of("-", "TUNNEL_NOT_FOUND", "TABLE_NOT_FOUND"));
      }
      String none = "NOT_PERMITTED";
      if (row.isAboutTable()) {
        allowed.addAll(Set.of("table:" + right, "table:admin"));
        return new Expected(
            allowed,
            List.of(
                none, none, right.equals("create") || row.isOnAny() ? none : "TABLE_NOT_FOUND"));
      }
      if (row.isAboutTunnel() && !row.isDecidedById()) {
        allowed.addAll(Set.of("tunnel:" + right, "tunnel:admin", "table:admin"));
        return new Expected(
            allowed,
            right.equals("create")
                ? List.of(none, none, none)
                : List.of(none, "TUNNEL_NOT_FOUND", "TABLE_NOT_FOUND"));
      }
      if (row.isAboutCluster()) {
        return new Expected(allowed, List.of(none, none, none));
      }
      allowed.addAll(ROLES);
      return new Expected(allowed, List.of());
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
    for (OperationsPage.Row row : PAGE) {
      for (Operation operation : row.operations()) {
        assertThat(all.put(operation, Expected.of(row))).as("%s again", operation).isNull();
      }
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
      case "deputy" -> {
        at.allow("bob", "cluster", "admin");
        at.deny("bob", "table:orders", "admin");
        yield at.caller("bob");
      }
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
  void an_operation_is_allowed_to_whom_the_page_says(Operation operation) throws IOException {
    Expected expected = expected(operation);
    for (String role : ROLES) {
      assertThat(decided(operation, requests.payload(operation), caller(role)))
          .as("%s by %s", operation, role)
          .isEqualTo(expected.of(role));
    }
  }

  private static Expected expected(Operation operation) {
    Expected expected = EXPECTED_BY_OPERATION.get(operation);
    assertThat(expected)
        .as("a row for %s in the table 'Every operation' of docs/operate/security.md", operation)
        .isNotNull();
    return expected;
  }

  @ParameterizedTest
  @EnumSource(Operation.class)
  void a_right_that_is_withdrawn_counts_for_no_further_request(Operation operation)
      throws IOException {
    Expected expected = expected(operation);
    for (String role : ROLES) {
      if (EVERYTHING.contains(role) && !role.equals("cluster:admin")) {
        continue;
      }
      Caller caller = caller(role);
      assertThat(decided(operation, requests.payload(operation), caller))
          .isEqualTo(expected.of(role));
      at.clear();
      assertThat(decided(operation, requests.payload(operation), caller))
          .as("%s by %s, whose rights are gone", operation, role)
          .isEqualTo(expected.of("none"));
    }
  }

  @ParameterizedTest
  @EnumSource(Operation.class)
  void a_node_without_a_key_may_look_and_nothing_else(Operation operation) {
    assertThat(decided(operation, requests.payload(operation), Caller.node()))
        .isEqualTo(operation == Operation.LOOK ? "-" : "NOT_PERMITTED");
  }

  /** Such as a key of the table: the deputy does everything but what names the table. */
  @ParameterizedTest
  @EnumSource(Operation.class)
  void a_deputy_does_nothing_to_a_table_that_is_denied_to_it(Operation operation)
      throws IOException {
    Expected expected = expected(operation);
    boolean isElsewhere =
        PAGE.stream()
            .filter(row -> row.operations().contains(operation))
            .anyMatch(row -> row.isAboutCluster() || row.isOnAny());
    assertThat(decided(operation, requests.payload(operation), caller("deputy")))
        .isEqualTo(isElsewhere ? "-" : expected.of("none"));
  }

  @Test
  void what_a_right_keeps_open_is_closed_with_the_right() throws IOException {
    for (OperationsPage.Row row : PAGE) {
      for (Operation operation : row.operations()) {
        assertThat(row.ends().contains("the end of the right"))
            .as("%s is checked while it lasts", operation)
            .isEqualTo(HELD.contains(operation));
      }
    }
    for (Operation operation : HELD) {
      boolean isOfTunnel = operation.right() == Right.CONSUME;
      String right = operation.right().name().toLowerCase(Locale.ROOT);
      Caller bob = caller((isOfTunnel ? "tunnel:" : "table:") + right);
      HeldRights held = new HeldRights();
      held.begin(
          bob, operation.right(), "orders", isOfTunnel ? Optional.of("sync") : Optional.empty());
      assertThat(held.lost(bob)).as("%s", operation).isEmpty();
      at.clear();
      assertThat(held.lost(bob)).as("%s", operation).isPresent();
    }
  }

  private TableOptions altered(OptionsChange change, Caller caller) {
    TableOptions before = TableOptions.DEFAULT.withTtl(Duration.ofDays(1));
    return Authority.altered("orders", before, change, caller);
  }

  @Test
  void who_may_alter_and_not_write_shortens_nothing() throws IOException {
    OptionsChange second = new OptionsChange().withTtl(Duration.ofSeconds(1));
    OptionsChange hour = new OptionsChange().withRetention(Duration.ofHours(1));
    OptionsChange longer = new OptionsChange().withTtl(Duration.ofDays(2));
    Caller bob = caller("table:alter");
    assertThat(altered(longer, bob).ttlMs()).contains(Duration.ofDays(2).toMillis());
    for (OptionsChange shorter : List.of(second, hour)) {
      assertThatThrownBy(() -> altered(shorter, bob)).hasMessageContaining("the right write");
    }
    at.allow("bob", "table:orders", "write");
    assertThat(altered(second, bob).ttlMs()).contains(1_000L);
    at.withdraw("bob", "table:orders", "alter");
    assertThatThrownBy(() -> altered(longer, bob)).hasMessageContaining("the right alter");
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

  @Test
  void a_caller_says_in_logs_who_it_is() {
    assertThat(Caller.anybody()).hasToString("anybody");
    assertThat(Caller.nobody()).hasToString("nobody");
    assertThat(Caller.node()).hasToString("a node");
  }
}
