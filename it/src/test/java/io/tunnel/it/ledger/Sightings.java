package io.tunnel.it.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What processors saw of one tunnel, checked while it is taken in: inside a partition positions
 * rise; a channel may be taken up again from an earlier position, but then everything behind that
 * comes again, the same and in order.
 */
public final class Sightings {

  private final Map<Integer, Channel> channels = new TreeMap<>();
  private int repeated;

  private static final class Channel {
    private final List<Seen> changes = new ArrayList<>();

    /** Index of the change that comes next, if the channel goes on where it is. */
    private int next;
  }

  /** What some worker saw, in its order; workers are to be added in the order of their turns. */
  public Sightings add(List<Seen> all) {
    all.forEach(this::add);
    return this;
  }

  private void add(Seen seen) {
    Channel channel = channels.computeIfAbsent(seen.partition(), id -> new Channel());
    List<Seen> changes = channel.changes;
    boolean isNew =
        changes.isEmpty() || seen.position() > changes.get(changes.size() - 1).position();
    if (isNew) {
      assertThat(channel.next)
          .as("the channel of %s went on without repeating all that it had begun to repeat", seen)
          .isEqualTo(changes.size());
      changes.add(seen);
      channel.next = changes.size();
      return;
    }
    int index = Collections.binarySearch(changes, seen, Comparator.comparing(Seen::position));
    assertThat(index).as("%s was not among what came before", seen).isNotNegative();
    assertThat(index).as("%s came after a gap", seen).isLessThanOrEqualTo(channel.next);
    assertThat(seen).isEqualTo(changes.get(index));
    channel.next = index + 1;
    repeated++;
  }

  /** Changes that came more than once. */
  public int repeated() {
    return repeated;
  }

  /** How many different changes were seen. */
  public int count() {
    return channels.values().stream().mapToInt(channel -> channel.changes.size()).sum();
  }

  /** Per partition every change once, in order. */
  public Map<Integer, List<Seen>> changes() {
    Map<Integer, List<Seen>> all = new TreeMap<>();
    channels.forEach((partition, channel) -> all.put(partition, List.copyOf(channel.changes)));
    return all;
  }

  /** What the table of these changes holds: columns by key. */
  public Map<String, Map<String, String>> rows() {
    Map<String, Map<String, String>> rows = new TreeMap<>();
    channels
        .values()
        .forEach(channel -> channel.changes.forEach(seen -> seen.mutation().applyTo(rows)));
    return rows;
  }
}
