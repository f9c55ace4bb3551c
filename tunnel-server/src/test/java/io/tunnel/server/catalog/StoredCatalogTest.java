package io.tunnel.server.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.codec.MalformedException;
import io.tunnel.codec.NewerFormatException;
import io.tunnel.model.Durability;
import io.tunnel.model.TableOptions;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.store.CatalogStore;
import io.tunnel.server.catalog.store.MemoryCatalogStore;
import io.tunnel.server.catalog.store.StoredForm;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Texts of catalogs that were written down once stay readable, and are written as they were. */
class StoredCatalogTest {

  private static final Bytes ORIGIN = Bytes.fromHex("000102030405060708090a0b0c0d0e0f");

  private static Map<String, Optional<String>> golden(String name) throws IOException {
    Properties texts = new Properties();
    try (Reader in =
        new InputStreamReader(
            Objects.requireNonNull(
                StoredCatalogTest.class.getResourceAsStream("/golden/" + name), name),
            StandardCharsets.UTF_8)) {
      texts.load(in);
    }
    Map<String, Optional<String>> changes = new HashMap<>();
    texts.forEach((key, text) -> changes.put((String) key, Optional.of((String) text)));
    return changes;
  }

  private static Catalog catalog(Map<String, Optional<String>> texts) throws IOException {
    MemoryCatalogStore store = new MemoryCatalogStore();
    store.write(texts);
    return new Catalog(store);
  }

  @Test
  void a_catalog_is_read_and_written() throws IOException {
    Map<String, Optional<String>> texts = golden("catalog.properties");
    Catalog catalog = catalog(texts);
    assertThat(catalog.identity().get().origin().toString()).isEqualTo("51".repeat(16));
    assertThat(StoredForm.in(Map.of("form", texts.get("form").orElseThrow())))
        .isEqualTo(StoredForm.NUMBER);
    TableRecord table = catalog.table("orders");
    assertThat(table.rise()).isPresent();
    assertThat(table.origin()).contains(ORIGIN);
    assertThat(TableRecords.creation(table)).isEqualTo(Map.of("table/1", texts.get("table/1")));
    assertThat(catalog.droppedLogs())
        .containsExactly(new DroppedLog(2, Bytes.fromHex("101112131415161718191a1b1c1d1e1f")));
    assertThat(
            TableIdNotes.dropping(
                new TableRecord(2, table.meta(), 0, table.partitions())
                    .withOrigin(Optional.of(catalog.droppedLogs().get(0).origin()))))
        .isEqualTo(Map.of("dropped/2", texts.get("dropped/2")));
    assertThat(catalog.isDropped(3)).isTrue();
    assertThat(catalog.isDropped(4)).as("it was passed over").isFalse();
  }

  private static Map<String, Optional<String>> with(String name, String member) throws IOException {
    Map<String, Optional<String>> texts = golden("catalog.properties");
    String text = texts.get(name).orElseThrow();
    boolean isEmpty = text.equals("{}");
    texts.put(name, Optional.of("{" + member + (isEmpty ? "" : ",") + text.substring(1)));
    return texts;
  }

  @Test
  void what_a_newer_build_noted_of_a_table_is_kept_when_the_table_is_altered() throws IOException {
    MemoryCatalogStore store = new MemoryCatalogStore();
    store.write(with("table/1", "\"colour\":{\"of\":[1,\"red\"]},\"needs\":[]"));
    Catalog catalog = new Catalog(store);
    TableRecord table = catalog.table("orders");
    TableRecord altered =
        catalog.alterTable(table, new TableOptions(Durability.OS, 5_000, 0), Asked.NAMELESS);
    assertThat(store.all().get("table/1"))
        .contains("\"colour\":{\"of\":[1,\"red\"]}", "\"needs\":[]", "\"OS\"");
    assertThat(new Catalog(store).table("orders").meta()).isEqualTo(altered.meta());
  }

  @Test
  void what_a_newer_build_noted_and_this_one_would_lose_is_refused_by_name() throws IOException {
    Map<String, String> refused =
        Map.of(
            "table/1|\"needs\":[\"time-travel\"]", "table/1 needs the feature 'time-travel'",
            "table/1|\"needs\":[\"before-image\"]", "table/1 needs the feature 'before-image'",
            "table/1|\"needs\":\"x\"", "no list of features",
            "counters|\"more\":1", "counters with the member 'more'",
            "identity|\"more\":1", "identity with the member 'more'",
            "dropped/2|\"more\":1", "dropped/2 with the member 'more'");
    for (Map.Entry<String, String> each : refused.entrySet()) {
      String[] parts = each.getKey().split("\\|", -1);
      Map<String, Optional<String>> texts = with(parts[0], parts[1]);
      assertThatThrownBy(() -> catalog(texts))
          .as(each.getKey())
          .isInstanceOf(MalformedException.class)
          .hasMessageContaining(each.getValue());
    }
    Map<String, Optional<String>> nested = golden("catalog.properties");
    String text = nested.get("table/1").orElseThrow();
    String deep = text.replace("\"durability\"", "\"timeToLiveMs\":5,\"durability\"");
    nested.put("table/1", Optional.of(deep));
    assertThatThrownBy(() -> catalog(nested))
        .isInstanceOf(NewerFormatException.class)
        .hasMessageContaining("table/1 with the member 'timeToLiveMs', which this build");
  }

  @Test
  void a_directory_with_a_text_of_a_newer_build_does_not_open_and_stays_as_it_is(
      @TempDir Path directory) throws IOException {
    Map<String, Optional<String>> texts = with("counters", "\"more\":1");
    try (CatalogStore store = CatalogStore.open(directory, () -> 0)) {
      store.write(texts);
    }
    assertThatThrownBy(() -> TunnelCatalog.open(directory, () -> 0))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("cannot read the catalog in " + directory)
        .hasMessageContaining("counters with the member 'more'")
        .hasMessageContaining("upgrade this one");
    try (CatalogStore store = CatalogStore.open(directory, () -> 0)) {
      assertThat(store.all().get("counters")).isEqualTo(texts.get("counters").orElseThrow());
    }
  }

  @Test
  void what_was_counted_stays_counted_whatever_is_told() throws IOException {
    Catalog follower = new Catalog();
    follower.followed(golden("catalog.properties"));
    follower.caughtUp();
    follower.followed(
        Map.of("counters", Optional.of("{\"tables\":1,\"partitions\":1,\"starts\":0}")));
    assertThat(follower.lastPartition()).isEqualTo(4);
    assertThat(follower.isDropped(2)).isTrue();
  }
}
