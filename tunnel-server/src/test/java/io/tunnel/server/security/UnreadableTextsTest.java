package io.tunnel.server.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.wire.Operation.Right;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class UnreadableTextsTest {

  private static final Principal ANN = Principal.ofKey("ann");
  private static final Principal BOB = Principal.ofKey("bob");
  private static final Principal ROOT = Principal.ofKey("root");
  private static final String PERMISSION = "security/permission/x";

  private final SecurityRecords records =
      new SecurityRecords(SecurityRecords.Limits.DEFAULTS, Set.of(ROOT));

  @BeforeEach
  void allowAnnAndBobToReadOrders() {
    for (String subject : List.of("ann", "bob")) {
      records.apply(records.noting(Permission.of(subject, true, List.of("read"), "table:orders")));
    }
  }

  private boolean reads(Principal principal) {
    return records.snapshot().permissions().allows(principal, Right.READ, "orders");
  }

  private void store(String name, String text) {
    records.apply(Map.of(name, Optional.of(text)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"effect\":\"allow\",\"subject\":\"ann\",\"rights\":[\"fly\"],\"resource\":\"cluster\"}",
        "{\"effect\":\"allow\",\"subject\":[7],\"rights\":[\"read\"],\"resource\":\"cluster\"}",
        "{\"effect\":\"allow\"}"
      })
  void a_permission_that_only_allows_is_as_if_it_were_not_there(String text) {
    store(PERMISSION, text);
    assertThat(records.snapshot().unreadable(9)).containsExactly(PERMISSION);
    assertThat(reads(ANN)).isTrue();
    assertThat(reads(BOB)).isTrue();
    assertThat(records.snapshot().permission("x")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"effect\":\"deny\",\"subject\":\"ann\",\"rights\":[\"fly\"],\"resource\":\"cluster\"}",
        "{\"effect\":\"deny\",\"subject\":\"ann\",\"rights\":[\"read\"],\"resource\":\"view:v\"}",
        "{\"effect\":\"deny\",\"subject\":\"ann\",\"rights\":[\"read\"],\"resource\":{}}",
        "{\"effect\":\"deny\",\"subject\":\"ann\",\"rights\":\"read\"}",
        "{\"effect\":\"forbid\",\"subject\":\"ann\"}",
        "{\"effect\":{},\"subject\":\"ann\"}",
        "{\"subject\":\"ann\"}"
      })
  void another_one_denies_everything_to_its_subject(String text) {
    store(PERMISSION, text);
    assertThat(reads(ANN)).isFalse();
    assertThat(records.snapshot().permissions().seesTable(ANN, "orders")).isFalse();
    assertThat(reads(BOB)).isTrue();
    records.apply(SecurityRecords.removalOfPermission("x"));
    assertThat(reads(ANN)).isTrue();
    assertThat(records.snapshot().unreadable(9)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{",
        "null",
        "[]",
        "{}",
        "{\"effect\":\"deny\",\"subject\":\"an n\",\"rights\":[\"read\"],\"resource\":\"cluster\"}",
        "{\"effect\":\"deny\",\"subject\":[\"ann\"]}"
      })
  void one_whose_subject_cannot_be_read_denies_everything_to_everybody_but_the_administrator(
      String text) {
    store(PERMISSION, text);
    assertThat(reads(ANN)).isFalse();
    assertThat(reads(BOB)).isFalse();
    assertThat(records.snapshot().permissions().seesTable(BOB, "orders")).isFalse();
    assertThat(reads(ROOT)).isTrue();
    store("security/permission/y", text);
    records.apply(SecurityRecords.removalOfPermission("x"));
    assertThat(reads(ANN)).as("there is one more").isFalse();
    store(
        "security/permission/y",
        "{\"effect\":\"deny\",\"subject\":\"bob\",\"rights\":[\"read\"],\"resource\":\"table:*\","
            + "\"note\":\"a member of a later version\"}");
    assertThat(reads(ANN)).isTrue();
    assertThat(reads(BOB)).isFalse();
    assertThat(records.snapshot().unreadable(9)).isEmpty();
  }

  @Test
  void what_is_denied_to_a_group_that_cannot_be_read_is_denied_to_everybody() {
    records.apply(records.noting(new SecuritySnapshot.Group("team", Set.of(ANN))));
    records.apply(
        records.noting(Permission.of("group:team", false, List.of("read"), "table:ord*")));
    records.apply(
        records.noting(Permission.of("group:team", true, List.of("write"), "table:orders")));
    assertThat(reads(BOB)).isTrue();
    store("security/group/team", "{\"members\":[\"ann\",null]}");
    assertThat(reads(ANN)).isFalse();
    assertThat(reads(BOB)).isFalse();
    assertThat(records.snapshot().permissions().allows(ANN, Right.WRITE, "orders")).isFalse();
    assertThat(records.snapshot().permissions().groupsOf(ANN)).isEmpty();
    records.apply(records.noting(new SecuritySnapshot.Group("team", Set.of(ANN))));
    assertThat(reads(BOB)).isTrue();
    assertThat(records.snapshot().permissions().allows(ANN, Right.WRITE, "orders")).isTrue();
  }

  @Test
  void other_records_that_cannot_be_read_serve_nobody_and_leave_the_others_alone() {
    Map<String, Optional<String>> changes =
        Map.of(
            "security/key/tkaaaaaaaaaaaaaaaa", Optional.of("{\"principal\":\"ann\"}"),
            "security/key/nonsense", Optional.of("{}"),
            "security/token/thaaaaaaaaaaaaaaaa", Optional.of("{\"principal\":\"ann\"}"),
            "security/quota/ann", Optional.of("{\"requestsPerSecond\":0}"),
            "security/quota/table:a/b", Optional.of("{}"),
            "security/quota/table:t", Optional.of("{\"counts\":{\"tables\":1}}"),
            "security/later/kind", Optional.of("of a later version"));
    records.apply(changes);
    assertThat(reads(ANN)).isTrue();
    assertThat(records.snapshot().key("tkaaaaaaaaaaaaaaaa")).isEmpty();
    assertThat(records.snapshot().quota(ANN)).isEqualTo(Quota.NONE);
    assertThat(records.snapshot().unreadable(2))
        .containsExactly("security/key/nonsense", "security/key/tkaaaaaaaaaaaaaaaa");
    assertThat(records.snapshot().unreadable(99)).hasSize(6);
  }

  @Test
  void a_key_that_can_be_read_no_more_serves_nobody_any_more() {
    AccessKey key = AccessKey.of("tkaaaaaaaaaaaaaaaa", ANN, "sealed", 0);
    records.apply(records.noting(key));
    store("security/key/" + key.id(), "{\"principal\":\"ann\",\"secrets\":[null]}");
    assertThat(records.snapshot().key(key.id())).isEmpty();
  }

  @Test
  void members_that_a_later_version_has_added_are_skipped() {
    store(
        "security/key/tkaaaaaaaaaaaaaaaa",
        "{\"principal\":\"ann\",\"secrets\":[\"s\"],\"createdMs\":1,\"later\":{\"a\":[1]}}");
    assertThat(records.snapshot().key("tkaaaaaaaaaaaaaaaa"))
        .contains(AccessKey.of("tkaaaaaaaaaaaaaaaa", ANN, "s", 1));
    store("security/group/team", "{\"members\":[\"ann\"],\"later\":1}");
    assertThat(records.snapshot().permissions().groupsOf(ANN)).containsExactly("team");
    assertThat(records.snapshot().unreadable(1)).isEmpty();
  }
}
