package io.tunnel.server.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.server.security.index.PermissionIndex;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ResourceTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "table:orders",
        "table:ord*",
        "table:*",
        "tunnel:orders/billing",
        "tunnel:orders/b*",
        "tunnel:orders/*",
        "tunnel:ord*",
        "tunnel:ord*/b*",
        "tunnel:ord*/billing",
        "tunnel:*/billing",
        "tunnel:*/*",
        "tunnel:*",
        "cluster"
      })
  void a_text_is_read_and_written_alike(String text) {
    assertThat(Resource.parse(text)).hasToString(text);
    assertThat(Resource.parse(text)).isEqualTo(Resource.parse(text));
  }

  @Test
  void a_pattern_is_a_whole_name_or_a_beginning() {
    assertThat(Resource.parse("table:ord*").stem()).isEqualTo("ord");
    assertThat(Resource.parse("table:ord*").isBeginning()).isTrue();
    assertThat(Resource.parse("table:*").stem()).isEmpty();
    assertThat(Resource.parse("table:ord").stem()).isEqualTo("ord");
    assertThat(Resource.parse("table:ord").isBeginning()).isFalse();
    assertThat(Resource.CLUSTER.isBeginning()).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "orders | a permission is on table:NAME, tunnel:TABLE/NAME or cluster",
        "'' | a permission is on table:NAME",
        "cluster: | a permission is on table:NAME",
        "Table:orders | a permission is on table:NAME",
        "table: | table name '' is not valid",
        "table:9 | table name '9' is not valid",
        "table:a/b | tunnels are tunnel:TABLE/NAME",
        "table:a*b | one '*', at its end",
        "table:a** | one '*', at its end",
        "table:*a | one '*', at its end",
        "tunnel:orders | names no tunnel; right is tunnel:TABLE/NAME or tunnel:TABLE/*",
        "tunnel:orders/ | tunnel name '' is not valid",
        "tunnel:/billing | table name '' is not valid",
        "tunnel:/* | table name '' is not valid",
        "tunnel:o*d/billing | one '*', at its end",
        "tunnel:**/billing | one '*', at its end",
        "tunnel:ord*/ | tunnel name '' is not valid",
        "tunnel:ord*/a*b | one '*', at its end",
        "tunnel:a/b/c | tunnel name 'b/c' is not valid",
        "tunnel:a/b.c | tunnel name 'b.c' is not valid"
      })
  void a_text_that_names_nothing_is_refused_with_what_would_be_right(String text, String why) {
    assertThatThrownBy(() -> Resource.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(why);
  }

  @Test
  void nothing_and_a_pattern_of_the_cluster_are_refused_too() {
    assertThatThrownBy(() -> Resource.parse(null))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("not on null");
    assertThatThrownBy(() -> new Resource(PermissionIndex.Kind.CLUSTER, "*"))
        .hasMessageContaining("the cluster has no pattern");
  }

  @Test
  void names_are_as_long_as_they_may_be_and_not_longer() {
    String longest = "n".repeat(255);
    assertThat(Resource.parse("tunnel:" + longest + "/" + longest + "*").stem())
        .hasSize(Resource.PATTERN_CHARS_MAX);
    assertThatThrownBy(() -> Resource.parse("table:" + longest + "n*"))
        .hasMessageContaining("1 to 255");
    assertThatThrownBy(() -> Resource.parse("tunnel:" + longest + "/n" + longest))
        .hasMessageContaining("1 to 255");
  }
}
