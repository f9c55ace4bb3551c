package io.tunnel.server.replica.append;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.partition.SeenPlaces;
import io.tunnel.server.replica.append.AppendHeader.Kind;
import io.tunnel.server.replica.append.AppendValue.Trim;
import io.tunnel.server.replica.append.FollowCore.Verdict;
import io.tunnel.server.replica.append.ReadBackCore.Proven;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * How far the local log of a shard has the partitions of a log of appends. The states are stored
 * with the rows; places that the local log has after the stored rows are read again at a start.
 */
final class SeenRecords implements SeenPlaces {

  private final Map<Integer, Seen> seen = new TreeMap<>();
  private final Set<Integer> raised = new TreeSet<>();

  private static final class Seen {
    private final FollowCore core;
    private long lastMicros;
    private Proven proven;
    private Trim trimmed;

    Seen(LaneState state) {
      core = new FollowCore(state.follow());
      lastMicros = state.lastMicros();
      proven = state.proven();
      trimmed = state.trimmed();
    }

    LaneState state() {
      return new LaneState(core.state(), lastMicros, proven, trimmed);
    }

    void saw(RecordPlace record, long commitMicros) {
      if (core.read(record.offset(), record.header()) != Verdict.SEEN) {
        proven = record.proven();
      }
      trimmed = record.trim().map(trimmed::with).orElse(trimmed);
      if (record.header().changes() > 0 || record.header().kind() == Kind.BEGIN) {
        lastMicros = Math.max(lastMicros, commitMicros);
      }
    }
  }

  /** Resumes from what a table has stored, by partition. */
  SeenRecords(Map<Integer, Bytes> stored) {
    stored.forEach((partition, state) -> seen.put(partition, new Seen(LaneState.decode(state))));
  }

  /** What is known of a partition. */
  LaneState state(int partition) {
    Seen of = seen.get(partition);
    return of == null ? LaneState.NONE : of.state();
  }

  /** The partitions that the table and the local log have. */
  Set<Integer> partitions() {
    return Set.copyOf(seen.keySet());
  }

  @Override
  public void saw(ChangeBatch place) {
    RecordPlace.of(place)
        .ifPresent(
            record -> {
              seen.computeIfAbsent(record.partition(), any -> new Seen(LaneState.NONE))
                  .saw(record, place.commitMicros());
              raised.add(record.partition());
            });
  }

  @Override
  public Map<Integer, Bytes> takeRaised() {
    Map<Integer, Bytes> taken = new HashMap<>();
    raised.forEach(partition -> taken.put(partition, seen.get(partition).state().encode()));
    raised.clear();
    return taken;
  }

  @Override
  public void drop(int partition) {
    seen.remove(partition);
    raised.remove(partition);
  }

  @Override
  public void restore(int partition, Bytes state) {
    seen.put(partition, new Seen(LaneState.decode(state)));
  }
}
