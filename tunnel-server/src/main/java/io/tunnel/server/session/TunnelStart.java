package io.tunnel.server.session;

import io.tunnel.core.ChannelKey;
import io.tunnel.core.ChannelState;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TunnelType;
import io.tunnel.server.catalog.Asked;
import io.tunnel.server.catalog.PartitionRecord;
import io.tunnel.server.catalog.TableRecord;
import io.tunnel.server.catalog.TunnelCatalog;
import io.tunnel.server.changes.LogBounds;
import io.tunnel.wire.control.Control.CreateTunnel;
import io.tunnel.wire.control.Control.TunnelInfo;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * The creation of one tunnel: finds the starts of its channels, and stores tunnel and channels in
 * one write. Before that write the tunnel does not exist; if the write never comes, the rows that
 * were kept for it are forgotten. Meanwhile a second request may take its name, or drop its table.
 */
final class TunnelStart {

  private final TunnelCatalog catalog;
  private final LogBounds bounds;
  private final Surroundings surroundings;
  private final CreateTunnel request;
  private final Asked asked;
  private final TableRecord table;
  private final String tunnelId;
  private int barriersLeft;

  /** Refuses requests that cannot succeed. */
  TunnelStart(
      TunnelCatalog catalog,
      LogBounds bounds,
      Surroundings surroundings,
      CreateTunnel request,
      Asked asked) {
    catalog.requireFree(request, asked.by());
    this.catalog = catalog;
    this.bounds = bounds;
    this.surroundings = surroundings;
    this.request = request;
    this.asked = asked;
    this.table = catalog.tables().table(request.table());
    long nowMicros = surroundings.epochMicros();
    this.tunnelId = catalog.newTunnelId(nowMicros);
    request.startMs().ifPresent(ms -> StreamBounds.requirePast(ms, nowMicros));
    long nowMs = TimeUnit.MICROSECONDS.toMillis(nowMicros);
    boolean startsNow = request.startMs().isEmpty() && request.start() == StreamStart.LATEST;
    if (startsNow && request.endMs().isPresent() && request.endMs().get() <= nowMs) {
      throw new RefusedException(
          ErrorCode.INVALID_REQUEST,
          "the tunnel would end at "
              + Instant.ofEpochMilli(request.endMs().get())
              + ", before its start: LATEST is now, "
              + Instant.ofEpochMilli(nowMs));
    }
  }

  /** Creates the tunnel, now or later. */
  void begin(Operators.Creation answer) {
    List<Integer> partitions = table.partitions().stream().map(PartitionRecord::id).toList();
    if (request.type() != TunnelType.Stream) {
      surroundings.keepRows(tunnelId, partitions, new StartWithRows(answer));
    } else if (request.startMs().isPresent()) {
      // Changes in flight may have a commit time before the start; the barrier waits for them.
      long startMicros = TimeUnit.MILLISECONDS.toMicros(request.startMs().get());
      barriersLeft = partitions.size();
      partitions.forEach(
          partition -> surroundings.passBarrier(partition, startMicros, () -> passed(answer)));
    } else {
      look(answer);
    }
  }

  private void passed(Operators.Creation answer) {
    barriersLeft--;
    if (barriersLeft == 0) {
      look(answer);
    }
  }

  private void look(Operators.Creation answer) {
    List<Integer> partitions = table.partitions().stream().map(PartitionRecord::id).toList();
    bounds.look(
        partitions,
        StreamBounds.moments(Optional.empty(), request.startMs()),
        new LogBounds.Looked() {
          @Override
          public void found(Map<Integer, LogBounds.Look> lookByPartition) {
            finish(() -> streams(lookByPartition), answer);
          }

          @Override
          public void failed(Exception reason) {
            answer.failed(reason);
          }
        });
  }

  private final class StartWithRows implements Surroundings.RowsKept {
    private final Operators.Creation answer;

    StartWithRows(Operators.Creation answer) {
      this.answer = answer;
    }

    @Override
    public void kept(Map<Integer, Long> committed) {
      kept(committed, Map.of());
    }

    @Override
    public void kept(Map<Integer, Long> committed, Map<Integer, Long> incarnations) {
      finish(() -> behindRows(committed, incarnations), answer);
    }

    @Override
    public void failed(RefusedException reason) {
      answer.failed(reason);
    }
  }

  /** Finds the starts of channels. */
  @FunctionalInterface
  private interface Starts {
    Map<ChannelKey, ChannelState> find();
  }

  private void finish(Starts starts, Operators.Creation answer) {
    TunnelInfo tunnel;
    try {
      Optional<String> done = catalog.done(asked);
      if (done.isPresent()) {
        // A retry of the request has created the tunnel while this one searched for starts.
        surroundings.forgetRows(tunnelId);
        answer.created(catalog.tunnel(done.get()));
        return;
      }
      requireTable();
      tunnel =
          catalog.createTunnel(
              request,
              tunnelId,
              starts.find(),
              TimeUnit.MICROSECONDS.toMillis(surroundings.epochMicros()),
              asked);
    } catch (IOException | RuntimeException e) {
      surroundings.forgetRows(tunnelId);
      answer.failed(e);
      return;
    }
    answer.created(tunnel);
  }

  private void requireTable() {
    if (catalog.tables().table(request.table()).tableId() != table.tableId()) {
      throw new RefusedException(
          ErrorCode.TABLE_NOT_FOUND,
          "table '" + request.table() + "' was dropped, and there is another of that name now");
    }
  }

  private Map<ChannelKey, ChannelState> behindRows(
      Map<Integer, Long> committed, Map<Integer, Long> incarnations) {
    NavigableMap<ChannelKey, ChannelState> states = new TreeMap<>();
    committed.forEach(
        (partition, position) ->
            ChannelKey.of(request.type(), partition)
                .forEach(
                    key ->
                        states.put(
                            key,
                            key.equals(ChannelKey.stream(partition))
                                ? ChannelState.startingAt(position)
                                    .seenIn(Optional.ofNullable(incarnations.get(partition)))
                                : ChannelState.startingAt(0))));
    return states;
  }

  private Map<ChannelKey, ChannelState> streams(Map<Integer, LogBounds.Look> lookByPartition) {
    StreamBounds found =
        new StreamBounds(Optional.empty(), lookByPartition, surroundings.epochMicros());
    NavigableMap<ChannelKey, ChannelState> states = new TreeMap<>();
    for (PartitionRecord partition : table.partitions()) {
      ChannelKey key = ChannelKey.stream(partition.id());
      states.put(
          key,
          ChannelState.startingAt(start(key, found))
              .seenIn(lookByPartition.get(partition.id()).bounds().incarnation()));
    }
    return states;
  }

  private long start(ChannelKey key, StreamBounds found) {
    if (request.startMs().isPresent()) {
      return found.before(key, request.startMs().get());
    }
    return request.start() == StreamStart.EARLIEST ? found.first(key) : found.last(key);
  }
}
