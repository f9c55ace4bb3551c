package io.tunnel.sdk.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.Durability;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.model.value.PrimaryKeyValue;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Each property of a request is compared, and what cannot be altered is refused. */
final class TableDifferenceTest {

  private static CreateTableRequest.Builder request() {
    return CreateTableRequest.builder("t").key("id", PrimaryKeyType.INTEGER);
  }

  /** The table that a request creates. */
  private static TableInfo table(CreateTableRequest request) {
    Optional<PrimaryKeyValue> none = Optional.empty();
    PartitionInfo first =
        new PartitionInfo(1, none, none, List.of(), Optional.empty(), Optional.empty());
    return new TableInfo(1, request.meta(), 0, List.of(first));
  }

  private static List<String> refused(TableInfo table, CreateTableRequest request) {
    return table.comparedWith(request).differences().stream()
        .filter(TableDifference::isRefused)
        .map(TableDifference::property)
        .toList();
  }

  private static List<String> reported(
      UnaryOperator<CreateTableRequest.Builder> first,
      UnaryOperator<CreateTableRequest.Builder> second) {
    TableInfo table = table(first.apply(request()).build());
    CreateTableRequest other = second.apply(request()).build();
    assertThat(refused(table, other)).isEmpty();
    return table.comparedWith(other).differences().stream().map(TableDifference::property).toList();
  }

  @Test
  void options_that_can_be_altered_are_reported() {
    assertThat(reported(one -> one, one -> one)).isEmpty();
    assertThat(reported(one -> one, one -> one.durability(Durability.OS)))
        .containsExactly("durability");
    assertThat(reported(one -> one.retentionBytes(9), one -> one.retention(Duration.ofDays(1))))
        .containsExactly("retention", "retentionBytes");
    assertThat(reported(one -> one.ttl(Duration.ofDays(1)), one -> one.ttl(Duration.ofDays(2))))
        .containsExactly("ttl");
    assertThat(reported(one -> one, one -> one.splitPoint(5))).containsExactly("splitPoints");
  }

  @Test
  void what_cannot_be_altered_is_refused() {
    CreateTableRequest plain = request().build();
    CreateTableRequest expiring = request().ttl(Duration.ofDays(1)).build();
    assertThat(refused(table(plain), expiring)).containsExactly("ttl");
    assertThat(refused(table(expiring), plain)).as("rows would expire").containsExactly("ttl");
    CreateTableRequest numbered = request().autoKey("number").build();
    CreateTableRequest given = request().key("number", PrimaryKeyType.INTEGER).build();
    assertThat(refused(table(given), numbered)).containsExactly("key");
    assertThat(refused(table(numbered), given)).containsExactly("key");
    assertThat(table(plain).comparedWith(expiring).differences())
        .hasToString("[ttl none instead of 86400000 ms]");
  }
}
