package io.tunnel.server.session;

import io.tunnel.codec.KeyCodec;
import io.tunnel.codec.MalformedException;
import io.tunnel.core.ChannelKey;
import io.tunnel.core.ChannelState;
import io.tunnel.model.ChannelType;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.TableMeta;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.TunnelCatalog;
import io.tunnel.server.catalog.store.UnknownOutcomeException;
import io.tunnel.server.changes.LogBounds;
import io.tunnel.server.session.Coordinator.CheckpointRequest;
import io.tunnel.wire.Checkpoint;
import io.tunnel.wire.control.FailureControl.Skip;
import io.tunnel.wire.control.FailureControl.SkippedChange;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores the progress that sessions report. Each write of the catalog is synced while the control
 * thread waits; so one write stores all waiting checkpoints, and heartbeats and moves wait for one
 * sync instead of one for each channel. Each checkpoint is answered when it is durable.
 *
 * <p>A checkpoint must not pass the last change that was delivered on the session's own connection.
 * Deliveries on a second connection, or by a second node, are not known here: then the end of the
 * log is the bound, and a checkpoint beyond the known end waits until the end of this log was read.
 */
final class Checkpoints {

  private static final Logger LOGGER = LoggerFactory.getLogger(Checkpoints.class);

  private final TunnelCatalog catalog;
  private final Sessions sessions;
  private final LogBounds bounds;
  private final Surroundings surroundings;

  /** A checkpoint that was checked and will be stored. */
  private record Admitted(
      CheckpointRequest request, Hold hold, ChannelState state, List<SkippedChange> skipped) {

    TunnelRun run() {
      return hold.session().run();
    }
  }

  Checkpoints(
      TunnelCatalog catalog, Sessions sessions, LogBounds bounds, Surroundings surroundings) {
    this.catalog = catalog;
    this.sessions = sessions;
    this.bounds = bounds;
    this.surroundings = surroundings;
  }

  /** Stores checkpoints of different channels, and answers each of them. */
  void store(List<CheckpointRequest> together) {
    List<Admitted> admitted = new ArrayList<>();
    Map<Integer, List<CheckpointRequest>> beyond = new LinkedHashMap<>();
    for (CheckpointRequest next : together) {
      if (isBeyondWhatIsKnown(next)) {
        beyond.computeIfAbsent(partition(next), id -> new ArrayList<>()).add(next);
      } else {
        admit(next).ifPresent(admitted::add);
      }
    }
    if (!admitted.isEmpty()) {
      storeAdmitted(admitted);
    }
    if (!beyond.isEmpty()) {
      look(beyond);
    }
  }

  private boolean isBeyondWhatIsKnown(CheckpointRequest request) {
    return sessions
        .hold(request.checkpoint().handle())
        .filter(hold -> !hold.isOfRows() && hold.deliveredHere().isEmpty())
        .filter(hold -> request.checkpoint().position() > bounds.known(hold.key().partition()))
        .isPresent();
  }

  private int partition(CheckpointRequest request) {
    return sessions.hold(request.checkpoint().handle()).orElseThrow().key().partition();
  }

  /**
   * Checks the checkpoints of each partition after reading the end of its log, which may fail for
   * some partitions.
   */
  private void look(Map<Integer, List<CheckpointRequest>> beyondByPartition) {
    bounds.refresh(
        beyondByPartition.keySet(),
        new LogBounds.Refreshed() {
          @Override
          public void fresh(Set<Integer> partitions) {
            List<CheckpointRequest> late = new ArrayList<>();
            beyondByPartition.forEach(
                (partition, requests) -> {
                  if (partitions.contains(partition)) {
                    late.addAll(requests);
                  }
                });
            storeLate(late);
          }

          @Override
          public void failed(int partition, Exception reason) {
            beyondByPartition.get(partition).forEach(request -> request.answer().refused(reason));
          }
        });
  }

  /** Stores checkpoints that waited for an end. */
  private void storeLate(List<CheckpointRequest> beyond) {
    List<Admitted> admitted = new ArrayList<>();
    for (CheckpointRequest request : beyond) {
      if (isOvertaken(request)) {
        request.answer().stored();
      } else {
        admit(request).ifPresent(admitted::add);
      }
    }
    if (!admitted.isEmpty()) {
      storeAdmitted(admitted);
    }
  }

  /**
   * Whether a higher checkpoint of the same hold is durable by now: a worker without an answer in
   * time sent a later checkpoint, which did not need the end of the log.
   */
  private boolean isOvertaken(CheckpointRequest request) {
    Checkpoint checkpoint = request.checkpoint();
    return sessions
        .hold(checkpoint.handle())
        .filter(hold -> hold.epoch() == checkpoint.epoch())
        .filter(hold -> hold.session().port() == request.port())
        .filter(hold -> !hold.isOfRows())
        .filter(hold -> stored(hold).checkpointed() > checkpoint.position())
        .isPresent();
  }

  private ChannelState stored(Hold hold) {
    return catalog.channel(hold.session().run().info().tunnelId(), hold.key());
  }

  /** Checks a checkpoint; answers it and returns empty when it need not or must not be stored. */
  private Optional<Admitted> admit(CheckpointRequest request) {
    Optional<Admitted> admitted;
    try {
      admitted = judge(request);
    } catch (RuntimeException e) {
      request.answer().refused(e);
      return Optional.empty();
    }
    if (admitted.isEmpty()) {
      request.answer().stored();
    }
    return admitted;
  }

  private Optional<Admitted> judge(CheckpointRequest request) {
    Checkpoint checkpoint = request.checkpoint();
    Hold hold = sessions.requireHold(checkpoint.handle(), checkpoint.epoch(), request.port());
    TunnelRun run = hold.session().run();
    boolean isNews =
        run.core()
            .mayCheckpoint(
                hold.session().id(),
                hold.key(),
                checkpoint.epoch(),
                checkpoint.position(),
                deliveredAtMost(hold));
    if (!isNews) {
      return Optional.empty();
    }
    Bytes key = hold.isOfRows() ? requireKey(hold, checkpoint.key()) : Bytes.EMPTY;
    sessions.requireKeys(hold.session(), request.skipped().stream().map(Skip::key).toList());
    long position = inChannel(hold, checkpoint.position());
    hold.reported(position);
    ChannelState state = stored(hold);
    Optional<Long> incarnation = hold.isOfRows() ? Optional.empty() : checkpoint.incarnation();
    return Optional.of(
        new Admitted(
            request,
            hold,
            state.withProgress(position, key).seenIn(incarnation),
            skipped(request, hold, state)));
  }

  /** The skipped changes that the checkpoint passes; earlier checkpoints stored those before. */
  private List<SkippedChange> skipped(CheckpointRequest request, Hold hold, ChannelState state) {
    return request.skipped().stream()
        .filter(skip -> skip.position() > state.checkpointed())
        .map(
            skip ->
                new SkippedChange(
                    hold.key().partition(),
                    hold.key().type(),
                    skip.position(),
                    skip.key(),
                    skip.error(),
                    TimeUnit.MICROSECONDS.toMillis(surroundings.epochMicros())))
        .toList();
  }

  /**
   * The bound for deliveries elsewhere: the end of the log, and none for rows, whose positions are
   * not counted.
   */
  private long deliveredAtMost(Hold hold) {
    OptionalLong here = hold.deliveredHere();
    if (here.isPresent()) {
      return Math.max(here.getAsLong(), hold.delivered());
    }
    return hold.isOfRows()
        ? hold.end().orElse(Long.MAX_VALUE)
        : Math.max(hold.delivered(), bounds.known(hold.key().partition()));
  }

  /**
   * The position, limited by the channel's end: an end that is found late may lie before delivered
   * changes.
   */
  private static long inChannel(Hold hold, long position) {
    return hold.isOfRows() ? position : Math.min(position, hold.end().orElse(Long.MAX_VALUE));
  }

  /** The key of the last row, which only the worker knows; the next holder continues after it. */
  private Bytes requireKey(Hold hold, Bytes key) {
    TableMeta table = catalog.tables().table(hold.session().run().info().table()).meta();
    byte[] array = key.toByteArray();
    try {
      KeyCodec.require(array, 0, array.length, table.primaryKey());
    } catch (MalformedException e) {
      throw new RefusedException(
          ErrorCode.INVALID_CHECKPOINT,
          "a checkpoint of base data says the key of its last row, as it is encoded: "
              + e.getMessage());
    }
    return key;
  }

  private void storeAdmitted(List<Admitted> admitted) {
    Map<String, Map<ChannelKey, ChannelState>> statesByTunnel = new LinkedHashMap<>();
    for (Admitted one : admitted) {
      statesByTunnel
          .computeIfAbsent(one.run().info().tunnelId(), id -> new LinkedHashMap<>())
          .put(one.hold().key(), one.state());
    }
    Map<String, List<SkippedChange>> skippedByTunnel = new LinkedHashMap<>();
    for (Admitted one : admitted) {
      if (!one.skipped().isEmpty()) {
        skippedByTunnel
            .computeIfAbsent(one.run().info().tunnelId(), id -> new ArrayList<>())
            .addAll(one.skipped());
      }
    }
    try {
      catalog.store(statesByTunnel, skippedByTunnel);
    } catch (IOException | RuntimeException e) {
      if (e instanceof RefusedException && admitted.size() > 1) {
        storeApart(admitted);
        return;
      }
      if (e instanceof UnknownOutcomeException) {
        admitted.forEach(one -> one.run().core().doubt(one.hold().key()));
      }
      admitted.forEach(one -> one.request().answer().refused(e));
      return;
    }
    for (Admitted one : admitted) {
      TunnelRun run = one.run();
      run.core().checkpointed(one.hold().key(), one.state().checkpointed());
      one.skipped().forEach(skip -> tell(run, skip));
      one.request().answer().stored();
    }
  }

  /**
   * Stores checkpoints whose common write was refused, in halves, so that few writes isolate the
   * refused one (of a deleted tunnel, say) and all others are stored.
   */
  private void storeApart(List<Admitted> admitted) {
    int half = admitted.size() / 2;
    storeAdmitted(admitted.subList(0, half));
    storeAdmitted(admitted.subList(half, admitted.size()));
  }

  private static void tell(TunnelRun run, SkippedChange skip) {
    LOGGER.warn(
        "tunnel {} of table {}: the {} at position {} of partition {}, key {}, was left out: {}",
        run.info().tunnel(),
        run.info().table(),
        skip.type() == ChannelType.Stream ? "change" : "row",
        skip.position(),
        skip.partition(),
        skip.key(),
        skip.error());
  }
}
