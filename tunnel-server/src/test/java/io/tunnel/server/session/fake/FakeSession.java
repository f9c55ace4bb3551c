package io.tunnel.server.session.fake;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.server.session.Coordinator;
import io.tunnel.server.session.Coordinator.CheckpointAnswer;
import io.tunnel.server.session.Coordinator.CheckpointRequest;
import io.tunnel.server.session.SessionPort;
import io.tunnel.wire.ChannelEnd;
import io.tunnel.wire.Checkpoint;
import io.tunnel.wire.control.Renewal;
import io.tunnel.wire.control.SessionControl.Assignment;
import io.tunnel.wire.control.SessionControl.Fence;
import io.tunnel.wire.control.SessionControl.Revocation;
import io.tunnel.wire.control.SessionControl.SessionEnd;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/** A worker's connection that keeps each received frame. */
public final class FakeSession implements SessionPort {

  /** Whose connection it is; empty for nobody's. */
  public String holder = "";

  /** What is held now, by handle. */
  public final Map<Integer, Assignment> held = new LinkedHashMap<>();

  /** Position delivered on this connection for each channel; empty when another server delivers. */
  public OptionalLong delivered = OptionalLong.empty();

  /** Channels that were asked for. */
  public final List<Revocation> revocations = new ArrayList<>();

  /** Grants of what is held that came behind those of the assignments. */
  public final List<Renewal> renewals = new ArrayList<>();

  /** Where channels end. */
  public final List<ChannelEnd> limits = new ArrayList<>();

  /** Channels that were taken. */
  public final List<Fence> fences = new ArrayList<>();

  /** Sessions that ended. */
  public final List<SessionEnd> overs = new ArrayList<>();

  /** Sessions that live on it. */
  public int open;

  @Override
  public String holder() {
    return holder;
  }

  @Override
  public void began() {
    open++;
  }

  @Override
  public void ended() {
    open--;
  }

  @Override
  public void assign(Assignment assignment) {
    held.put(assignment.handle(), assignment);
  }

  @Override
  public OptionalLong delivered(String channelId, long epoch) {
    return delivered;
  }

  @Override
  public void dropped(int handle) {
    held.remove(handle);
  }

  @Override
  public void renew(Renewal renewal) {
    renewals.add(renewal);
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
  public void fence(Fence fence) {
    assertThat(held.remove(fence.handle())).as("held before %s", fence).isNotNull();
    fences.add(fence);
  }

  @Override
  public void over(SessionEnd end) {
    overs.add(end);
  }

  /** Reports progress, and throws what it is refused with. */
  public void checkpoint(Coordinator coordinator, Checkpoint checkpoint) throws IOException {
    Outcome outcome = new Outcome();
    coordinator.checkpoint(List.of(new CheckpointRequest(checkpoint, this, outcome)));
    assertThat(outcome.told).isEqualTo(1);
    if (outcome.refusal instanceof IOException failure) {
      throw failure;
    } else if (outcome.refusal instanceof RuntimeException failure) {
      throw failure;
    }
  }

  /** What became of a checkpoint. */
  public static final class Outcome implements CheckpointAnswer {
    /** How often it was answered. */
    public int told;

    /** Why it was refused; null while it was not. */
    public Exception refusal;

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

  /** Any that is held. */
  public Assignment any() {
    return held.values().iterator().next();
  }
}
