package io.tunnel.core;

import io.tunnel.model.value.Bytes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * What one partition knows of the writers that number their batches, and so whether a batch is new,
 * was applied before, or cannot be judged any more.
 *
 * <p>Of each writer the core keeps the last batch with its answer. Memory is bounded: the writer
 * that was silent for longest is evicted when there are too many writers, or after {@link
 * #KEPT_MICROS}. The {@link Memory} of all partitions bounds writers and bytes of answers in the
 * sum, by {@link #forget} and {@link #shorten}. A shortened answer costs a repetition a part of the
 * answer; the numbers stay, so no batch is applied twice.
 *
 * <p>A writer begins with its date, so writers are ordered, and {@link #floor} is the greatest
 * writer that was ever evicted. Invariant: the core knows each writer above the floor of which rows
 * were applied, with its last batch of which rows were applied. So an unknown writer above the
 * floor is new, and any other unknown writer is refused, never taken for new. The invariant needs
 * no clock: a clock that is wrong evicts too early, and then writers are refused.
 *
 * <p>A batch that was rejected row by row leaves nothing in a log. Its answer is kept in memory,
 * for repetitions that arrive late, and is gone after a restart: then nobody can have a repetition
 * on its way that was sent before, and judging the batch anew is judging it for the first time.
 */
public final class WriterCore {

  /** Writers of one partition. */
  public static final int WRITERS_MAX = 1_000;

  /** A silent writer is kept for so long, unless there are too many. */
  public static final long KEPT_MICROS = 10L * 60 * 1_000_000;

  /** A writer that is dated so far behind now was not issued by this clock. */
  public static final long AHEAD_MICROS_MAX = 60L * 1_000_000;

  private final int writersMax;
  private final long keptMicros;
  private final Memory memory;

  /** The writers, the one that was silent for longest first. */
  private final LinkedHashMap<Bytes, Known> writers = new LinkedHashMap<>();

  /** Writers whose {@link Known#applied} changed since {@link #takeChanged}, or that are gone. */
  private final Map<Bytes, Optional<Answered>> changed = new HashMap<>();

  /** The greatest writer that was evicted; never falls. */
  private Bytes floor = Bytes.EMPTY;

  /**
   * A batch of a writer, by its number.
   *
   * @param after the last batch of which rows were applied
   * @param principal the client that writes; empty where clients have no names
   */
  public record Numbered(Bytes writer, long number, long after, String principal) {

    /** A batch of a client without a name. */
    public Numbered(Bytes writer, long number, long after) {
      this(writer, number, after, "");
    }
  }

  /** Counts what the writers of all partitions take. */
  public interface Memory {

    /** Counts nothing. */
    Memory NONE =
        new Memory() {
          @Override
          public void knows(Bytes writer, Answered last) {}

          @Override
          public void forgot(Bytes writer) {}
        };

    /** The partition keeps an answer of a writer, in place of the writer's former answer. */
    void knows(Bytes writer, Answered last);

    /** The partition keeps nothing of a writer. */
    void forgot(Bytes writer);
  }

  /**
   * A batch of a writer and its answer.
   *
   * @param position the position of the first applied row
   * @param rows how many rows were applied
   * @param answer which rows were rejected
   * @param micros when the answer was given
   */
  public record Answered(long number, long position, int rows, Bytes answer, long micros) {}

  /**
   * What is known of a writer.
   *
   * @param applied the last batch of which rows were applied; its number is 0 without one
   * @param last the last batch that was answered; {@code last.number() >= applied.number()}
   */
  private record Known(Answered applied, Answered last) {}

  private static final Answered NONE = new Answered(0, 0, 0, Bytes.EMPTY, 0);

  /** What to do with a batch. */
  public sealed interface Verdict {

    /** The batch was never applied: apply it. */
    record Fresh() implements Verdict {}

    /** The batch was answered before, and gets the answer again. */
    record Repeated(Answered answered) implements Verdict {}

    /** Nobody can say whether the batch was applied, or it must not be applied: refuse it. */
    record Ended(String why) implements Verdict {}
  }

  private static final Verdict FRESH = new Verdict.Fresh();

  /** Knows nobody. */
  public WriterCore() {
    this(Memory.NONE);
  }

  /** Knows nobody; {@code memory} counts what the partition keeps. */
  public WriterCore(Memory memory) {
    this(WRITERS_MAX, KEPT_MICROS, memory);
  }

  /** Knows nobody, and keeps so many writers for so long at most. */
  public WriterCore(int writersMax, long keptMicros, Memory memory) {
    this.writersMax = writersMax;
    this.keptMicros = keptMicros;
    this.memory = memory;
  }

  /** The greatest writer that was evicted; empty before. */
  public Bytes floor() {
    return floor;
  }

  /** By writer, its last batch of which rows are in the log. */
  public Map<Bytes, Answered> applied() {
    Map<Bytes, Answered> all = new HashMap<>();
    writers.forEach(
        (writer, known) -> {
          if (known.applied().number() > 0) {
            all.put(writer, known.applied());
          }
        });
    return all;
  }

  /** The writers that are known. */
  public Set<Bytes> writers() {
    return Set.copyOf(writers.keySet());
  }

  /** How many writers are known. */
  public int size() {
    return writers.size();
  }

  /** Judges a batch before it is applied. */
  public Verdict judge(Numbered batch, long nowMicros) {
    return judge(batch, nowMicros, AHEAD_MICROS_MAX);
  }

  /** As {@link #judge(Numbered, long)}, for writers whose date is at most so far ahead of now. */
  public Verdict judge(Numbered batch, long nowMicros, long aheadMicrosMax) {
    Known known = writers.get(batch.writer());
    if (known == null) {
      return judgeUnknown(batch, nowMicros, aheadMicrosMax);
    }
    long last = known.last().number();
    if (batch.number() == last) {
      return new Verdict.Repeated(known.last());
    }
    if (batch.number() < last) {
      return new Verdict.Ended(
          "batch " + batch.number() + " of the writer comes behind its batch " + last);
    }
    if (batch.after() > known.applied().number()) {
      return new Verdict.Ended(
          "batch "
              + batch.number()
              + " of the writer follows batch "
              + batch.after()
              + ", and the last one that this partition has is batch "
              + known.applied().number());
    }
    return FRESH;
  }

  private Verdict judgeUnknown(Numbered batch, long nowMicros, long aheadMicrosMax) {
    if (batch.after() > 0) {
      return new Verdict.Ended(
          "batch "
              + batch.number()
              + " of the writer follows batch "
              + batch.after()
              + ", and this partition does not know the writer any more");
    }
    if (batch.writer().compareTo(floor) <= 0) {
      return new Verdict.Ended("the writer is older than one that this partition has forgotten");
    }
    if (dateOf(batch.writer()) - nowMicros > aheadMicrosMax) {
      return new Verdict.Ended("the writer's id has a date that has not come yet");
    }
    return FRESH;
  }

  private static long dateOf(Bytes writer) {
    long date = 0;
    for (int i = 0; i < Long.BYTES; i++) {
      date = date << 8 | (writer.at(i) & 0xff);
    }
    return date;
  }

  /**
   * Rows of a batch are in the log, or a log that nodes share says that all rows were rejected. A
   * batch that is known already with as many rows changes nothing: a log may be read again from a
   * place that what was stored is ahead of.
   */
  public void applied(Bytes writer, Answered answered) {
    Known known = writers.get(writer);
    if (known == null || isMore(answered, known.applied())) {
      boolean isLast = known == null || answered.number() >= known.last().number();
      put(writer, new Known(answered, isLast ? answered : known.last()));
      changed.put(writer, Optional.of(answered));
      evict(answered.micros());
    }
  }

  private static boolean isMore(Answered answered, Answered applied) {
    return answered.number() > applied.number()
        || (answered.number() == applied.number() && answered.rows() > applied.rows());
  }

  /** All rows of a batch were rejected; nothing is in the log. */
  public void rejected(Bytes writer, Answered answered) {
    Known known = writers.get(writer);
    // Nobody asks for the answer to an earlier batch again.
    Answered applied = known == null ? NONE : with(known.applied(), Bytes.EMPTY);
    put(writer, new Known(applied, answered));
    evict(answered.micros());
  }

  private static Answered with(Answered answered, Bytes answer) {
    return new Answered(
        answered.number(), answered.position(), answered.rows(), answer, answered.micros());
  }

  private void put(Bytes writer, Known next) {
    writers.remove(writer);
    writers.put(writer, next);
    memory.knows(writer, next.last());
  }

  /**
   * Keeps less of the last answer to a writer. What is stored keeps the whole answer.
   *
   * @param shorter from an answer to the part of the answer that stays
   */
  public void shorten(Bytes writer, UnaryOperator<Bytes> shorter) {
    writers.computeIfPresent(
        writer,
        (by, known) -> {
          Answered last = with(known.last(), shorter.apply(known.last().answer()));
          boolean isApplied = known.applied().number() == last.number();
          return new Known(isApplied ? last : with(known.applied(), Bytes.EMPTY), last);
        });
  }

  /** Forgets a writer, whose further batches are refused. */
  public void forget(Bytes writer) {
    if (writers.containsKey(writer)) {
      evict(writer);
    }
  }

  private void evict(long nowMicros) {
    while (writers.size() > 1) {
      Map.Entry<Bytes, Known> oldest = writers.entrySet().iterator().next();
      boolean isOld = nowMicros - oldest.getValue().last().micros() > keptMicros;
      if (!isOld && writers.size() <= writersMax) {
        return;
      }
      evict(oldest.getKey());
    }
  }

  /**
   * Forgets writers that were silent since before a moment, and takes no unknown writer that is
   * dated before the moment: for a log that may have given up what is older.
   */
  public void forgetBefore(long micros) {
    while (!writers.isEmpty()) {
      Map.Entry<Bytes, Known> oldest = writers.entrySet().iterator().next();
      if (oldest.getValue().last().micros() >= micros) {
        break;
      }
      evict(oldest.getKey());
    }
    Bytes dated = date(Math.max(0, micros));
    floor = floor.compareTo(dated) < 0 ? dated : floor;
  }

  /** The first bytes of the writers that are dated so. */
  private static Bytes date(long micros) {
    byte[] bytes = new byte[Long.BYTES];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (micros >>> (Long.SIZE - (i + 1) * Byte.SIZE));
    }
    return Bytes.copyOf(bytes);
  }

  private void evict(Bytes writer) {
    writers.remove(writer);
    memory.forgot(writer);
    floor = floor.compareTo(writer) < 0 ? writer : floor;
    changed.put(writer, Optional.empty());
  }

  /**
   * What to store in one write: by writer its last applied batch, or empty for a writer that is
   * gone. The {@link #floor} belongs to the same write when a writer is gone.
   */
  public Map<Bytes, Optional<Answered>> takeChanged() {
    Map<Bytes, Optional<Answered>> taken = new HashMap<>(changed);
    changed.clear();
    return taken;
  }

  /** Resumes with the stored floor; before all else. */
  public void restoreFloor(Bytes stored) {
    floor = stored;
  }

  /** Resumes with a stored writer, in any order, until {@link #restored}. */
  public void restore(Bytes writer, Answered stored) {
    put(writer, new Known(stored, stored));
  }

  /** All stored writers are known. */
  public void restored() {
    List<Map.Entry<Bytes, Known>> byAge = new ArrayList<>();
    writers.forEach((writer, known) -> byAge.add(Map.entry(writer, known)));
    byAge.sort(Comparator.comparingLong(each -> each.getValue().last().micros()));
    writers.clear();
    byAge.forEach(each -> writers.put(each.getKey(), each.getValue()));
  }
}
