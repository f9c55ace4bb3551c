package io.tunnel.flink.sink;

import io.tunnel.model.ChangeKind;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RowChange;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Decides which changes to repeat, and in which order, when some outcomes are uncertain.
 *
 * <p>A repeated change must not follow a later applied change of its key, or the row would go back
 * to an older state for good. So from the first uncertain change of a key on, all later changes of
 * the key are repeated in their order, too. A put or a delete without a condition makes earlier
 * changes irrelevant, which are then left out.
 *
 * <p>The changes of each key must be reported in their order.
 */
final class RepeatCore {

  private final Map<PrimaryKey, List<RowChange>> changesByKey = new LinkedHashMap<>();

  /** Notes a change that is in doubt, or was not applied. */
  void uncertain(RowChange row) {
    keep(changesByKey.computeIfAbsent(row.primaryKey(), key -> new ArrayList<>()), row);
  }

  /** Notes an applied change. */
  void applied(RowChange row) {
    List<RowChange> changes = changesByKey.get(row.primaryKey());
    if (changes != null) {
      keep(changes, row);
    }
  }

  private static void keep(List<RowChange> changes, RowChange row) {
    if (row.kind() != ChangeKind.UPDATE && !row.isConditional()) {
      changes.clear();
    }
    changes.add(row);
  }

  boolean isEmpty() {
    return changesByKey.isEmpty();
  }

  /** Takes all changes to repeat, in a valid order. */
  List<RowChange> take() {
    List<RowChange> all = new ArrayList<>();
    changesByKey.values().forEach(all::addAll);
    changesByKey.clear();
    return all;
  }
}
