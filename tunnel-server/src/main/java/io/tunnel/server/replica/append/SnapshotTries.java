package io.tunnel.server.replica.append;

import io.tunnel.server.replica.append.AppendValue.Snapshot;
import io.tunnel.server.replica.snapshot.SnapshotDamagedException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Loads the newest intact snapshot of one partition. When all snapshots that a search has found are
 * damaged, another search looks for snapshots that were not tried. For one thread.
 */
final class SnapshotTries {

  private final Search search;
  private final Set<Long> tried = new HashSet<>();
  private final List<String> troubles = new ArrayList<>();

  /** As {@link SnapshotSearch#find(Set)}. */
  @FunctionalInterface
  interface Search {
    SnapshotSearch.Found find(Set<Long> tried) throws IOException;
  }

  /** Loads a snapshot. */
  @FunctionalInterface
  interface Load<T> {
    T load(Snapshot snapshot) throws IOException;
  }

  SnapshotTries(Search search) {
    this.search = search;
  }

  /**
   * The result of the first load that meets no damaged block; empty when no search finds more.
   *
   * @param damaged receives what is wrong with each snapshot before the first intact one
   * @throws IOException when a search or a load fails for another reason
   */
  <T> Optional<T> first(
      SnapshotSearch.Found found, Load<T> load, Consumer<SnapshotDamagedException> damaged)
      throws IOException {
    for (SnapshotSearch.Found next = found;
        !next.snapshots().isEmpty();
        next = search.find(tried)) {
      for (Snapshot snapshot : next.snapshots()) {
        try {
          return Optional.of(load.load(snapshot));
        } catch (SnapshotDamagedException e) {
          tried.add(snapshot.id());
          troubles.add(e.getMessage());
          damaged.accept(e);
        }
      }
    }
    return Optional.empty();
  }

  /** What is wrong with the snapshots that were tried, the first one first. */
  List<String> troubles() {
    return List.copyOf(troubles);
  }
}
