package io.tunnel.server.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.Durability;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TableOptions;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.TestRows;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.PartitionRecord;
import io.tunnel.server.catalog.RetentionRise;
import io.tunnel.server.catalog.TableRecord;
import io.tunnel.wire.control.Json;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class TopicPlacesTest {

  private static final long DAY_MS = TimeUnit.DAYS.toMillis(1);

  private final Catalog catalog = new Catalog();
  private long nowMs = 1_000 * DAY_MS;
  private final TopicPlaces places = new TopicPlaces(catalog, () -> nowMs);

  private void stored(long retentionMs, Optional<RetentionRise> rise) {
    TableMeta meta =
        new TableMeta("t", TestRows.SCHEMA, new TableOptions(Durability.OS, retentionMs, 0));
    TableRecord table =
        new TableRecord(
            1,
            meta,
            5,
            List.of(new PartitionRecord(7, Bytes.EMPTY, Bytes.EMPTY, List.of())),
            rise,
            Optional.of(Bytes.fromHex("0a")),
            Optional.empty());
    catalog.followed(Map.of("table/1", Optional.of(Json.toText(table))));
    catalog.caughtUp();
  }

  @Test
  void changes_are_kept_for_the_retention_of_the_table_and_a_minute_at_least() {
    stored(1_000, Optional.empty());
    assertThat(places.retentionMicros(7)).isEqualTo(TimeUnit.MINUTES.toMicros(1));
    stored(8 * DAY_MS, Optional.empty());
    assertThat(places.retentionMicros(7)).isEqualTo(TimeUnit.DAYS.toMicros(8));
    stored(0, Optional.empty());
    assertThat(places.retentionMicros(7)).isEqualTo(Long.MAX_VALUE);
    assertThat(places.retentionMicros(8)).as("not known yet").isPositive();
  }

  @Test
  void the_catalog_says_what_exists_and_what_was_dropped() {
    stored(1_000, Optional.empty());
    catalog.followed(
        Map.of("counters", Optional.of("{\"tables\":1,\"partitions\":7,\"starts\":0}")));
    assertThat(places.exists(7)).isTrue();
    assertThat(places.isDropped(7)).isFalse();
    assertThat(places.exists(6)).isFalse();
    assertThat(places.isDropped(6)).isTrue();
    assertThat(places.isDropped(8)).as("it merely does not know it").isFalse();
  }

  @Test
  void what_is_kept_rises_with_time() {
    stored(100 * DAY_MS, Optional.of(new RetentionRise(nowMs, 2 * DAY_MS)));
    assertThat(places.retentionMicros(7)).isEqualTo(TimeUnit.DAYS.toMicros(2));
    nowMs += 16 * DAY_MS;
    assertThat(places.retentionMicros(7)).isEqualTo(TimeUnit.DAYS.toMicros(16));
  }
}
