package io.tunnel.server.session;

import io.tunnel.server.session.Coordinator.CheckpointRequest;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Checkpoints that wait for the control thread: event loops add checkpoints, the control thread
 * takes some of different channels together, and a checkpoint that is refused is withdrawn. Each
 * checkpoint leaves exactly once. For any thread.
 */
final class WaitingCheckpoints {

  /** Checkpoints in one write; with a key of base data a checkpoint has a few kilobytes. */
  static final int TOGETHER_MAX = 1_024;

  /** Waiting checkpoints by handle, those of one handle in the order in which they came. */
  private final Map<Integer, Deque<CheckpointRequest>> byHandle = new LinkedHashMap<>();

  synchronized void add(CheckpointRequest request) {
    byHandle.computeIfAbsent(handle(request), handle -> new ArrayDeque<>()).add(request);
  }

  /** Whether the checkpoint waited until now; no caller takes it any more. */
  synchronized boolean withdraw(CheckpointRequest request) {
    Deque<CheckpointRequest> ofHandle = byHandle.get(handle(request));
    boolean waited = ofHandle != null && ofHandle.remove(request);
    if (waited && ofHandle.isEmpty()) {
      byHandle.remove(handle(request));
    }
    return waited;
  }

  /**
   * Takes {@code first}, and with it the oldest checkpoint of each other channel; empty when {@code
   * first} was taken before. The second checkpoint of a channel is checked after the first one is
   * stored.
   */
  synchronized List<CheckpointRequest> takeWith(CheckpointRequest first) {
    if (!withdraw(first)) {
      return List.of();
    }
    List<CheckpointRequest> taken = new ArrayList<>();
    taken.add(first);
    Iterator<Map.Entry<Integer, Deque<CheckpointRequest>>> others = byHandle.entrySet().iterator();
    while (taken.size() < TOGETHER_MAX && others.hasNext()) {
      Map.Entry<Integer, Deque<CheckpointRequest>> other = others.next();
      if (other.getKey() != handle(first)) {
        taken.add(other.getValue().remove());
        if (other.getValue().isEmpty()) {
          others.remove();
        }
      }
    }
    return taken;
  }

  private static int handle(CheckpointRequest request) {
    return request.checkpoint().handle();
  }
}
