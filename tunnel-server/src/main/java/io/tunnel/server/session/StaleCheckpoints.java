package io.tunnel.server.session;

import io.tunnel.core.ChannelState;
import io.tunnel.model.KnownPosition;
import io.tunnel.server.catalog.TunnelCatalog;
import io.tunnel.server.changes.LogBounds;
import io.tunnel.server.session.Coordinator.CheckpointAnswer;
import io.tunnel.wire.control.SessionControl.StopChannel;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rolls back checkpoints of changes that a shared log has lost: new changes get their positions,
 * and the channel would skip these. The delivering node refuses such a channel, and its worker
 * reports the refusal here. The report is not trusted: the log is read up to where it agrees with
 * the checkpoint, and progress rolls back to there.
 *
 * <p>A checkpoint that was stored without its incarnation cannot be checked, and stays.
 */
final class StaleCheckpoints {

  private static final Logger LOGGER = LoggerFactory.getLogger(StaleCheckpoints.class);

  private final TunnelCatalog catalog;
  private final Sessions sessions;
  private final LogBounds bounds;
  private final TunnelEnds ends;
  private final Surroundings surroundings;

  StaleCheckpoints(
      TunnelCatalog catalog,
      Sessions sessions,
      LogBounds bounds,
      TunnelEnds ends,
      Surroundings surroundings) {
    this.catalog = catalog;
    this.sessions = sessions;
    this.bounds = bounds;
    this.ends = ends;
    this.surroundings = surroundings;
  }

  /**
   * Takes a channel from its worker, and lets it continue after the last change that the log still
   * has.
   */
  void judge(StopChannel request, SessionPort port, CheckpointAnswer answer) {
    Hold hold = sessions.requireHold(request.handle(), request.epoch(), port);
    ChannelState state = stored(hold);
    Optional<KnownPosition> known = state.known();
    if (known.isEmpty()) {
      giveOn(hold);
      answer.stored();
      return;
    }
    int partition = hold.key().partition();
    bounds.look(
        Set.of(partition),
        Set.of(),
        Map.of(partition, known.get()),
        new LogBounds.Looked() {
          @Override
          public void found(Map<Integer, LogBounds.Look> lookByPartition) {
            judged(request, port, answer, new Judged(state, lookByPartition.get(partition)));
          }

          @Override
          public void failed(Exception reason) {
            answer.refused(reason);
          }
        });
  }

  private ChannelState stored(Hold hold) {
    return catalog.channel(hold.session().run().info().tunnelId(), hold.key());
  }

  /** A channel's state, and the bounds of its log. */
  private record Judged(ChannelState state, LogBounds.Look look) {

    boolean isLost() {
      return shared() < state.checkpointed();
    }

    long shared() {
      return look.shared().orElse(state.checkpointed());
    }

    /**
     * The new state, in the incarnation of the read log, so that it is not checked again by an
     * older one.
     */
    ChannelState next() {
      ChannelState next = isLost() ? state.rolledBack(shared()) : state;
      return next.seenIn(look.bounds().incarnation());
    }
  }

  private void judged(
      StopChannel request, SessionPort port, CheckpointAnswer answer, Judged judged) {
    try {
      Hold hold = sessions.requireHold(request.handle(), request.epoch(), port);
      if (!stored(hold).equals(judged.state())) {
        judge(request, port, answer);
        return;
      }
      catalog.store(hold.session().run().info().tunnelId(), Map.of(hold.key(), judged.next()));
      if (judged.isLost()) {
        takenBack(hold, judged);
      } else {
        giveOn(hold);
      }
    } catch (IOException | RuntimeException e) {
      answer.refused(e);
      return;
    }
    answer.stored();
  }

  /** Assigns the channel again; delivered changes without a checkpoint are repeated or replaced. */
  private void giveOn(Hold hold) {
    TunnelRun run = hold.session().run();
    sessions.apply(
        run,
        run.core().release(hold.session().id(), hold.key(), hold.epoch(), surroundings.nanos()));
  }

  private void takenBack(Hold hold, Judged judged) {
    TunnelRun run = hold.session().run();
    LOGGER.warn(
        "changes {} to {} of partition {} were lost after tunnel {} of table {} had processed"
            + " them; the channel continues after {}",
        judged.shared() + 1,
        judged.state().checkpointed(),
        hold.key().partition(),
        run.info().tunnel(),
        run.info().table(),
        judged.shared());
    surroundings.tookBack();
    sessions.apply(run, run.core().seek(Map.of(hold.key(), judged.next()), surroundings.nanos()));
    ends.watch(run.info());
  }
}
