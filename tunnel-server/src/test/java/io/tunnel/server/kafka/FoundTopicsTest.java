package io.tunnel.server.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FoundTopicsTest {

  private static FoundTopics found(
      boolean hasCatalog, boolean isCatalogUsed, boolean hasTunnels, String... usedTables) {
    return new FoundTopics("c", hasCatalog, isCatalogUsed, hasTunnels, Set.of(usedTables));
  }

  @ParameterizedTest
  @CsvSource({
    "false, false, false, nothing is there",
    "true, false, false, a start ended behind the first topic",
    "true, false, true, nothing was decided yet",
    "true, true, true, a cluster"
  })
  void what_is_new_or_whole_is_gone_on_with(
      boolean hasCatalog, boolean isCatalogUsed, boolean hasTunnels, String why) {
    assertThat(found(hasCatalog, isCatalogUsed, hasTunnels).objection()).as(why).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "false, false, does not exist", "false, true, does not exist",
    "true, false, has no record", "true, true, has no record"
  })
  void no_catalog_is_made_or_filled_beside_rows_of_tables(
      boolean hasCatalog, boolean hasTunnels, String found) {
    assertThat(found(hasCatalog, false, hasTunnels, "c.table.1", "c.table.2").objection().get())
        .contains(
            "topic c.catalog " + found,
            "topics c.table.1, c.table.2 have records",
            "the catalog of cluster c is lost, and none is made in its place",
            "Are --bootstrap and --cluster right?",
            "restore topic c.catalog from a backup of Kafka",
            "To give up all tables of the cluster, delete the topics that begin with c.");
  }

  @Test
  void no_catalog_is_made_beside_tunnels() {
    assertThat(found(false, false, true).objection().get())
        .contains("topic c.catalog does not exist, but topic c.tunnels is there");
  }

  @Test
  void no_tunnels_are_made_beside_a_catalog_that_says_anything() {
    assertThat(found(true, true, false).objection().get())
        .contains(
            "topic c.tunnels does not exist, but c.catalog has records",
            "restore topic c.tunnels from a backup of Kafka",
            "with 16 partitions and cleanup.policy=compact");
  }

  @Test
  void a_few_topics_are_named_and_the_rest_counted() {
    Set<String> many =
        IntStream.rangeClosed(1, 8).mapToObj(i -> "c.table." + i).collect(Collectors.toSet());
    assertThat(new FoundTopics("c", false, false, false, many).objection().get())
        .contains("topics c.table.1, c.table.2, c.table.3, c.table.4, c.table.5 and 3 more have");
  }
}
