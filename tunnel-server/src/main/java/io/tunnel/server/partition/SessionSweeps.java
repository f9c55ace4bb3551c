package io.tunnel.server.partition;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntPredicate;

/** The rows of a server's shards that are bound to sessions. For any thread. */
public final class SessionSweeps {

  private final List<Shard> shards;
  private final List<SessionSweep> sweeps = new ArrayList<>();

  /** Of all shards of a server, which are started or will be. */
  public SessionSweeps(List<Shard> shards) {
    this.shards = List.copyOf(shards);
    for (Shard shard : this.shards) {
      sweeps.add(new SessionSweep(sweeps.size(), shard));
    }
  }

  /**
   * Has the shards delete the rows of sessions that have ended, in the partitions that they lead;
   * called a few times a second. Returns at once.
   */
  public void tick() {
    sweeps.forEach(SessionSweep::tick);
  }

  /**
   * How many rows of each session are in some partitions, or may get there by writes that are under
   * way; counted on the threads of the shards, one of which completes the answer.
   *
   * @param partitions which partitions count
   */
  public CompletableFuture<List<Long>> left(List<Long> sessions, IntPredicate partitions) {
    List<Long> asked = List.copyOf(sessions);
    CompletableFuture<List<Long>> all =
        CompletableFuture.completedFuture(asked.stream().map(any -> 0L).toList());
    for (Shard shard : shards) {
      CompletableFuture<List<Long>> own = new CompletableFuture<>();
      shard.execute(
          Set.of(),
          () ->
              own.complete(
                  asked.stream().map(each -> shard.bound().left(each, partitions)).toList()));
      all = all.thenCombine(own, SessionSweeps::sum);
    }
    return all;
  }

  private static List<Long> sum(List<Long> some, List<Long> others) {
    List<Long> sum = new ArrayList<>();
    for (int i = 0; i < some.size(); i++) {
      sum.add(some.get(i) + others.get(i));
    }
    return sum;
  }
}
