package io.tunnel.server.session;

import io.tunnel.core.ChannelKey;
import io.tunnel.core.ChannelState;
import io.tunnel.core.StopReason;
import io.tunnel.core.TunnelCore;
import io.tunnel.core.TunnelEffect;
import io.tunnel.model.ChannelType;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.KnownPosition;
import io.tunnel.model.Names;
import io.tunnel.model.RefusedException;
import io.tunnel.server.catalog.Asked;
import io.tunnel.server.catalog.TableRecord;
import io.tunnel.server.catalog.TunnelCatalog;
import io.tunnel.server.changes.LogBounds;
import io.tunnel.wire.control.Control.CreateTunnel;
import io.tunnel.wire.control.Control.TunnelInfo;
import io.tunnel.wire.control.Control.TunnelName;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.OperatorControl.ChannelPosition;
import io.tunnel.wire.control.OperatorControl.ChannelSelection;
import io.tunnel.wire.control.OperatorControl.CheckpointSet;
import io.tunnel.wire.control.OperatorControl.EndSession;
import io.tunnel.wire.control.OperatorControl.Seek;
import io.tunnel.wire.control.OperatorControl.SeekResult;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * Serves operators' requests about tunnels, on the control thread. A change is stored before it is
 * answered.
 */
public final class Operators {

  private final TunnelCatalog catalog;
  private final LogBounds bounds;
  private final Coordinator coordinator;
  private final Surroundings surroundings;

  /** Serves the tunnels that {@code coordinator} runs. */
  public Operators(
      TunnelCatalog catalog, LogBounds bounds, Coordinator coordinator, Surroundings surroundings) {
    this.catalog = catalog;
    this.bounds = bounds;
    this.coordinator = coordinator;
    this.surroundings = surroundings;
  }

  /** The outcome of {@link #create}, called on the control thread. */
  public interface Creation {

    /** The tunnel exists. */
    void created(TunnelInfo tunnel);

    /** The tunnel was not created. */
    void failed(Exception reason);
  }

  /** Creates a tunnel; a start with base data, or at a point in time, takes a while. */
  public void create(CreateTunnel request, Asked asked, Creation answer) {
    Optional<String> done = catalog.done(asked);
    if (done.isPresent()) {
      answer.created(catalog.tunnel(done.get()));
    } else {
      new TunnelStart(catalog, bounds, surroundings, request, asked).begin(new Announced(answer));
    }
  }

  private final class Announced implements Creation {
    private final Creation answer;

    Announced(Creation answer) {
      this.answer = answer;
    }

    @Override
    public void created(TunnelInfo tunnel) {
      coordinator.created(tunnel);
      answer.created(tunnel);
    }

    @Override
    public void failed(Exception reason) {
      answer.failed(reason);
    }
  }

  /** The outcome of a request, called once, on the control thread. */
  public interface Answer<T> {

    /** The request succeeded. */
    void done(T result);

    /** The request failed and changed nothing. */
    void failed(Exception reason);
  }

  /** Uses the bounds of logs that were read. */
  @FunctionalInterface
  private interface Step<T> {
    T apply(Map<Integer, LogBounds.Look> lookByPartition) throws IOException;
  }

  private <T> void look(
      Collection<Integer> partitions,
      Set<Long> momentsMicros,
      Map<Integer, KnownPosition> known,
      Step<T> then,
      Answer<T> answer) {
    bounds.look(
        partitions,
        momentsMicros,
        known,
        new LogBounds.Looked() {
          @Override
          public void found(Map<Integer, LogBounds.Look> lookByPartition) {
            T result;
            try {
              result = then.apply(lookByPartition);
            } catch (IOException | RuntimeException e) {
              answer.failed(e);
              return;
            }
            answer.done(result);
          }

          @Override
          public void failed(Exception reason) {
            answer.failed(reason);
          }
        });
  }

  /** Describes a tunnel, at once or after reading the bounds of its partitions' logs. */
  public void view(String table, String name, Answer<TunnelView> answer) {
    TunnelInfo tunnel = catalog.tunnel(table, name);
    look(
        partitions(catalog.channels(tunnel).keySet()),
        Set.of(),
        Map.of(),
        found -> coordinator.view(catalog.tunnel(tunnel.tunnelId())),
        answer);
  }

  private static Set<Integer> partitions(Collection<ChannelKey> keys) {
    return keys.stream().map(ChannelKey::partition).collect(Collectors.toUnmodifiableSet());
  }

  /** Deletes a tunnel, and ends its sessions. */
  public void delete(TunnelName name, Asked asked) throws IOException {
    if (catalog.done(asked).isEmpty()) {
      TunnelInfo tunnel = catalog.tunnel(name.table(), name.tunnel());
      catalog.deleteTunnel(tunnel, asked);
      coordinator.forget(tunnel);
      surroundings.forgetRows(tunnel.tunnelId());
    }
  }

  /** Pauses channels, or the complete tunnel. */
  public void pause(ChannelSelection selection, Asked asked) throws IOException {
    if (catalog.done(asked).isPresent()) {
      return;
    }
    TunnelInfo tunnel = catalog.tunnel(selection.table(), selection.tunnel());
    if (selection.channels().isEmpty()) {
      pause(tunnel, true, asked);
    } else {
      update(
          tunnel,
          SeekPlan.select(tunnel, catalog.channels(tunnel), selection.channels()),
          state -> state.withPause(true),
          asked);
    }
  }

  /**
   * Resumes paused or stopped channels. Resuming the complete tunnel leaves channels paused that
   * were paused by name.
   */
  public void resume(ChannelSelection selection, Asked asked) throws IOException {
    if (catalog.done(asked).isPresent()) {
      return;
    }
    TunnelInfo tunnel = catalog.tunnel(selection.table(), selection.tunnel());
    NavigableMap<ChannelKey, ChannelState> channels = catalog.channels(tunnel);
    if (selection.channels().isEmpty()) {
      update(tunnel, channels.keySet(), state -> state.withStop(Optional.empty()), Asked.NAMELESS);
      pause(tunnel, false, asked);
    } else {
      update(
          tunnel,
          SeekPlan.select(tunnel, channels, selection.channels()),
          state -> state.withPause(false).withStop(Optional.empty()),
          asked);
    }
  }

  private void pause(TunnelInfo tunnel, boolean isPaused, Asked asked) throws IOException {
    TunnelRun run = coordinator.run(tunnel);
    catalog.pause(tunnel.tunnelId(), isPaused, asked);
    coordinator.apply(run, run.core().pause(isPaused, surroundings.nanos()));
  }

  private void update(
      TunnelInfo tunnel, Set<ChannelKey> keys, UnaryOperator<ChannelState> change, Asked asked)
      throws IOException {
    TunnelRun run = coordinator.run(tunnel);
    NavigableMap<ChannelKey, ChannelState> states = new TreeMap<>();
    keys.forEach(key -> states.put(key, change.apply(catalog.channel(tunnel.tunnelId(), key))));
    catalog.store(tunnel.tunnelId(), states, asked, "");
    coordinator.apply(run, run.core().update(states, surroundings.nanos()));
  }

  /**
   * Moves progress. A stopped channel keeps its error: it continues from its new position when an
   * operator resumes it.
   */
  public void seek(Seek seek, Asked asked, Answer<SeekResult> answer) {
    Optional<SeekResult> done = sought(asked);
    if (done.isPresent()) {
      answer.done(done.get());
      return;
    }
    TunnelInfo tunnel = catalog.tunnel(seek.table(), seek.tunnel());
    NavigableMap<ChannelKey, ChannelState> channels = catalog.channels(tunnel);
    Set<ChannelKey> named = SeekPlan.select(tunnel, channels, seek.channels());
    Set<Integer> partitions = partitions(named.isEmpty() ? channels.keySet() : named);
    look(
        partitions,
        StreamBounds.moments(tunnel.endMs(), seek.timeMs()),
        SeekPlan.known(seek, partitions),
        found -> seek(seek, catalog.tunnel(tunnel.tunnelId()), found, asked),
        answer);
  }

  private Optional<SeekResult> sought(Asked asked) {
    return catalog.done(asked).map(result -> Json.ofText(result, SeekResult.class));
  }

  private SeekResult seek(
      Seek seek, TunnelInfo tunnel, Map<Integer, LogBounds.Look> lookByPartition, Asked asked)
      throws IOException {
    Optional<SeekResult> done = sought(asked);
    if (done.isPresent()) {
      // A retry of the request was served while this one read the logs.
      return done.get();
    }
    TunnelRun run = coordinator.run(tunnel);
    // An end that failed to be stored would be retried after the seek, and undo it.
    coordinator.settle(run);
    SeekPlan plan =
        new SeekPlan(
                tunnel,
                catalog.tables().table(tunnel.table()),
                catalog.channels(tunnel),
                lookByPartition,
                surroundings.epochMicros())
            .plan(seek);
    SeekResult result =
        new SeekResult(plan.moves(), TimeUnit.MICROSECONDS.toMillis(surroundings.epochMicros()));
    if (!seek.isDryRun()) {
      catalog.store(tunnel.tunnelId(), plan.states(), asked, Json.toText(result));
      coordinator.apply(run, run.core().seek(plan.states(), surroundings.nanos()));
    }
    return result;
  }

  /** The progress of all channels, which a seek can restore. */
  public CheckpointSet export(TunnelInfo tunnel) {
    TableRecord table = catalog.tables().table(tunnel.table());
    List<ChannelPosition> positions = new ArrayList<>();
    catalog
        .channels(tunnel)
        .forEach(
            (key, state) ->
                positions.add(
                    new ChannelPosition(
                        key.partition(),
                        key.type(),
                        state.checkpointed(),
                        state.key(),
                        state.isFinished(),
                        incarnation(key, state))));
    return new CheckpointSet(table.tableId(), tunnel.table(), tunnel.tunnel(), positions);
  }

  private Optional<Long> incarnation(ChannelKey key, ChannelState state) {
    return key.type() == ChannelType.Stream
        ? state.incarnation().or(() -> bounds.incarnation(key.partition()))
        : Optional.empty();
  }

  /**
   * Stops a channel, held or not, as its worker does that cannot continue. A holder is not told.
   *
   * @throws IOException when the catalog cannot be written
   */
  public void stop(TunnelInfo tunnel, ChannelKey key, StopReason why) throws IOException {
    TunnelRun run = coordinator.run(tunnel);
    ChannelState stopped = catalog.channel(tunnel.tunnelId(), key).withStop(Optional.of(why));
    catalog.store(tunnel.tunnelId(), Map.of(key, stopped));
    Hold hold = run.holds().get(key);
    long now = surroundings.nanos();
    coordinator.apply(
        run,
        hold == null
            ? run.core().update(Map.of(key, stopped), now)
            : run.core().stop(hold.session().id(), key, hold.epoch(), why.error(), now));
  }

  /** Ends a session as the end of its lease does; returns whether the session was open. */
  public boolean expire(String sessionId) {
    for (TunnelInfo tunnel : catalog.tunnels(Optional.empty())) {
      TunnelRun run = coordinator.run(tunnel);
      if (run.core().hasSession(sessionId)) {
        coordinator.apply(
            run,
            run.core()
                .end(List.of(sessionId), TunnelEffect.OverReason.LEASE, surroundings.nanos()));
        return true;
      }
    }
    return false;
  }

  /** Ends a session of a tunnel. */
  public void endSession(EndSession request) {
    TunnelInfo tunnel = catalog.tunnel(request.table(), request.tunnel());
    TunnelRun run = coordinator.run(tunnel);
    if (!run.core().hasSession(request.sessionId())) {
      throw new RefusedException(
          ErrorCode.CHANNEL_NOT_FOUND,
          "tunnel "
              + tunnel.tunnel()
              + " has no session '"
              + request.sessionId()
              + "'; its sessions are "
              + Names.listed(
                  run.core().sessions(surroundings.nanos()).stream()
                      .map(TunnelCore.SessionView::sessionId)
                      .toList()));
    }
    coordinator.apply(
        run,
        run.core()
            .end(
                List.of(request.sessionId()),
                TunnelEffect.OverReason.OPERATOR,
                surroundings.nanos()));
  }
}
