package io.tunnel.server.kafka.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.server.kafka.store.StoreReaderCore.Read;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

final class StoreReaderCoreTest {

  private final StoreReaderCore core = new StoreReaderCore();

  /** A log as a reader of what was committed sees it. */
  private static final class Log {
    private final List<Read> records = new ArrayList<>();
    private final List<Map<String, Optional<String>>> transactions = new ArrayList<>();
    private long end;

    void write(Random random) {
      Map<String, Optional<String>> changes = new LinkedHashMap<>();
      int size = 1 + random.nextInt(6);
      while (changes.size() < size) {
        changes.put(
            "n" + random.nextInt(9),
            random.nextBoolean() ? Optional.of("v" + end) : Optional.empty());
      }
      changes.forEach((name, text) -> records.add(new Read(end++, name, text)));
      transactions.add(changes);
      end++;
    }

    /** Records that nobody is told, and the end of their transaction. */
    void abort(Random random) {
      end += 1 + random.nextInt(6);
    }
  }

  @RepeatedTest(50)
  void what_was_written_together_is_given_out_together_however_it_is_read(
      RepetitionInfo repetition) {
    Random random = new Random(repetition.getCurrentRepetition());
    Log log = new Log();
    for (int i = 0; i < 30; i++) {
      if (random.nextInt(4) == 0) {
        log.abort(random);
      } else {
        log.write(random);
      }
    }
    List<Map<String, Optional<String>>> told = new ArrayList<>();
    int from = 0;
    while (from < log.records.size()) {
      int to = Math.min(log.records.size(), from + random.nextInt(5));
      List<Read> part = log.records.subList(from, to);
      boolean isPositionKnown = random.nextInt(3) > 0;
      long behind = part.isEmpty() ? -1 : part.get(part.size() - 1).offset() + 1;
      told.addAll(core.read(part, isPositionKnown ? behind : -1));
      from = to;
    }
    assertThat(core.hasRead(log.end)).isFalse();
    told.addAll(core.read(List.of(), log.end));
    assertThat(core.hasRead(log.end)).isTrue();
    assertThat(core.hasRead(log.end + 1)).isFalse();
    assertThat(told).isEqualTo(log.transactions);
  }

  @Test
  void nothing_is_given_out_before_its_end_is_seen() {
    Read one = new Read(0, "a", Optional.of("1"));
    Read two = new Read(1, "b", Optional.empty());
    assertThat(core.read(List.of(one), 1)).isEmpty();
    assertThat(core.hasRead(0)).isTrue();
    assertThat(core.hasRead(1)).isFalse();
    assertThat(core.read(List.of(two), -1)).isEmpty();
    assertThat(core.read(List.of(), 3))
        .containsExactly(Map.of("a", Optional.of("1"), "b", Optional.empty()));
    assertThat(core.hasRead(3)).isTrue();
  }

  @Test
  void an_empty_log_is_read_to_its_end_at_once() {
    assertThat(core.hasRead(0)).isTrue();
    assertThat(core.read(List.of(), 0)).isEmpty();
  }
}
