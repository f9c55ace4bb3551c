package io.tunnel.server.session;

import io.tunnel.core.ChannelKey;
import io.tunnel.core.FailureTexts;
import io.tunnel.core.TunnelCore;
import io.tunnel.core.TunnelEffect;
import io.tunnel.server.catalog.tunnel.TunnelRecords;
import io.tunnel.wire.control.Control.TunnelInfo;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A tunnel that the coordinator runs: its state machine, its holds, and the effects that must be
 * retried.
 */
final class TunnelRun {

  private final TunnelInfo info;
  private final TunnelCore core;
  private final Map<ChannelKey, Hold> holds = new TreeMap<>();
  private final Retries retries;

  /** Effects that failed and will be retried; empty unless the catalog cannot be written. */
  private final Deque<TunnelEffect> undone = new ArrayDeque<>();

  /** A session and its connection. */
  record Session(String id, TunnelRun run, SessionPort port, long leaseMs) {}

  TunnelRun(TunnelInfo info, TunnelCore core, FailureTexts retried) {
    this.info = info;
    this.core = core;
    this.retries = new Retries(retried, TunnelRecords.owner(info));
  }

  TunnelInfo info() {
    return info;
  }

  TunnelCore core() {
    return core;
  }

  Map<ChannelKey, Hold> holds() {
    return holds;
  }

  /** The position up to which a channel's worker surely received changes, if there is a worker. */
  Optional<Long> received(ChannelKey key) {
    return Optional.ofNullable(holds.get(key)).map(Hold::delivered);
  }

  Retries retries() {
    return retries;
  }

  Deque<TunnelEffect> undone() {
    return undone;
  }
}
