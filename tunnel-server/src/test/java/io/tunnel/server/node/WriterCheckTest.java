package io.tunnel.server.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.StreamStart;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TunnelType;
import io.tunnel.server.TestRows;
import io.tunnel.server.catalog.Asked;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.TunnelCatalog;
import io.tunnel.server.catalog.store.MemoryCatalogStore;
import io.tunnel.wire.control.Control.CreateTunnel;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class WriterCheckTest {

  private static final long QUIET = WriterCheck.QUIET_NANOS_MAX;

  private final MemoryCatalogStore store = new MemoryCatalogStore();
  private Map<String, String> stored;
  private TunnelCatalog catalog;
  private WriterCheck check;

  @BeforeEach
  void open() throws IOException {
    Catalog tables = new Catalog(new MemoryCatalogStore());
    tables.createTable(new TableMeta("t", TestRows.SCHEMA), List.of(), 0);
    catalog = new TunnelCatalog(tables, store, 3);
    catalog.createTunnel(
        new CreateTunnel("t", "n", TunnelType.Stream, StreamStart.EARLIEST), "id", Map.of(), 0);
    stored = store.all();
    check = new WriterCheck(catalog, 0);
  }

  @Test
  void writes_what_is_stored_already_when_nothing_else_was_written_for_long() {
    int writes = store.writes();
    check.look(true, QUIET - 1);
    assertThat(store.writes()).isEqualTo(writes);
    check.look(true, QUIET);
    check.look(true, 2 * QUIET - 1);
    assertThat(store.writes()).isEqualTo(writes + 1);
    assertThat(store.lastWrite()).isNotEmpty();
    assertThat(store.all()).isEqualTo(stored);
    check.look(true, 2 * QUIET);
    assertThat(store.writes()).isEqualTo(writes + 2);
  }

  @Test
  void whatever_is_written_is_as_good() throws IOException {
    catalog.pause("id", true, Asked.NAMELESS);
    int writes = store.writes();
    check.look(true, QUIET);
    check.look(true, 2 * QUIET - 1);
    assertThat(store.writes()).isEqualTo(writes);
    check.look(true, 2 * QUIET);
    assertThat(store.writes()).isEqualTo(writes + 1);
  }

  @Test
  void nobody_is_asked_for_those_who_are_not_there() {
    int writes = store.writes();
    check.look(false, 10 * QUIET);
    check.look(true, 11 * QUIET - 1);
    assertThat(store.writes()).isEqualTo(writes);
  }

  @Test
  void what_fails_is_tried_again() {
    int writes = store.writes();
    store.fail(true);
    check.look(true, QUIET);
    store.fail(false);
    check.look(true, 2 * QUIET - 1);
    assertThat(store.writes()).isEqualTo(writes);
    check.look(true, 2 * QUIET);
    assertThat(store.writes()).isEqualTo(writes + 1);
  }
}
