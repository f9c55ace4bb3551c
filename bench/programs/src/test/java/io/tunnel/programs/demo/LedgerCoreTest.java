package io.tunnel.programs.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.programs.demo.LedgerCore.Fault;
import io.tunnel.programs.demo.LedgerCore.Findings;
import io.tunnel.programs.ledger.OrderCore;
import io.tunnel.programs.ledger.OrderCore.Arrival;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Histories are random, from a seed that a failing test prints. */
class LedgerCoreTest {

  private static final int EXAMPLES_MAX = 10;

  static LongStream seeds() {
    return LongStream.range(0, 100);
  }

  private record Change(long position, long key, long fingerprint) {}

  /** 200 changes of 40 keys at rising positions, with gaps here and there. */
  private static List<Change> history(Random random) {
    List<Change> history = new ArrayList<>();
    long position = random.nextInt(3);
    for (int i = 0; i < 200; i++) {
      position += random.nextInt(10) == 0 ? 1 + random.nextInt(5) : 1;
      history.add(new Change(position, random.nextInt(40) - 20, random.nextLong()));
    }
    return history;
  }

  private static LedgerCore acknowledge(List<Change> history) {
    LedgerCore ledger = new LedgerCore();
    history.forEach(change -> ledger.acknowledged(change.key(), change.fingerprint()));
    return ledger;
  }

  private static Findings deliver(LedgerCore ledger, List<Change> changes) {
    for (Change change : changes) {
      ledger.arrived(change.position(), change.key(), change.fingerprint());
    }
    return ledger.compare(EXAMPLES_MAX);
  }

  private static void assertFindings(
      Findings found, long missing, long duplicates, long order, long content) {
    assertThat(
            List.of(
                found.missing(),
                found.duplicates(),
                found.orderViolations(),
                found.contentViolations()))
        .as("missing, duplicates, order, content")
        .containsExactly(missing, duplicates, order, content);
    assertThat(found.isClean()).isEqualTo(missing + duplicates + order + content == 0);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void what_arrives_as_it_was_acknowledged_is_clean(long seed) {
    List<Change> history = history(new Random(seed));
    Findings found = deliver(acknowledge(history), history);
    assertFindings(found, 0, 0, 0, 0);
    assertThat(found.acknowledgedRows()).isEqualTo(200);
    assertThat(found.arrivedRows()).isEqualTo(200);
    assertThat(found.examples()).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void a_change_that_is_lost_is_missing(long seed) {
    Random random = new Random(seed);
    List<Change> history = history(random);
    List<Change> delivered = new ArrayList<>(history);
    Change lost = delivered.remove(random.nextInt(delivered.size()));
    Findings found = deliver(acknowledge(history), delivered);
    assertFindings(found, 1, 0, 0, 0);
    assertThat(found.examples()).containsExactly(new LedgerCore.Example(Fault.MISSING, lost.key()));
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void a_change_that_is_delivered_again_is_a_duplicate(long seed) {
    Random random = new Random(seed);
    List<Change> history = history(random);
    List<Change> delivered = new ArrayList<>(history);
    int from = random.nextInt(delivered.size());
    delivered.add(from + 1 + random.nextInt(delivered.size() - from), delivered.get(from));
    assertFindings(deliver(acknowledge(history), delivered), 0, 1, 0, 0);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void everything_since_a_checkpoint_delivered_again_is_as_many_duplicates(long seed) {
    Random random = new Random(seed);
    List<Change> history = history(random);
    int crash = 1 + random.nextInt(history.size());
    int checkpoint = random.nextInt(crash);
    List<Change> delivered = new ArrayList<>(history.subList(0, crash));
    delivered.addAll(history.subList(checkpoint, history.size()));
    assertFindings(deliver(acknowledge(history), delivered), 0, crash - checkpoint, 0, 0);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void a_change_that_was_applied_twice_is_a_duplicate(long seed) {
    Random random = new Random(seed);
    List<Change> history = history(random);
    List<Change> delivered = new ArrayList<>();
    int twice = random.nextInt(history.size());
    for (int i = 0; i < history.size(); i++) {
      Change change = history.get(i);
      delivered.add(
          new Change(change.position() + (i > twice ? 1 : 0), change.key(), change.fingerprint()));
      if (i == twice) {
        delivered.add(new Change(change.position() + 1, change.key(), change.fingerprint()));
      }
    }
    Findings found = deliver(acknowledge(history), delivered);
    assertFindings(found, 0, 1, 0, 0);
    assertThat(found.examples())
        .containsExactly(new LedgerCore.Example(Fault.DUPLICATE, history.get(twice).key()));
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void two_changes_delivered_in_the_wrong_order_are_one_order_violation(long seed) {
    Random random = new Random(seed);
    List<Change> history = history(random);
    int first = random.nextInt(history.size() - 1);
    List<Change> delivered = new ArrayList<>(history);
    delivered.set(first, history.get(first + 1));
    delivered.set(first + 1, history.get(first));
    assertFindings(deliver(acknowledge(history), delivered), 0, 0, 1, 0);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void two_changes_of_a_key_applied_in_the_wrong_order_are_one_order_violation(long seed) {
    Random random = new Random(seed);
    List<Change> history = history(random);
    int[] pair = twoOfOneKey(history, random);
    List<Change> delivered = new ArrayList<>(history);
    Change first = history.get(pair[0]);
    Change second = history.get(pair[1]);
    delivered.set(pair[0], new Change(first.position(), first.key(), second.fingerprint()));
    delivered.set(pair[1], new Change(second.position(), second.key(), first.fingerprint()));
    Findings found = deliver(acknowledge(history), delivered);
    assertFindings(found, 0, 0, 1, 0);
    assertThat(found.examples()).containsExactly(new LedgerCore.Example(Fault.ORDER, first.key()));
  }

  private static int[] twoOfOneKey(List<Change> history, Random random) {
    while (true) {
      int first = random.nextInt(history.size());
      int second = random.nextInt(history.size());
      if (first < second && history.get(first).key() == history.get(second).key()) {
        return new int[] {first, second};
      }
    }
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void a_change_with_another_content_is_a_content_violation(long seed) {
    Random random = new Random(seed);
    List<Change> history = history(random);
    List<Change> delivered = new ArrayList<>(history);
    int at = random.nextInt(delivered.size());
    Change change = delivered.get(at);
    delivered.set(
        at,
        new Change(
            change.position(), change.key(), change.fingerprint() ^ 1L << random.nextInt(64)));
    Findings found = deliver(acknowledge(history), delivered);
    assertFindings(found, 0, 0, 0, 1);
    assertThat(found.examples())
        .containsExactly(new LedgerCore.Example(Fault.CONTENT, change.key()));
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void a_change_under_another_key_is_missing_there_and_too_many_here(long seed) {
    Random random = new Random(seed);
    List<Change> history = history(random);
    List<Change> delivered = new ArrayList<>(history);
    int at = random.nextInt(delivered.size());
    Change change = delivered.get(at);
    delivered.set(at, new Change(change.position(), 1_000, change.fingerprint()));
    Findings found = deliver(acknowledge(history), delivered);
    assertFindings(found, 1, 1, 0, 0);
    assertThat(found.examples())
        .containsExactlyInAnyOrder(
            new LedgerCore.Example(Fault.MISSING, change.key()),
            new LedgerCore.Example(Fault.DUPLICATE, 1_000));
  }

  @Test
  void arrivals_are_judged_by_their_positions_across_gaps() {
    LedgerCore ledger = new LedgerCore();
    assertThat(ledger.arrived(5, 1, 1)).isEqualTo(Arrival.NEXT);
    assertThat(ledger.arrived(9, 1, 1)).isEqualTo(Arrival.NEXT);
    assertThat(ledger.arrived(7, 1, 1)).isEqualTo(Arrival.LATE);
    assertThat(ledger.arrived(7, 1, 1)).isEqualTo(Arrival.REPEATED);
    assertThat(ledger.arrived(6, 1, 1)).isEqualTo(Arrival.LATE);
    assertThat(ledger.arrived(8, 1, 1)).isEqualTo(Arrival.LATE);
    assertThat(ledger.arrived(8, 1, 1)).isEqualTo(Arrival.REPEATED);
    assertThat(ledger.arrived(9, 1, 1)).isEqualTo(Arrival.REPEATED);
    assertThat(ledger.arrived(1, 1, 1)).isEqualTo(Arrival.LATE);
    assertThat(ledger.arrived(10, 1, 1)).isEqualTo(Arrival.NEXT);
  }

  @Test
  void the_newest_gaps_are_remembered_and_older_ones_forgotten() {
    LedgerCore ledger = new LedgerCore();
    long last = 2L * (OrderCore.GAPS_MAX + 1);
    for (long position = 2; position <= last; position += 2) {
      ledger.arrived(position, 1, 1);
    }
    assertThat(ledger.arrived(1, 1, 1)).isEqualTo(Arrival.REPEATED);
    assertThat(ledger.arrived(3, 1, 1)).isEqualTo(Arrival.LATE);
    assertThat(ledger.arrived(last - 1, 1, 1)).isEqualTo(Arrival.LATE);
  }

  @Test
  void examples_are_few_and_add_up_with_those_of_other_partitions() {
    LedgerCore ledger = new LedgerCore();
    for (int key = 0; key < 100; key++) {
      ledger.acknowledged(key, 1);
    }
    Findings one = ledger.compare(3);
    assertThat(one.missing()).isEqualTo(100);
    assertThat(one.examples()).hasSize(3);
    Findings both = one.plus(one, 5);
    assertThat(both.missing()).isEqualTo(200);
    assertThat(both.acknowledgedRows()).isEqualTo(200);
    assertThat(both.examples()).hasSize(5);
  }

  @Test
  void chains_survive_growth_and_hold_every_key_also_0() {
    KeyChains chains = new KeyChains();
    Map<Long, List<Long>> model = new HashMap<>();
    Random random = new Random(11);
    for (int i = 0; i < 200_000; i++) {
      long key = random.nextInt(60_000) * (random.nextBoolean() ? 1L : 1L << 40);
      long fingerprint = random.nextInt(1_000);
      chains.add(key, fingerprint);
      model.computeIfAbsent(key, k -> new ArrayList<>()).add(fingerprint);
    }
    assertThat(chains.size()).isEqualTo(model.size());
    assertThat(model).containsKey(0L);
    model.forEach(
        (key, fingerprints) -> {
          KeyChains alone = new KeyChains();
          fingerprints.forEach(fingerprint -> alone.add(key, fingerprint));
          assertThat(chains.of(key)).isEqualTo(alone.of(key));
          assertThat(chains.of(key).count()).isEqualTo(fingerprints.size());
        });
    assertThat(chains.of(-1)).isEqualTo(KeyChains.Chain.NONE);
    List<Long> keys = new ArrayList<>();
    chains.forEachKey(keys::add);
    assertThat(keys).doesNotHaveDuplicates().hasSize(model.size());
  }
}
