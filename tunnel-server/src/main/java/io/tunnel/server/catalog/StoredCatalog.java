package io.tunnel.server.catalog;

import io.tunnel.model.ChannelType;
import io.tunnel.server.catalog.store.CatalogStore;
import io.tunnel.server.catalog.store.StoredOrigin;
import io.tunnel.server.table.ReadOnlyRocks;
import io.tunnel.wire.control.Control.TunnelInfo;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** A catalog as it lies on the disk, only looked at: what it says, and what it was read from. */
public final class StoredCatalog {

  private final SortedMap<String, String> texts;
  private final TunnelCatalog tunnels;

  private StoredCatalog(SortedMap<String, String> texts) throws IOException {
    this.texts = texts;
    this.tunnels = new TunnelCatalog(new Catalog(new ReadTexts(texts)));
  }

  /**
   * Reads the catalog in {@code directory}, also one that a server writes to.
   *
   * @throws IOException when it cannot be read, or holds what no catalog holds
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
   * The catalog that these texts make.
   *
   * @throws IOException when they make none
   */
  public static StoredCatalog of(SortedMap<String, String> texts) throws IOException {
    try {
      return new StoredCatalog(new TreeMap<>(texts));
    } catch (RuntimeException e) {
      throw new IOException("a record of the catalog cannot be understood: " + e.getMessage(), e);
    }
  }

  /** Writes what these texts say into a new catalog in {@code directory}. */
  public static void write(Path directory, Map<String, String> texts) throws IOException {
    try (CatalogStore store = CatalogStore.open(directory)) {
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

  /** How far the stream channels of a tunnel are, by partition. */
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

  /** Keeps nothing that is written: the count of one more start is of no start. */
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
