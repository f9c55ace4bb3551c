package io.tunnel.sdk.worker;

import io.tunnel.sdk.TunnelWorkerStatus.ChannelProgress;
import io.tunnel.sdk.worker.WorkerChannelCore.Ending;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Whose turn it is. A channel that comes back, in the same session or a later one, waits until its
 * former holding here has ended, so that no two callbacks of one channel ever run at once; and one
 * that failed is taken up again only after a pause that grows with each failure. On the worker's
 * thread, but for {@link #progress}.
 */
final class ChannelTurns {

  private final WorkerRuntime runtime;
  private final Map<String, Deque<ChannelRunner>> holdings = new HashMap<>();
  private final Map<String, Integer> failures = new HashMap<>();
  private final Set<ChannelRunner> all = ConcurrentHashMap.newKeySet();

  ChannelTurns(WorkerRuntime runtime) {
    this.runtime = runtime;
  }

  boolean isEmpty() {
    return holdings.isEmpty();
  }

  List<ChannelProgress> progress() {
    return all.stream().map(ChannelRunner::progress).toList();
  }

  void add(ChannelRunner channel) {
    Deque<ChannelRunner> turns =
        holdings.computeIfAbsent(channel.assignment().channelId(), id -> new ArrayDeque<>());
    turns.add(channel);
    all.add(channel);
    runtime.threads().fitTo(holdings.size());
    if (turns.size() == 1) {
      openInTime(channel);
    }
  }

  private void openInTime(ChannelRunner channel) {
    int failed = failures.getOrDefault(channel.assignment().channelId(), 0);
    if (failed == 0) {
      channel.open();
    } else {
      runtime.later(
          runtime.settings().processing().restart().pauseNanos(failed, runtime.chance()),
          channel::open);
    }
  }

  void processed(String channelId) {
    failures.remove(channelId);
  }

  void closed(ChannelRunner channel, Ending ending) {
    String id = channel.assignment().channelId();
    if (ending == Ending.FAILED) {
      failures.merge(id, 1, Integer::sum);
    }
    all.remove(channel);
    Deque<ChannelRunner> turns = holdings.get(id);
    boolean wasFirst = turns.peek() == channel;
    turns.remove(channel);
    if (turns.isEmpty()) {
      holdings.remove(id);
      runtime.threads().fitTo(holdings.size());
    } else if (wasFirst) {
      openInTime(turns.peek());
    }
  }
}
