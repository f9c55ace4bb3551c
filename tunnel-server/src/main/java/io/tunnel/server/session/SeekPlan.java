package io.tunnel.server.session;

import io.tunnel.codec.KeyCodec;
import io.tunnel.codec.MalformedException;
import io.tunnel.core.ChannelKey;
import io.tunnel.core.ChannelState;
import io.tunnel.model.ChannelType;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.KnownPosition;
import io.tunnel.model.RefusedException;
import io.tunnel.model.StreamStart;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.PartitionRecord;
import io.tunnel.server.catalog.TableRecord;
import io.tunnel.server.changes.LogBounds;
import io.tunnel.wire.control.Control.TunnelInfo;
import io.tunnel.wire.control.OperatorControl.ChannelPosition;
import io.tunnel.wire.control.OperatorControl.CheckpointSet;
import io.tunnel.wire.control.OperatorControl.Move;
import io.tunnel.wire.control.OperatorControl.Seek;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The effect of a seek on each channel; the plan is checked completely before anything is moved.
 */
final class SeekPlan {

  private final TunnelInfo tunnel;
  private final TableRecord table;
  private final NavigableMap<ChannelKey, ChannelState> channels;
  private final StreamBounds bounds;
  private final Map<Integer, LogBounds.Look> lookByPartition;
  private final NavigableMap<ChannelKey, ChannelState> states = new TreeMap<>();

  /** A plan for a tunnel of {@code table} with its {@code channels} as they are now. */
  SeekPlan(
      TunnelInfo tunnel,
      TableRecord table,
      NavigableMap<ChannelKey, ChannelState> channels,
      Map<Integer, LogBounds.Look> lookByPartition,
      long nowMicros) {
    this.tunnel = tunnel;
    this.table = table;
    this.channels = channels;
    this.lookByPartition = Map.copyOf(lookByPartition);
    this.bounds = new StreamBounds(tunnel.endMs(), lookByPartition, nowMicros);
  }

  /** The channels with these ids. */
  static NavigableSet<ChannelKey> select(
      TunnelInfo tunnel, NavigableMap<ChannelKey, ChannelState> channels, List<String> ids) {
    Map<String, ChannelKey> keyById = new LinkedHashMap<>();
    channels.keySet().forEach(key -> keyById.put(key.channelId(tunnel.tunnelId()), key));
    NavigableSet<ChannelKey> selected = new TreeSet<>();
    for (String id : ids) {
      ChannelKey key = keyById.get(id);
      if (key == null) {
        throw new RefusedException(
            ErrorCode.CHANNEL_NOT_FOUND,
            "tunnel "
                + tunnel.tunnel()
                + " has no channel '"
                + id
                + "'; its first is '"
                + channels.firstKey().channelId(tunnel.tunnelId())
                + "', and describing the tunnel shows all");
      }
      selected.add(key);
    }
    return selected;
  }

  /** Finds the new position of each channel. */
  SeekPlan plan(Seek seek) {
    if (seek.checkpoints().isPresent()) {
      planImport(seek.channels(), seek.checkpoints().get());
      return this;
    }
    for (ChannelKey key : streams(seek.channels())) {
      ChannelState state = channels.get(key);
      long position;
      if (seek.position().isPresent()) {
        position = bounds.require(key, state, seek.position().get());
      } else if (seek.timeMs().isPresent()) {
        position = bounds.require(key, state, bounds.before(key, seek.timeMs().get()));
      } else {
        position =
            seek.edge().orElseThrow() == StreamStart.EARLIEST
                ? bounds.earliest(key, state)
                : bounds.last(key, state);
      }
      states.put(
          key,
          state
              .movedTo(position, Bytes.EMPTY, state.end())
              .seenIn(lookByPartition.get(key.partition()).bounds().incarnation()));
    }
    return this;
  }

  private NavigableSet<ChannelKey> streams(List<String> ids) {
    NavigableSet<ChannelKey> selected = select(tunnel, channels, ids);
    for (ChannelKey key : selected) {
      if (key.type() != ChannelType.Stream) {
        throw new RefusedException(
            ErrorCode.INVALID_REQUEST,
            "channel "
                + key.channelId(tunnel.tunnelId())
                + " carries base data, which has no times and no positions in the log; it is moved"
                + " by checkpoints that were exported");
      }
    }
    if (ids.isEmpty()) {
      channels.keySet().stream()
          .filter(key -> key.type() == ChannelType.Stream)
          .forEach(selected::add);
      if (selected.isEmpty()) {
        throw new RefusedException(
            ErrorCode.INVALID_REQUEST,
            "tunnel " + tunnel.tunnel() + " carries base data only; it has nothing to seek in");
      }
    }
    return selected;
  }

  private void planImport(List<String> ids, CheckpointSet checkpoints) {
    if (checkpoints.tableId() != table.tableId()) {
      throw invalid(
          "the checkpoints are of table '"
              + checkpoints.table()
              + "' with id "
              + checkpoints.tableId()
              + ", not of '"
              + tunnel.table()
              + "' with id "
              + table.tableId()
              + "; positions of one table mean nothing in another");
    }
    NavigableSet<ChannelKey> selected = select(tunnel, channels, ids);
    NavigableSet<ChannelKey> named = new TreeSet<>();
    for (ChannelPosition position : checkpoints.channels()) {
      ChannelKey key = new ChannelKey(position.partition(), position.type());
      if (!channels.containsKey(key)) {
        throw invalid(
            "the checkpoints name the "
                + key.type()
                + " channel of partition "
                + key.partition()
                + ", which tunnel "
                + tunnel.tunnel()
                + " of type "
                + tunnel.type()
                + " does not have");
      }
      if (!named.add(key)) {
        throw invalid("the checkpoints name " + key + " twice");
      }
      if (ids.isEmpty() || selected.contains(key)) {
        states.put(key, imported(key, position));
      }
    }
    selected.removeAll(named);
    if (!selected.isEmpty()) {
      throw invalid("the checkpoints do not name " + selected + ", which are to be moved");
    }
    if (states.isEmpty()) {
      throw invalid("the checkpoints name no channel");
    }
  }

  private ChannelState imported(ChannelKey key, ChannelPosition position) {
    ChannelState state = channels.get(key);
    if (key.type() == ChannelType.Stream) {
      LogBounds.Look look = lookByPartition.get(key.partition());
      position.known().ifPresent(known -> requireShared(key, known, look));
      long to = bounds.require(key, state, position.position());
      // A checked position is in the incarnation of the read log; any other position has an unknown
      // incarnation.
      return state
          .movedTo(to, Bytes.EMPTY, state.end())
          .seenIn(position.incarnation().flatMap(in -> look.bounds().incarnation()));
    }
    requireKey(position);
    return state.movedTo(
        position.position(),
        position.key(),
        position.isFinished() ? Optional.of(position.position()) : Optional.empty());
  }

  private static void requireShared(ChannelKey key, KnownPosition known, LogBounds.Look look) {
    long shared = look.shared().orElse(known.position());
    if (shared < known.position()) {
      throw new RefusedException(
          ErrorCode.POSITION_REPLACED,
          "changes of partition "
              + key.partition()
              + " up to position "
              + known.position()
              + " were processed, and those after "
              + shared
              + " were lost since, or are not known to be there: their positions are given to other"
              + " changes, which would be skipped (incarnation "
              + known.incarnation()
              + "); nothing was moved");
    }
  }

  /** The positions of changes that the seek names with their incarnations, by partition. */
  static Map<Integer, KnownPosition> known(Seek seek, Collection<Integer> partitions) {
    Map<Integer, KnownPosition> known = new HashMap<>();
    seek.checkpoints().map(CheckpointSet::channels).orElse(List.of()).stream()
        .filter(position -> partitions.contains(position.partition()))
        .forEach(
            position -> position.known().ifPresent(one -> known.put(position.partition(), one)));
    return known;
  }

  /**
   * Refuses a position of a base channel that is neither after a key of its partition nor before
   * the first row.
   */
  private void requireKey(ChannelPosition position) {
    boolean hasKey = !position.key().equals(Bytes.EMPTY);
    if (hasKey != position.position() > 0) {
      throw invalid(
          "a base channel is at row 0 without a key, or after a row with its key; that of"
              + " partition "
              + position.partition()
              + " is at row "
              + position.position()
              + (hasKey ? " with a key" : " without one"));
    }
    if (!hasKey) {
      return;
    }
    try {
      byte[] key = position.key().toByteArray();
      KeyCodec.require(key, 0, key.length, table.meta().primaryKey());
    } catch (MalformedException e) {
      throw invalid(
          "the key of the base channel of partition "
              + position.partition()
              + " is no key of the table: "
              + e.getMessage());
    }
    PartitionRecord holder = table.partitionOf(position.key());
    if (holder.id() != position.partition()) {
      throw invalid(
          "the key of the base channel of partition "
              + position.partition()
              + " belongs to partition "
              + holder.id());
    }
  }

  private static RefusedException invalid(String message) {
    return new RefusedException(ErrorCode.INVALID_REQUEST, message);
  }

  /** The new states of the channels. */
  NavigableMap<ChannelKey, ChannelState> states() {
    return states;
  }

  /** The move of each channel, for the answer. */
  List<Move> moves() {
    return states.entrySet().stream()
        .map(
            entry ->
                new Move(
                    entry.getKey().channelId(tunnel.tunnelId()),
                    entry.getKey().partition(),
                    entry.getKey().type(),
                    channels.get(entry.getKey()).checkpointed(),
                    entry.getValue().checkpointed()))
        .toList();
  }
}
