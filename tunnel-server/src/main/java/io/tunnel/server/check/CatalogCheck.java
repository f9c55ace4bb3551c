package io.tunnel.server.check;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.PartitionRecord;
import io.tunnel.server.catalog.StoredCatalog;
import io.tunnel.server.catalog.TableRecord;
import io.tunnel.server.check.Problem.Kind;
import io.tunnel.wire.control.Control.TunnelInfo;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Checks that a catalog is consistent: partitions cover each key once, tunnels have tables. */
final class CatalogCheck {

  private CatalogCheck() {}

  static List<Problem> problems(StoredCatalog catalog) {
    List<Problem> problems = new ArrayList<>();
    Set<Integer> seen = new HashSet<>();
    for (TableRecord table : catalog.tables().tables()) {
      String place = "table " + table.meta().name();
      Bytes from = Bytes.EMPTY;
      for (int i = 0; i < table.partitions().size(); i++) {
        PartitionRecord partition = table.partitions().get(i);
        boolean isBehindTheLast = i > 0 && from.equals(Bytes.EMPTY);
        if (isBehindTheLast || !partition.from().equals(from)) {
          problems.add(
              inconsistent(
                  place,
                  "partition " + partition.id() + " does not begin where the one before it ends"));
        }
        if (!seen.add(partition.id()) || partition.id() > catalog.tables().lastPartition()) {
          problems.add(
              inconsistent(
                  place, "the id of partition " + partition.id() + " was never given to it"));
        }
        from = partition.to();
      }
      if (!from.equals(Bytes.EMPTY) || table.partitions().isEmpty()) {
        problems.add(inconsistent(place, "no partition holds the highest keys"));
      }
    }
    Set<String> tables =
        catalog.tables().tables().stream()
            .map(table -> table.meta().name())
            .collect(Collectors.toSet());
    for (TunnelInfo tunnel : catalog.tunnels().tunnels(Optional.empty())) {
      if (!tables.contains(tunnel.table())) {
        problems.add(
            new Problem(
                Kind.TUNNEL_WITHOUT_TABLE,
                "tunnel " + tunnel.tunnel(),
                "its table " + tunnel.table() + " does not exist"));
      }
    }
    return problems;
  }

  private static Problem inconsistent(String place, String text) {
    return new Problem(Kind.CATALOG_INCONSISTENT, place, text);
  }
}
