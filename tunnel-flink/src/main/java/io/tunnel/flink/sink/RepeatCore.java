package io.tunnel.flink.sink;

import io.tunnel.model.ChangeKind;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowExistenceExpectation;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Which changes are to be written again, and in which order, when the outcome of some is not
 * certain.
 *
 * <p>A change must not be repeated behind a later one of its key that was applied meanwhile, or the
 * row would go back to an older state for good. So from the first uncertain change of a key on,
 * every later one of that key is repeated too, in the order in which they were given. A put or a
 * delete without a condition makes all before it irrelevant; those are left out.
 *
 * <p>The changes of each key are told in the order in which they were given.
 */
final class RepeatCore {

  private final Map<PrimaryKey, List<RowChange>> changesByKey = new LinkedHashMap<>();

  /** The change may or may not have been applied, or was not. */
  void uncertain(RowChange row) {
    keep(changesByKey.computeIfAbsent(row.primaryKey(), key -> new ArrayList<>()), row);
  }

  /** The change was applied. */
  void applied(RowChange row) {
    List<RowChange> changes = changesByKey.get(row.primaryKey());
    if (changes != null) {
      keep(changes, row);
    }
  }

  private static void keep(List<RowChange> changes, RowChange row) {
    if (row.kind() != ChangeKind.UPDATE && row.condition() == RowExistenceExpectation.IGNORE) {
      changes.clear();
    }
    changes.add(row);
  }

  boolean isEmpty() {
    return changesByKey.isEmpty();
  }

  /** Everything to be written again, in an order that is right; nothing is left. */
  List<RowChange> take() {
    List<RowChange> all = new ArrayList<>();
    changesByKey.values().forEach(all::addAll);
    changesByKey.clear();
    return all;
  }
}
