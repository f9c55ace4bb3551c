package io.tunnel.server.session;

import io.tunnel.server.catalog.ChannelKey;
import io.tunnel.server.catalog.ChannelState;
import io.tunnel.server.catalog.TunnelCatalog;
import io.tunnel.server.channel.Channel;
import io.tunnel.server.session.Coordinator.CheckpointRequest;
import io.tunnel.server.session.TunnelRun.Hold;
import io.tunnel.wire.Checkpoint;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;

/**
 * Stores the progress that sessions report. Each write of the catalog is synced, and the control
 * thread waits for it; so all checkpoints that wait are stored with one write, and heartbeats and
 * moves wait for one sync and not for as many as there are channels. Each is answered when it is
 * durable.
 */
final class Checkpoints {

  /** Checkpoints in one write; a key of base data makes a few kilobytes of one. */
  static final int TOGETHER_MAX = 1_024;

  private final TunnelCatalog catalog;
  private final Sessions sessions;

  /** A checkpoint that is to be stored. */
  private record Admitted(CheckpointRequest request, Hold hold, ChannelState state) {}

  Checkpoints(TunnelCatalog catalog, Sessions sessions) {
    this.catalog = catalog;
    this.sessions = sessions;
  }

  /**
   * Takes what waits, at least one if there is any, and stores it. Of one channel it takes one: the
   * next is judged when that one is stored.
   */
  void store(Queue<CheckpointRequest> waiting) {
    Map<Integer, Admitted> admitted = new LinkedHashMap<>();
    for (int left = TOGETHER_MAX; left > 0; left--) {
      CheckpointRequest next = waiting.peek();
      if (next == null || admitted.containsKey(next.checkpoint().handle())) {
        break;
      }
      if (waiting.remove(next)) {
        admit(next).ifPresent(one -> admitted.put(next.checkpoint().handle(), one));
      }
    }
    if (!admitted.isEmpty()) {
      store(admitted);
    }
  }

  /** Answers what need not, or must not, be stored. */
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
                hold.channel().delivered());
    if (!isNews) {
      return Optional.empty();
    }
    Channel.Resume resume = hold.channel().resumeAt(checkpoint.position());
    ChannelState state = catalog.channel(run.info().tunnelId(), hold.key());
    return resume.position() > state.checkpointed()
        ? Optional.of(
            new Admitted(request, hold, state.withProgress(resume.position(), resume.key())))
        : Optional.empty();
  }

  private void store(Map<Integer, Admitted> admitted) {
    Map<String, Map<ChannelKey, ChannelState>> statesByTunnel = new LinkedHashMap<>();
    for (Admitted one : admitted.values()) {
      statesByTunnel
          .computeIfAbsent(
              one.hold().session().run().info().tunnelId(), id -> new LinkedHashMap<>())
          .put(one.hold().key(), one.state());
    }
    try {
      catalog.store(statesByTunnel);
    } catch (IOException | RuntimeException e) {
      admitted.values().forEach(one -> one.request().answer().refused(e));
      return;
    }
    for (Admitted one : admitted.values()) {
      TunnelRun run = one.hold().session().run();
      run.core().checkpointed(one.hold().key(), one.state().checkpointed());
      one.request().answer().stored();
    }
  }
}
