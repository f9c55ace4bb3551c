package io.tunnel.sdk.worker;

import io.tunnel.sdk.TunnelWorkerStatus.ChannelProgress;
import io.tunnel.sdk.worker.input.BudgetCore;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Whose turn it is, and who gets how much of the worker's budget. A channel that comes back, in the
 * same session or a later one, waits until its former holding here has ended, so that no two
 * callbacks of one channel ever run at once. On the worker's thread, but for {@link #progress}.
 */
final class ChannelTurns {

  private final WorkerRuntime runtime;
  private final BudgetCore<ChannelRunner> budget;
  private final Map<String, Deque<ChannelRunner>> holdings = new HashMap<>();
  private final Set<ChannelRunner> all = ConcurrentHashMap.newKeySet();

  ChannelTurns(WorkerRuntime runtime) {
    this.runtime = runtime;
    this.budget = runtime.settings().processing().buffers().budget();
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
    runtime.counts().held(holdings.size());
    runtime.threads().fitTo(holdings.size());
    if (turns.size() == 1) {
      channel.open();
    }
  }

  void opened(ChannelRunner channel) {
    give(budget.add(channel));
  }

  void processed(ChannelRunner channel, int bytes) {
    if (bytes > 0) {
      give(budget.returned(channel, bytes));
    }
  }

  private static void give(List<BudgetCore.Grant<ChannelRunner>> grants) {
    grants.forEach(grant -> grant.channel().grant(grant.bytes()));
  }

  /** Whether the channel is not over. */
  boolean has(ChannelRunner channel) {
    return all.contains(channel);
  }

  /** First it is forgotten: what is done for others may fail. */
  void closed(ChannelRunner channel) {
    String id = channel.assignment().channelId();
    all.remove(channel);
    List<BudgetCore.Grant<ChannelRunner>> freed = budget.remove(channel);
    Deque<ChannelRunner> turns = holdings.get(id);
    boolean wasFirst = turns.peek() == channel;
    turns.remove(channel);
    if (turns.isEmpty()) {
      holdings.remove(id);
      runtime.counts().held(holdings.size());
      runtime.threads().fitTo(holdings.size());
    } else if (wasFirst) {
      turns.peek().open();
    }
    give(freed);
  }
}
