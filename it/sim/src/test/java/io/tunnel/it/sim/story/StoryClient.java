package io.tunnel.it.sim.story;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.it.sim.AnyRows;
import io.tunnel.it.sim.World;
import io.tunnel.it.sim.machine.SimClient;
import io.tunnel.it.sim.truth.RowFold;
import io.tunnel.model.Durability;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RefusedException;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TableOptions;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.wire.Frame;
import io.tunnel.wire.Operation;
import io.tunnel.wire.WriteRequest;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.Control.TableDescription;
import io.tunnel.wire.control.Control.TunnelDescription;
import io.tunnel.wire.control.Control.TunnelInfo;
import io.tunnel.wire.control.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Writes and asks for a story, one thing after the other; each is answered or refused. */
final class StoryClient {

  private static final long ANSWER_MS_MAX = 10_000;
  private static final int BATCH_BYTES = 256;

  private final World world;
  private final StoryNames names;
  private final StoryLines lines;
  private final SimClient client;
  private String table;
  private int tableId;
  private long lastValue;

  StoryClient(World world, StoryNames names, StoryLines lines) {
    this.world = world;
    this.names = names;
    this.lines = lines;
    this.client = new SimClient(world.network, world.process("client"));
  }

  String table() {
    return table;
  }

  /** The answer; absent after a refusal, which is printed. */
  <T extends Control> Optional<T> ask(Operation operation, Control request, Class<T> type) {
    return answer(operation, Json.encode(request)).map(frame -> Json.decode(frame.payload(), type));
  }

  private Optional<Frame> answer(Operation operation, byte[] payload) {
    CompletableFuture<Frame> answer = client.request(operation, payload);
    for (long waited = 0; !answer.isDone() && waited < ANSWER_MS_MAX; waited++) {
      world.run(1);
    }
    try {
      return Optional.of(answer.join());
    } catch (CompletionException e) {
      lines.add(
          e.getCause() instanceof RefusedException refused
              ? "refused as " + refused.code() + ": " + names.plain(refused.getMessage())
              : "no answer: " + e.getCause().getMessage());
      return Optional.empty();
    }
  }

  void createTable(String name, int partitions, long retentionMs) {
    table = name;
    List<PrimaryKeyValue> splits = new ArrayList<>();
    for (long i = 1; i < partitions; i++) {
      splits.add(PrimaryKeyValue.fromLong(i * AnyRows.IDS_PER_PARTITION));
    }
    TableOptions options = new TableOptions(Durability.FSYNC, retentionMs, 0);
    TableDescription made =
        ask(
                Operation.CREATE_TABLE,
                new Control.CreateTable(new TableMeta(name, RowFold.SCHEMA, options), splits),
                TableDescription.class)
            .orElseThrow();
    tableId = made.tableId();
    List<Integer> ids = made.partitions().stream().map(each -> each.id()).toList();
    ids.forEach(world.ledger::partition);
    names.partitions(ids);
  }

  /** Creates a tunnel and says where its channels start. */
  Optional<TunnelInfo> createTunnel(StoryCommand command) {
    long nowMs = world.machine.nowMicros() / 1_000;
    Control request =
        new Control.CreateTunnel(
            table,
            command.word(1),
            TunnelType.valueOf(command.option("type").orElse("Stream")),
            StreamStart.valueOf(command.option("start").orElse("EARLIEST")),
            command.option("since").map(text -> nowMs - StoryCommand.millis(text)),
            command.option("end").map(text -> nowMs + StoryCommand.millis(text)));
    return ask(Operation.CREATE_TUNNEL, request, TunnelInfo.class);
  }

  Optional<TunnelDescription> describe(String tunnel) {
    return ask(
        Operation.DESCRIBE_TUNNEL, new Control.TunnelName(table, tunnel), TunnelDescription.class);
  }

  /** Writes new values to keys of a partition, or deletes them. */
  void write(String partition, List<Long> keys, boolean isDelete, Optional<Durability> durability) {
    BatchBuilder builder = new BatchBuilder(RowFold.SCHEMA, BATCH_BYTES);
    for (long each : keys) {
      long id = names.index(partition) * (long) AnyRows.IDS_PER_PARTITION + each;
      PrimaryKey key = PrimaryKey.builder().add("id", id).build();
      ColumnValue value = ColumnValue.fromLong(++lastValue);
      RowChange change =
          isDelete
              ? new RowDeleteChange(key)
              : new RowPutChange(key, List.of(new Column("v", value)));
      builder.add(change);
    }
    byte[] batch = builder.build(names.partition(partition));
    byte[] payload = WriteRequest.encode(tableId, durability, batch);
    var unused = answer(Operation.WRITE, payload);
  }
}
