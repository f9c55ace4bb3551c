package io.tunnel.sdk.testing;

import io.tunnel.codec.KeyCodec;
import io.tunnel.codec.MalformedException;
import io.tunnel.core.ChannelKey;
import io.tunnel.core.ChannelState;
import io.tunnel.core.TunnelEffect.OverReason;
import io.tunnel.model.ChannelType;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.StreamStart;
import io.tunnel.model.value.Bytes;
import io.tunnel.sdk.testing.table.VirtualTime;
import io.tunnel.wire.control.OperatorControl.ChannelPosition;
import io.tunnel.wire.control.OperatorControl.ChannelSelection;
import io.tunnel.wire.control.OperatorControl.CheckpointSet;
import io.tunnel.wire.control.OperatorControl.Move;
import io.tunnel.wire.control.OperatorControl.Seek;
import io.tunnel.wire.control.OperatorControl.SeekResult;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** The requests of operators for one tunnel. */
final class Operators {

  private final MemoryTunnel tunnel;
  private final VirtualTime time;
  private final MemoryReadings readings;

  Operators(MemoryTunnel tunnel, VirtualTime time, MemoryReadings readings) {
    this.tunnel = tunnel;
    this.time = time;
    this.readings = readings;
  }

  /** A channel, the position to move it to, and its end then. */
  private record Target(MemoryChannel channel, long position, Bytes key, Optional<Long> end) {

    Move move() {
      return new Move(
          channel.id(), channel.partition().id(), channel.type(), channel.checkpointed(), position);
    }
  }

  void pause(ChannelSelection selection) {
    if (selection.channels().isEmpty()) {
      tunnel.pause(true);
    } else {
      tunnel.update(channels(selection.channels()), state -> state.withPause(true));
    }
  }

  void resume(ChannelSelection selection) {
    if (selection.channels().isEmpty()) {
      tunnel.update(tunnel.channels(), state -> state.withStop(Optional.empty()));
      tunnel.pause(false);
    } else {
      tunnel.update(
          channels(selection.channels()),
          state -> state.withPause(false).withStop(Optional.empty()));
    }
  }

  void endSession(String sessionId) {
    MemorySession session =
        tunnel.sessions().stream()
            .filter(open -> open.id().equals(sessionId))
            .findFirst()
            .orElseThrow(
                () ->
                    new RefusedException(
                        ErrorCode.CHANNEL_NOT_FOUND,
                        "the tunnel has no session " + sessionId + "; describe it to see those"));
    tunnel.end(session, OverReason.OPERATOR);
  }

  CheckpointSet export() {
    List<ChannelPosition> positions = new ArrayList<>();
    for (MemoryChannel channel : tunnel.channels()) {
      positions.add(
          new ChannelPosition(
              channel.partition().id(),
              channel.type(),
              channel.checkpointed(),
              channel.state().key(),
              channel.state().isFinished(),
              channel.type() == ChannelType.Stream
                  ? Optional.of(readings.incarnation())
                  : Optional.empty()));
    }
    return new CheckpointSet(
        tunnel.table().tableId(), tunnel.info().table(), tunnel.info().tunnel(), positions);
  }

  /** Moves progress, or for a dry run only returns the moves. */
  SeekResult seek(Seek seek) {
    List<Target> targets =
        seek.checkpoints().isPresent()
            ? exported(seek.checkpoints().get(), channels(seek.channels()))
            : streams(seek);
    if (!seek.isDryRun()) {
      apply(targets);
    }
    return new SeekResult(targets.stream().map(Target::move).toList(), time.ms());
  }

  private void apply(List<Target> targets) {
    Map<ChannelKey, ChannelState> states = new LinkedHashMap<>();
    for (Target target : targets) {
      states.put(
          target.channel().key(),
          target.channel().moveTo(target.position(), target.key(), target.end()));
    }
    tunnel.moved(states);
  }

  private List<Target> streams(Seek seek) {
    List<MemoryChannel> chosen =
        seek.channels().isEmpty()
            ? tunnel.channels().stream()
                .filter(channel -> channel.type() == ChannelType.Stream)
                .toList()
            : channels(seek.channels());
    if (chosen.isEmpty()) {
      throw invalid("a tunnel of base data alone has no stream to seek in");
    }
    List<Target> targets = new ArrayList<>();
    for (MemoryChannel channel : chosen) {
      if (channel.type() != ChannelType.Stream) {
        throw invalid(
            "channel " + channel.id() + " carries base data, which has no positions to go to");
      }
      targets.add(
          new Target(
              channel,
              requireInside(channel, wanted(seek, channel)),
              Bytes.EMPTY,
              channel.state().end()));
    }
    return targets;
  }

  private long wanted(Seek seek, MemoryChannel channel) {
    if (seek.position().isPresent()) {
      return seek.position().get();
    }
    if (seek.timeMs().isPresent()) {
      long micros = TimeUnit.MILLISECONDS.toMicros(seek.timeMs().get());
      if (micros > time.micros()) {
        throw new RefusedException(
            ErrorCode.INVALID_POSITION,
            seek.timeMs().get() + " lies in the future: it is " + time.ms() + " now");
      }
      return channel.partition().lastBefore(micros);
    }
    return seek.edge().orElseThrow() == StreamStart.EARLIEST ? 0 : newest(channel);
  }

  private static long newest(MemoryChannel channel) {
    return Math.min(channel.partition().committed(), channel.state().end().orElse(Long.MAX_VALUE));
  }

  private static long requireInside(MemoryChannel channel, long position) {
    if (position < 0 || position > newest(channel)) {
      throw new RefusedException(
          ErrorCode.INVALID_POSITION,
          "channel "
              + channel.id()
              + " has positions from 0 to "
              + newest(channel)
              + " to go on behind, not "
              + position);
    }
    return position;
  }

  private List<Target> exported(CheckpointSet set, List<MemoryChannel> chosen) {
    if (set.tableId() != tunnel.table().tableId()) {
      throw invalid(
          "the checkpoints are of table '"
              + set.table()
              + "' with id "
              + set.tableId()
              + ", the tunnel is of a table with id "
              + tunnel.table().tableId());
    }
    Map<MemoryChannel, Target> targets = new LinkedHashMap<>();
    for (ChannelPosition at : set.channels()) {
      MemoryChannel channel = channel(at);
      if (targets.put(channel, target(channel, at)) != null) {
        throw invalid("the checkpoints name channel " + channel.id() + " twice");
      }
    }
    for (MemoryChannel channel : chosen) {
      if (!targets.containsKey(channel)) {
        throw invalid("the checkpoints do not name channel " + channel.id());
      }
    }
    List<Target> wanted =
        tunnel.channels().stream()
            .filter(channel -> chosen.isEmpty() || chosen.contains(channel))
            .filter(targets::containsKey)
            .map(targets::get)
            .toList();
    if (wanted.isEmpty()) {
      throw invalid("the checkpoints name no channel");
    }
    return wanted;
  }

  private MemoryChannel channel(ChannelPosition at) {
    return tunnel.channels().stream()
        .filter(own -> own.partition().id() == at.partition() && own.type() == at.type())
        .findFirst()
        .orElseThrow(
            () ->
                invalid(
                    "the tunnel has no "
                        + at.type()
                        + " channel for partition "
                        + at.partition()
                        + ", which the checkpoints name"));
  }

  private Target target(MemoryChannel channel, ChannelPosition at) {
    long position = at.position();
    if (channel.type() == ChannelType.Stream) {
      at.known().ifPresent(known -> readings.requireKept(channel.partition(), known));
      return new Target(
          channel, requireInside(channel, position), Bytes.EMPTY, channel.state().end());
    }
    requireKey(channel, at);
    return new Target(
        channel, position, at.key(), at.isFinished() ? Optional.of(position) : Optional.empty());
  }

  /** A base channel goes on behind a key of its partition, or starts before the first row. */
  private void requireKey(MemoryChannel channel, ChannelPosition at) {
    byte[] key = at.key().toByteArray();
    if (key.length > 0 != at.position() > 0) {
      throw invalid("a base channel is at row 0, or behind a row with its key");
    }
    try {
      if (key.length > 0) {
        KeyCodec.require(key, 0, key.length, tunnel.table().meta().primaryKey());
      }
    } catch (MalformedException e) {
      throw invalid("the key of " + channel.id() + " is none of the table: " + e.getMessage());
    }
    if (key.length > 0 && tunnel.table().partitionOf(at.key()) != channel.partition()) {
      throw invalid("the key of " + channel.id() + " is of another partition");
    }
  }

  private static RefusedException invalid(String message) {
    return new RefusedException(ErrorCode.INVALID_REQUEST, message);
  }

  private List<MemoryChannel> channels(List<String> ids) {
    List<MemoryChannel> chosen = new ArrayList<>();
    for (String id : ids) {
      chosen.add(
          tunnel.channels().stream()
              .filter(channel -> channel.id().equals(id))
              .findFirst()
              .orElseThrow(
                  () ->
                      new RefusedException(
                          ErrorCode.CHANNEL_NOT_FOUND,
                          "the tunnel has no channel "
                              + id
                              + "; its channels are "
                              + tunnel.channels().stream().map(MemoryChannel::id).toList())));
    }
    return chosen;
  }
}
