package io.tunnel.server.net.delivery;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.RowCursor;
import io.tunnel.model.ChannelType;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.tunnel.ChannelKey;
import io.tunnel.wire.ChannelEnd;
import io.tunnel.wire.Checkpoint;
import io.tunnel.wire.control.ClusterControl.Attach;
import io.tunnel.wire.control.ClusterControl.Attached;
import io.tunnel.wire.control.SessionControl.Assignment;
import io.tunnel.wire.control.SessionControl.StopChannel;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Deliveries of a single server to workers of the first release, which give credit to their
 * assigned channels and send no request to attach. The server attaches for them, under the handles
 * by which their sessions hold the channels. These workers name no keys of rows in checkpoints, no
 * ends of rows or changes, and no channels that cannot be read: this class adds them. On the
 * connection's event loop.
 */
public final class UnaskedDeliveries {

  private final Attachments.Port connection;
  private final Attachments attachments;
  private final Consumer<StopChannel> stop;
  private final Consumer<ChannelEnd> limit;

  /** The deliveries by handle. */
  private final Map<Integer, Delivered> deliveries = new HashMap<>();

  private record Delivered(Assignment assignment, Optional<ResumePoints> points) {}

  /**
   * Nothing yet.
   *
   * @param stop stops a channel that cannot be delivered, through its session
   * @param limit tells the session of a base channel the end of the channel
   */
  public UnaskedDeliveries(
      Attachments.Port connection,
      Attachments attachments,
      Consumer<StopChannel> stop,
      Consumer<ChannelEnd> limit) {
    this.connection = connection;
    this.attachments = attachments;
    this.stop = stop;
    this.limit = limit;
  }

  /** A session on the connection was assigned a channel, and its worker knows. */
  public void assigned(Assignment assignment) {
    boolean isOfRows = assignment.type() == ChannelType.BaseData;
    deliveries.put(
        assignment.handle(),
        new Delivered(
            assignment,
            isOfRows
                ? Optional.of(new ResumePoints(assignment.checkpointed(), assignment.key()))
                : Optional.empty()));
    try {
      attachments.attach(
          attach(assignment), assignment.handle(), connection, new ForWorker(assignment.handle()));
    } catch (RefusedException e) {
      refused(assignment.handle(), e);
    }
  }

  private static Attach attach(Assignment assignment) {
    return new Attach(
        ChannelKey.tunnelId(assignment.channelId()),
        assignment.channelId(),
        assignment.partition(),
        assignment.type(),
        assignment.epoch(),
        assignment.checkpointed(),
        assignment.key(),
        assignment.end(),
        assignment.endMs(),
        assignment.grant());
  }

  /** Tells the worker nothing, because it did not ask; a refusal stops the channel. */
  private final class ForWorker implements Attachments.Answer {
    private final int handle;

    ForWorker(int handle) {
      this.handle = handle;
    }

    @Override
    public void attached(Attached attached) {
      // Deliveries follow.
    }

    @Override
    public void refused(RefusedException reason) {
      UnaskedDeliveries.this.refused(handle, reason);
    }

    @Override
    public void dropped() {
      // The worker did not ask.
    }
  }

  private void refused(int handle, RefusedException reason) {
    connection.pushFailure(handle, reason);
    failed(handle, reason);
  }

  /** Stops a channel that cannot be delivered any further; its worker was told. */
  public void failed(int handle, RefusedException reason) {
    Delivered failed = deliveries.remove(handle);
    if (failed != null) {
      String error = reason.code() + ": " + reason.getMessage();
      stop.accept(new StopChannel(handle, failed.assignment().epoch(), error));
    }
  }

  /** The session holds the channel no more. */
  public void over(int handle) {
    deliveries.remove(handle);
  }

  /**
   * Sets the end of a channel of changes; the worker is told behind the last change. A channel that
   * is no longer held needs no end.
   */
  public void endsAt(ChannelEnd end) {
    if (connection.carried().isAttached(end.handle())) {
      connection.carried().limit(end);
    }
  }

  /** Notes an end that the worker is about to be told. */
  public void ends(ChannelEnd end) {
    Delivered ended = deliveries.get(end.handle());
    if (ended != null && ended.points().isPresent()) {
      limit.accept(end);
    }
  }

  /** Notes rows that are sent to the worker. */
  public void delivered(int handle, byte[] rows) {
    Delivered to = deliveries.get(handle);
    if (to != null && to.points().isPresent()) {
      ChangeBatch batch = ChangeBatch.parse(rows, 0, rows.length);
      to.points().get().add(batch.lastPosition(), lastKey(batch));
    }
  }

  private static Bytes lastKey(ChangeBatch batch) {
    RowCursor row = batch.rows();
    for (int left = batch.rowCount(); left > 0; left--) {
      row.next();
    }
    return Bytes.copyOf(batch.array(), row.keyOffset(), row.keyBytes());
  }

  /**
   * The checkpoint with the key that newer workers would send: the last resume point at or before
   * it.
   */
  public Checkpoint completed(Checkpoint checkpoint) {
    Delivered of = deliveries.get(checkpoint.handle());
    if (of == null || of.points().isEmpty()) {
      return checkpoint;
    }
    ResumePoints.Resume resume = of.points().get().at(checkpoint.position());
    return new Checkpoint(checkpoint.handle(), checkpoint.epoch(), resume.position(), resume.key());
  }
}
