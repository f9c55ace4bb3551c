package io.tunnel.programs.bench.seeds;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.programs.bench.seeds.Workload.Kind;
import io.tunnel.sdk.security.SecurityClient.Identity;
import io.tunnel.sdk.security.SecurityClient.Permission;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LoadRightsTest {

  private static final String TABLES = "load_00ff_";

  /** Permissions as {@code allow read,write table:x*}, with bars between them. */
  private static List<String> missing(Kind kind, String permissions) {
    List<Permission> all =
        Arrays.stream(permissions.split("\\|"))
            .filter(one -> !one.isBlank())
            .map(one -> one.strip().split(" "))
            .map(
                one ->
                    new Permission("p", one[0].equals("allow"), List.of(one[1].split("/")), one[2]))
            .toList();
    return LoadRights.missing(new Identity(Optional.of("p"), List.of(), all, false), TABLES, kind);
  }

  @ParameterizedTest
  @CsvSource({
    "'', 4",
    "allow create/read/write/drop table:load_*, 0",
    "allow create/read/write/drop table:*, 0",
    "allow create/read/write/drop table:orders*, 4",
    "allow create/read/write/drop table:load_, 0",
    "allow create/read/write table:load_* | allow drop table:load_00ff_names, 0",
    "allow create/read/write table:load_*, 1",
    "allow admin table:load_*, 0",
    "allow admin cluster, 0",
    "allow read cluster, 4",
    "allow admin table:* | deny write table:lo*, 1",
    "allow admin table:* | deny write table:load_00ff_other, 0",
    "allow admin table:* | deny write table:orders*, 0"
  })
  void tables_of_a_run_need_four_rights(String permissions, int missing) {
    assertThat(missing(Kind.REGISTRY, permissions)).hasSize(missing);
    assertThat(missing(Kind.ECHO, permissions)).as("makes no table").isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "allow create/read/write/drop table:load_*, 2",
    "allow create/read/write/drop table:load_* | allow create/consume tunnel:load_*, 0",
    "allow create/read/write/drop table:load_* | allow create/consume tunnel:load_*/queue*, 0",
    "allow create/read/write/drop table:load_* | allow create tunnel:load_*/*, 1",
    "allow admin table:load_*, 0",
    "allow admin table:load_* | deny consume tunnel:*/*, 1",
    "allow admin table:load_* | deny consume tunnel:*/other, 0"
  })
  void queues_need_rights_on_tunnels_too(String permissions, int missing) {
    assertThat(missing(Kind.QUEUE, permissions)).hasSize(missing);
  }

  @Test
  void what_is_missing_is_named() {
    assertThat(missing(Kind.QUEUE, "allow create/read table:load_*|allow create tunnel:load_*/*"))
        .containsExactly(
            "write on table:load_*", "drop on table:load_*", "consume on tunnel:load_*");
  }

  @Test
  void nothing_is_missing_to_an_administrator_and_where_nobody_is_asked() {
    Identity administrator = new Identity(Optional.of("a"), List.of(), List.of(), true);
    Identity anybody = new Identity(Optional.empty(), List.of(), List.of(), false);
    assertThat(LoadRights.missing(administrator, TABLES, Kind.QUEUE)).isEmpty();
    assertThat(LoadRights.missing(anybody, TABLES, Kind.QUEUE)).isEmpty();
  }
}
