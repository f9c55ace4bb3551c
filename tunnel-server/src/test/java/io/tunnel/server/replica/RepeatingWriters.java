package io.tunnel.server.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.ColumnSizes;
import io.tunnel.condition.ConditionPlace;
import io.tunnel.core.WriterCore.Numbered;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.server.TestRows;
import io.tunnel.server.partition.PendingWrite;
import io.tunnel.server.replica.shared.SharedLog.Stored;
import io.tunnel.wire.WriteResult;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Writers that number their batches, and repeat each batch at any node until one answers; now and
 * then several copies of a batch are under way, or a batch is given up. Each row is a PUT with a
 * text that no other row has, and the texts of a writer rise.
 */
final class RepeatingWriters {

  private static final int WRITERS = 3;

  private final Random random;
  private final LongSupplier epochMicros;
  private final Map<Integer, List<Lane>> lanes = new HashMap<>();
  private long lastSecret;

  /** Whether the log has lost records, so that what was answered need not be there. */
  private boolean hasLost;

  /** How often a batch was answered by a repetition of an earlier answer, or in part. */
  int repeated;

  int inPart;
  int ended;

  /** Acknowledged batches that a log has lost. */
  int missing;

  RepeatingWriters(Random random, LongSupplier epochMicros) {
    this.random = random;
    this.epochMicros = epochMicros;
  }

  /** Some writer begins a batch at a node, or sends again what has no answer. */
  void write(SimNode node, int partition) {
    List<Lane> all =
        lanes.computeIfAbsent(
            partition,
            id -> {
              List<Lane> made = new ArrayList<>();
              for (int i = 0; i < WRITERS; i++) {
                made.add(new Lane(id));
              }
              return made;
            });
    all.get(random.nextInt(WRITERS)).act(node);
  }

  /** The log has lost its end: a repetition may be judged anew. */
  void lost() {
    hasLost = true;
    lanes.values().forEach(all -> all.forEach(Lane::forget));
  }

  /** Every batch that is not given up is sent to this node again. */
  void repeatAll(SimNode node, int partition) {
    lanes.getOrDefault(partition, List.of()).forEach(lane -> lane.repeat(node));
  }

  /** {@code valid} are the changes that count, in the order of the log. */
  void requireTrue(int partition, List<Stored> valid) {
    Map<Long, String> textByOffset = new HashMap<>();
    Map<String, Long> last = new HashMap<>();
    for (Stored record : valid) {
      WriteLedger.text(record)
          .filter(text -> text.startsWith("writer "))
          .ifPresent(
              text -> {
                textByOffset.put(record.offset(), text);
                String writer = text.substring(0, text.indexOf(':'));
                long number = Long.parseLong(text.substring(text.indexOf(':') + 1));
                assertThat(number).as(text).isGreaterThan(last.getOrDefault(writer, 0L));
                last.put(writer, number);
              });
    }
    for (Lane lane : lanes.getOrDefault(partition, List.of())) {
      if (hasLost) {
        lane.requireNoHole(last, Set.copyOf(textByOffset.values()));
      } else {
        lane.requireTrue(textByOffset);
      }
    }
  }

  private record Row(RowChange change, String text) {}

  /** One attempt of a batch. */
  private static final class Attempt implements PendingWrite.Outcome {
    private Optional<WriteResult> result = Optional.empty();
    private Optional<RefusedException> refusal = Optional.empty();

    @Override
    public void written(WriteResult written) {
      result = Optional.of(written);
    }

    @Override
    public void refused(RefusedException reason) {
      refusal = Optional.of(reason);
    }
  }

  /** What a writer was told of a batch. */
  private record Answered(List<Row> rows, WriteResult result) {

    /** The rows that were not rejected. */
    List<String> appliedTexts() {
      Set<Integer> rejected = new HashSet<>();
      result.rejections().forEach(one -> rejected.add(one.rowIndex()));
      List<String> applied = new ArrayList<>();
      for (int row = 0; row < rows.size(); row++) {
        if (!rejected.contains(row)) {
          applied.add(rows.get(row).text());
        }
      }
      return applied;
    }
  }

  private final class Lane {
    private final int partition;

    /** Of the writer's id: the order of batches is promised under one id. */
    private String name = "";

    private final List<Answered> answered = new ArrayList<>();
    private Bytes writer;
    private long lastNumber;
    private long appliedNumber;
    private long lastText;
    private List<Row> rows = List.of();
    private boolean isConditional;
    private long number;
    private final List<Attempt> attempts = new ArrayList<>();

    Lane(int partition) {
      this.partition = partition;
      renew();
    }

    private void renew() {
      writer =
          Bytes.copyOf(
              ByteBuffer.allocate(24)
                  .putLong(epochMicros.getAsLong())
                  .putLong(0)
                  .putLong(++lastSecret)
                  .array());
      name = "writer " + lastSecret;
      lastNumber = 0;
      appliedNumber = 0;
    }

    void act(SimNode node) {
      settle();
      if (rows.isEmpty()) {
        begin();
        send(node);
      } else if (random.nextInt(40) == 0) {
        rows = List.of();
        attempts.clear();
      } else if (isUnderWay() ? random.nextInt(6) == 0 : random.nextInt(3) > 0) {
        send(node);
      }
    }

    void repeat(SimNode node) {
      settle();
      if (!rows.isEmpty()) {
        send(node);
      }
    }

    private boolean isUnderWay() {
      return attempts.stream().anyMatch(each -> each.result.isEmpty() && each.refusal.isEmpty());
    }

    private void begin() {
      rows = new ArrayList<>();
      isConditional = random.nextInt(3) == 0;
      for (int left = 1 + random.nextInt(6); left > 0; left--) {
        String text = name + ":" + ++lastText;
        rows.add(new Row(put(text), text));
      }
      next();
    }

    private RowChange put(String text) {
      RowExistenceExpectation condition =
          !isConditional
              ? RowExistenceExpectation.IGNORE
              : random.nextBoolean()
                  ? RowExistenceExpectation.EXPECT_EXIST
                  : RowExistenceExpectation.EXPECT_NOT_EXIST;
      return new RowPutChange(
          TestRows.key("k" + random.nextInt(12)),
          List.of(new Column("text", ColumnValue.fromString(text))),
          condition);
    }

    private void next() {
      number = ++lastNumber;
      attempts.clear();
    }

    private void send(SimNode node) {
      ChangeBatch batch = TestRows.batch(partition, rows.stream().map(Row::change).toList());
      Attempt attempt = new Attempt();
      attempts.add(attempt);
      try {
        node.replicas
            .of(partition)
            .write(
                new PendingWrite(
                    batch,
                    new PendingWrite.Judging(
                        ConditionPlace.ofRows(List.of()), isConditional, ColumnSizes.of(batch)),
                    Optional.of(new Numbered(writer, number, appliedNumber)),
                    true,
                    attempt));
      } catch (RefusedException e) {
        attempt.refused(e);
      }
    }

    /** Takes what was told since. */
    private void settle() {
      List<WriteResult> results =
          attempts.stream().flatMap(attempt -> attempt.result.stream()).toList();
      if (!results.isEmpty()) {
        WriteResult result = results.get(0);
        for (WriteResult other : results) {
          assertThat(other).as("of %s:%s", name, number).isEqualTo(result);
          repeated += results.size() > 1 ? 1 : 0;
        }
        answered(result);
      } else if (attempts.stream()
          .anyMatch(each -> each.refusal.filter(RepeatingWriters::isEnded).isPresent())) {
        ended++;
        renew();
        rows = List.of();
        attempts.clear();
      }
    }

    private void answered(WriteResult result) {
      int told = rows.size();
      Set<Integer> again = new HashSet<>();
      result.rejections().stream()
          .filter(each -> each.code().retriable())
          .forEach(each -> again.add(each.rowIndex()));
      told -= again.size();
      answered.add(new Answered(rows.subList(0, told), result));
      appliedNumber = result.appliedRows() > 0 ? number : appliedNumber;
      rows = new ArrayList<>(rows.subList(told, rows.size()));
      attempts.clear();
      if (!rows.isEmpty()) {
        inPart++;
        next();
      }
    }

    /** Attempts that were answered before a loss say nothing of those behind. */
    void forget() {
      settle();
      attempts.clear();
    }

    /**
     * Behind an acknowledged batch that is missing the log has no row of the same writer. Of a
     * batch whose first rows are there, nobody can say which rows were acknowledged.
     */
    void requireNoHole(Map<String, Long> last, Set<String> texts) {
      for (Answered each : answered) {
        List<String> applied = each.appliedTexts();
        if (!applied.isEmpty() && !texts.contains(applied.get(0))) {
          missing++;
          String text = applied.get(0);
          String by = text.substring(0, text.indexOf(':'));
          assertThat(last.getOrDefault(by, 0L))
              .as("%s is missing, and the log has %s:%s", text, by, last.get(by))
              .isLessThan(Long.parseLong(text.substring(text.indexOf(':') + 1)));
        }
      }
    }

    void requireTrue(Map<Long, String> textByOffset) {
      for (Answered each : answered) {
        Set<Integer> rejected = new HashSet<>();
        each.result().rejections().forEach(one -> rejected.add(one.rowIndex()));
        int applied = 0;
        for (int row = 0; row < each.rows().size(); row++) {
          if (rejected.contains(row)) {
            assertThat(textByOffset).doesNotContainValue(each.rows().get(row).text());
          } else {
            assertThat(textByOffset)
                .containsEntry(each.result().positionOf(applied++), each.rows().get(row).text());
          }
        }
        assertThat(applied).isEqualTo(each.result().appliedRows());
      }
    }
  }

  private static boolean isEnded(RefusedException refused) {
    return refused.code() == ErrorCode.WRITER_ENDED;
  }
}
