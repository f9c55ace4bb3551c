package io.tunnel.it.sim.cluster;

import io.tunnel.it.sim.machine.SimConnection;
import io.tunnel.it.sim.truth.Invariant;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.ClusterControl.Attached;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.PartitionControl.ReadPartition;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Why readers without a tunnel are refused. The log loses nothing that was not trimmed, so no
 * reader is refused with POSITION_REPLACED.
 */
final class ReaderTruth {

  private final ClusterWorld world;
  private final Map<SimConnection, Readings> readings = new HashMap<>();
  private final Map<Integer, String> deliverers = new HashMap<>();
  private final Set<Integer> sentAway = new HashSet<>();

  /** What is read on a connection: asked for, by request, and delivered, by handle. */
  private static final class Readings {
    private final Map<Integer, ReadPartition> asked = new HashMap<>();
    private final Map<Integer, ReadPartition> read = new HashMap<>();
  }

  ReaderTruth(ClusterWorld world) {
    this.world = world;
  }

  /** A client sends something. */
  void asked(SimConnection connection, Frame frame) {
    if (frame.operation() == Operation.READ_PARTITION) {
      readings
          .computeIfAbsent(connection, any -> new Readings())
          .asked
          .put(frame.correlationId(), Json.decode(frame.payload(), ReadPartition.class));
    }
  }

  /** A node sends something. */
  void answered(SimConnection connection, Frame frame) {
    Readings here = readings.get(connection);
    if (here == null) {
      return;
    }
    if (frame.operation() == Operation.READ_PARTITION) {
      ReadPartition asked = here.asked.remove(frame.correlationId());
      if (frame.kind() == FrameKind.ERROR) {
        refused(asked, ErrorPayload.decode(frame.payload()));
      } else {
        here.read.put(Json.decode(frame.payload(), Attached.class).handle(), asked);
      }
    } else if (frame.operation() == Operation.DELIVER && frame.kind() == FrameKind.ERROR) {
      ReadPartition read = here.read.remove(frame.correlationId());
      if (read != null) {
        sentAway.add(read.partition());
        refused(read, ErrorPayload.decode(frame.payload()));
      }
    }
  }

  /** A node delivers changes under a handle. */
  void delivered(SimConnection connection, int handle) {
    Readings here = readings.get(connection);
    if (here == null || !here.read.containsKey(handle)) {
      return;
    }
    int partition = here.read.get(handle).partition();
    if (sentAway.remove(partition)) {
      world.count(ClusterHappening.READER_SENT_AWAY);
    }
    String node = connection.server().loop().thread().process().name();
    String before = deliverers.put(partition, node);
    if (before != null && !before.equals(node)) {
      world.count(ClusterHappening.READER_FOLLOWED);
    }
  }

  private void refused(ReadPartition read, ErrorPayload error) {
    switch (error.code()) {
      case HISTORY_LOST -> world.count(ClusterHappening.READER_LOST_HISTORY);
      case POSITION_REPLACED ->
          throw Invariant.POSITIONS_STAY.broken(
              "%s is refused, and the log has lost nothing: %s", read, error.message());
      case TABLE_NOT_FOUND ->
          // That it is hidden where it may be is seen to by who knows the rights.
          Invariant.POSITIONS_STAY.require(
              world.network.isClosed(), "%s is refused: %s", read, error.message());
      case INVALID_POSITION ->
          throw Invariant.POSITIONS_STAY.broken("%s is refused: %s", read, error.message());
      default -> {
        // As it may be: it tries again, here or elsewhere.
      }
    }
  }
}
