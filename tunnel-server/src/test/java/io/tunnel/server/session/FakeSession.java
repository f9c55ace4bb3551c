package io.tunnel.server.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.RefusedException;
import io.tunnel.server.channel.Channel;
import io.tunnel.server.log.Extents;
import io.tunnel.server.session.Coordinator.CheckpointAnswer;
import io.tunnel.server.session.Coordinator.CheckpointRequest;
import io.tunnel.wire.ChannelEnd;
import io.tunnel.wire.Checkpoint;
import io.tunnel.wire.SessionControl.Assignment;
import io.tunnel.wire.SessionControl.Fence;
import io.tunnel.wire.SessionControl.Revocation;
import io.tunnel.wire.SessionControl.SessionEnd;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;

/** A worker's connection that writes down what it is told; deliveries are counted as sent. */
final class FakeSession implements SessionPort {

  /** What is held now, by handle. */
  final Map<Integer, Assignment> held = new LinkedHashMap<>();

  final Map<Integer, Channel> channels = new LinkedHashMap<>();
  final List<Revocation> revocations = new ArrayList<>();
  final List<ChannelEnd> ends = new ArrayList<>();
  final List<ChannelEnd> limits = new ArrayList<>();
  final List<Fence> fences = new ArrayList<>();
  final List<SessionEnd> overs = new ArrayList<>();
  final List<RefusedException> failures = new ArrayList<>();

  @Override
  public void assign(Assignment assignment, Channel channel) {
    held.put(assignment.handle(), assignment);
    channels.put(assignment.handle(), channel);
    channel.start();
  }

  @Override
  public void limit(ChannelEnd end) {
    limits.add(end);
  }

  @Override
  public void revoke(Revocation revocation) {
    revocations.add(revocation);
  }

  @Override
  public void take(int handle) {
    held.remove(handle);
  }

  @Override
  public void fence(Fence fence) {
    assertThat(held.remove(fence.handle())).as("held before %s", fence).isNotNull();
    fences.add(fence);
  }

  @Override
  public void over(SessionEnd end) {
    overs.add(end);
  }

  @Override
  public boolean isWritable() {
    return true;
  }

  @Override
  public void execute(Runnable action) {
    action.run();
  }

  @Override
  public int deliver(int handle, long epoch, long firstPosition, Extents batches) {
    return batches.bytes();
  }

  @Override
  public int deliver(int handle, long epoch, long firstPosition, byte[] batch) {
    return batch.length;
  }

  @Override
  public void end(ChannelEnd end) {
    ends.add(end);
  }

  @Override
  public void settled(ChannelEnd upTo) {
    throw new AssertionError("settled " + upTo + " is said where a channel is attached");
  }

  @Override
  public void fail(int handle, RefusedException reason) {
    failures.add(reason);
  }

  /** Reports progress, and throws what it is refused with. */
  void checkpoint(Coordinator coordinator, Checkpoint checkpoint) throws IOException {
    Outcome outcome = new Outcome();
    Queue<CheckpointRequest> waiting = new ArrayDeque<>();
    waiting.add(new CheckpointRequest(checkpoint, this, outcome));
    coordinator.checkpoint(waiting);
    assertThat(outcome.told).isEqualTo(1);
    if (outcome.refusal instanceof IOException failure) {
      throw failure;
    } else if (outcome.refusal instanceof RuntimeException failure) {
      throw failure;
    }
  }

  /** What became of a checkpoint. */
  static final class Outcome implements CheckpointAnswer {
    int told;
    Exception refusal;

    @Override
    public void stored() {
      told++;
    }

    @Override
    public void refused(Exception reason) {
      told++;
      refusal = reason;
    }
  }

  Assignment any() {
    return held.values().iterator().next();
  }
}
