package io.tunnel.server.catalog;

import io.tunnel.model.ChannelType;
import io.tunnel.server.catalog.store.CatalogStore;
import io.tunnel.server.catalog.store.StoredOrigin;
import io.tunnel.server.rocks.ReadOnlyRocks;
import io.tunnel.wire.control.Control.TunnelInfo;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** A read-only view of a catalog on disk: its texts, tables and tunnels. */
public final class StoredCatalog {

  private final SortedMap<String, String> texts;
  private final TunnelCatalog tunnels;

  private StoredCatalog(SortedMap<String, String> texts) throws IOException {
    this.texts = texts;
    this.tunnels = new TunnelCatalog(new Catalog(new ReadTexts(texts)));
  }

  /**
   * Reads the catalog in {@code directory}, even while a server writes to it.
   *
   * @throws IOException when the catalog cannot be read or is damaged
   */
  public static StoredCatalog read(Path directory) throws IOException {
    SortedMap<String, String> texts = new TreeMap<>();
    ReadOnlyRocks.whileUnchanged(
        directory,
        rocks -> {
          texts.clear();
          rocks.verify();
          rocks.forEach(
              (key, value) ->
                  texts.put(
                      new String(key, StandardCharsets.UTF_8),
                      new String(value, StandardCharsets.UTF_8)));
        });
    return of(texts);
  }

  /**
   * The catalog with these texts.
   *
   * @throws IOException when the texts are no valid catalog
   */
  public static StoredCatalog of(SortedMap<String, String> texts) throws IOException {
    try {
      return new StoredCatalog(new TreeMap<>(texts));
    } catch (RuntimeException e) {
      throw new IOException("cannot parse a record of the catalog: " + e.getMessage(), e);
    }
  }

  /** Writes these texts into a new catalog in {@code directory}. */
  public static void write(Path directory, Map<String, String> texts) throws IOException {
    try (CatalogStore store = CatalogStore.open(directory, () -> 0)) {
      Map<String, Optional<String>> changes = new LinkedHashMap<>();
      texts.forEach((name, text) -> changes.put(name, Optional.of(text)));
      store.write(changes);
    }
  }

  /** Everything that is stored, by name. */
  public SortedMap<String, String> texts() {
    return new TreeMap<>(texts);
  }

  /** The tables. */
  public Catalog tables() {
    return tunnels.tables();
  }

  /** The tunnels. */
  public TunnelCatalog tunnels() {
    return tunnels;
  }

  /** The number that the logs and rows of this catalog carry; 0 for none. */
  public int origin() {
    return StoredOrigin.in(texts);
  }

  /** The checkpoints of a tunnel's stream channels, by partition. */
  public SortedMap<Integer, Long> streamCheckpoints(TunnelInfo tunnel) {
    SortedMap<Integer, Long> positions = new TreeMap<>();
    tunnels
        .channels(tunnel)
        .forEach(
            (channel, state) -> {
              if (channel.type() == ChannelType.Stream) {
                positions.put(channel.partition(), state.checkpointed());
              }
            });
    return positions;
  }

  /** Ignores writes: the counted start is none. */
  private record ReadTexts(Map<String, String> texts) implements CatalogStore {

    @Override
    public Map<String, String> all() {
      return texts;
    }

    @Override
    public void write(Map<String, Optional<String>> changes) {
      // Nothing is ever changed here.
    }

    @Override
    public void close() {
      // Nothing is open.
    }
  }
}
