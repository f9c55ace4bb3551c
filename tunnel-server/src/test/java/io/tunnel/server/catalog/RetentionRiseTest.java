package io.tunnel.server.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.Durability;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TableOptions;
import io.tunnel.server.TestRows;
import io.tunnel.server.catalog.store.CatalogStore;
import io.tunnel.wire.control.Json;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RetentionRiseTest {

  private static final long HOUR = 3_600_000;
  private static final long BEGAN = 1_000 * HOUR;

  private final Texts texts = new Texts();
  private Catalog catalog;
  private TableRecord table;

  /** Texts in memory. */
  private static final class Texts implements CatalogStore {
    private final Map<String, String> all = new TreeMap<>();

    @Override
    public Map<String, String> all() {
      return Map.copyOf(all);
    }

    @Override
    public void write(Map<String, Optional<String>> changes) {
      CatalogStore.apply(changes, all);
    }

    @Override
    public void close() {}
  }

  @BeforeEach
  void create() throws IOException {
    catalog = new Catalog(texts);
    table = catalog.createTable(new TableMeta("t", TestRows.SCHEMA, keeps(1)), List.of(), BEGAN);
  }

  private static TableOptions keeps(long hours) {
    return new TableOptions(Durability.OS, hours * HOUR, 0);
  }

  private void alter(long hours, long atHours) throws IOException {
    table = catalog.alterTable(table, keeps(hours), BEGAN + atHours * HOUR, Asked.NAMELESS);
    assertThat(new Catalog(texts).table("t")).as("after a start").isEqualTo(table);
  }

  private long keptHours(long atHours) {
    return table.keptMs(BEGAN + atHours * HOUR) / HOUR;
  }

  @Test
  void what_is_kept_grows_from_the_former_to_the_new_time() throws IOException {
    assertThat(keptHours(100)).isEqualTo(1);
    alter(10, 100);
    assertThat(keptHours(100)).isEqualTo(1);
    assertThat(keptHours(105)).isEqualTo(5);
    assertThat(keptHours(120)).isEqualTo(10);
  }

  @Test
  void less_is_kept_at_once_and_another_rise_begins_with_what_there_is() throws IOException {
    alter(10, 100);
    alter(5, 102);
    assertThat(keptHours(102)).isEqualTo(2);
    assertThat(keptHours(104)).isEqualTo(2);
    assertThat(keptHours(120)).isEqualTo(5);
    alter(1, 121);
    assertThat(keptHours(121)).isEqualTo(1);
    assertThat(table.rise()).isEmpty();
  }

  @Test
  void for_ever_is_reached_never_but_for_one_that_kept_for_ever() throws IOException {
    alter(0, 100);
    assertThat(keptHours(100)).isEqualTo(1);
    assertThat(keptHours(1_100)).isEqualTo(1_000);
    TableRecord always =
        catalog.createTable(new TableMeta("u", TestRows.SCHEMA, keeps(0)), List.of(), BEGAN);
    assertThat(always.keptMs(BEGAN)).isZero();
    assertThat(catalog.alterTable(always, keeps(3), BEGAN, Asked.NAMELESS).keptMs(BEGAN))
        .isEqualTo(3 * HOUR);
  }

  @Test
  void a_table_that_was_stored_before_there_were_rises_has_none() {
    String text = texts.all.get("table/1");
    assertThat(text).doesNotContain("rise");
    assertThat(Json.ofText(text, TableRecord.class)).isEqualTo(table);
  }

  @Test
  void a_rise_from_nothing_is_refused() {
    assertThatThrownBy(() -> new RetentionRise(1, 0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new RetentionRise(-1, 1)).isInstanceOf(IllegalArgumentException.class);
  }
}
