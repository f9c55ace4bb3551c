package io.tunnel.it.sim.cluster.store;

import io.tunnel.server.catalog.store.CatalogStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/** What is kept of catalog and tunnels, by unit, and who may write it. */
public final class SimStores {

  /** The unit that the stores of all tables are. */
  private final TreeMap<Integer, Unit> units = new TreeMap<>();

  private final BiConsumer<Integer, Map<String, Optional<String>>> whenStored;
  private final Runnable whenInDoubt;
  private final List<Runnable> readers = new ArrayList<>();

  /** One partition of the topics of texts. */
  public static final class Unit {
    public final TreeMap<String, String> texts = new TreeMap<>();
    final List<Map<String, Optional<String>>> commits = new ArrayList<>();

    /** Grows with every one who begins to write: it fences the former. */
    long writer;
  }

  /**
   * Nothing is kept; {@code whenStored} is told of what is, by unit, and {@code whenInDoubt} when
   * an answer does not come, whenever something is refused because of that, and when it comes at
   * last: checkpoints are refused meanwhile, and then sessions end.
   */
  public SimStores(
      BiConsumer<Integer, Map<String, Optional<String>>> whenStored, Runnable whenInDoubt) {
    this.whenStored = whenStored;
    this.whenInDoubt = whenInDoubt;
  }

  public Unit unit(int id) {
    return units.computeIfAbsent(id, key -> new Unit());
  }

  void listen(Runnable reader) {
    readers.add(reader);
  }

  void forget(Runnable reader) {
    readers.remove(reader);
  }

  /** The answer to a write does not come, or comes late. */
  void inDoubt() {
    whenInDoubt.run();
  }

  /** Applies changes atomically. */
  void commit(int id, Map<String, Optional<String>> changes) {
    Unit unit = unit(id);
    Map<String, Optional<String>> sorted = new TreeMap<>(changes);
    CatalogStore.apply(sorted, unit.texts);
    unit.commits.add(sorted);
    whenStored.accept(id, sorted);
    List.copyOf(readers).forEach(Runnable::run);
  }
}
