package io.tunnel.sdk.answer;

import io.tunnel.model.RefusedException;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.Endpoint;
import io.tunnel.sdk.transport.Caller;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.Control.PartitionDescription;
import io.tunnel.wire.control.Control.TableDescription;
import io.tunnel.wire.control.Json;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Gathers the figures of all partitions of a table. In a cluster, only the leader of a partition
 * knows its figures, so each leader is asked. When a partition moves in between, its new leader is
 * looked up and asked.
 */
public final class TableFigures {

  private static final int ROUNDS_MAX = 10;

  private final Caller caller;
  private final byte[] payload;
  private final Map<Integer, PartitionDescription> found = new HashMap<>();

  public TableFigures(Caller caller, String table) {
    this.caller = caller;
    this.payload = Json.encode(new Control.TableName(table));
  }

  /**
   * Returns the table with all figures.
   *
   * @throws RefusedException when a partition has no leader that answers
   */
  public TableDescription gather() {
    for (int round = 1; ; round++) {
      byte[] answer = caller.awaitAnswer(Operation.DESCRIBE_TABLE, payload);
      TableDescription table = Json.decode(answer, TableDescription.class);
      if (table.partitions().stream().allMatch(TableFigures::isOfSingleServer)) {
        return table;
      }
      Optional<Throwable> trouble = askLeaders(table);
      List<PartitionDescription> partitions = new ArrayList<>();
      table.partitions().forEach(partition -> partitions.add(found.get(partition.id())));
      if (!partitions.contains(null)) {
        return new TableDescription(
            table.tableId(), table.meta(), table.createdMs(), partitions, table.creator());
      }
      if (round == ROUNDS_MAX) {
        throw unknown(table, trouble);
      }
      var unused = Caller.await(caller.pause(round));
    }
  }

  /**
   * A node names no leader while none leads, and tells no figures then. A server counts each row of
   * a partition without changes.
   */
  private static boolean isOfSingleServer(PartitionDescription partition) {
    boolean isUnknown = partition.committed() == 0 && !partition.rowCountIsExact();
    return partition.leader().isEmpty() && !isUnknown;
  }

  private Optional<Throwable> askLeaders(TableDescription table) {
    Map<Endpoint, CompletableFuture<TableDescription>> answers = new LinkedHashMap<>();
    for (PartitionDescription partition : table.partitions()) {
      Optional<Endpoint> leader = Endpoint.told(partition.leader());
      if (leader.isPresent() && !found.containsKey(partition.id())) {
        answers.computeIfAbsent(leader.get(), this::ask);
      }
    }
    Optional<Throwable> trouble = Optional.empty();
    for (Map.Entry<Endpoint, CompletableFuture<TableDescription>> answer : answers.entrySet()) {
      try {
        keepOwn(answer.getKey(), Caller.await(answer.getValue()));
      } catch (RefusedException | ConnectionException e) {
        trouble = Optional.of(e);
      }
    }
    return trouble;
  }

  private CompletableFuture<TableDescription> ask(Endpoint leader) {
    return caller
        .askOnce(leader, Operation.DESCRIBE_TABLE, payload)
        .thenApply(frame -> Json.decode(frame.payload(), TableDescription.class));
  }

  private void keepOwn(Endpoint node, TableDescription answer) {
    for (PartitionDescription partition : answer.partitions()) {
      if (Endpoint.told(partition.leader()).equals(Optional.of(node))) {
        found.put(partition.id(), partition);
      }
    }
  }

  private RuntimeException unknown(TableDescription table, Optional<Throwable> trouble) {
    List<Integer> missing =
        table.partitions().stream()
            .map(PartitionDescription::id)
            .filter(id -> !found.containsKey(id))
            .toList();
    RefusedException unknown =
        RefusedException.notLeader(
            "partitions "
                + missing
                + " of table '"
                + table.meta().name()
                + "' have no leader now, so their figures are unknown; 'tunnel cluster' says why",
            Optional.empty());
    trouble.ifPresent(unknown::addSuppressed);
    return unknown;
  }
}
