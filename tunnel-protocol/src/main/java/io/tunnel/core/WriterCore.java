package io.tunnel.core;

import io.tunnel.model.value.Bytes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * Deduplication of idempotent writes: the idempotent producers of one partition number their
 * batches, and this core decides whether a batch is new, was applied before, or must be refused.
 *
 * <p>A writer is {@code u64} date, 8 bytes of its principal and 8 bytes of its id. The id names the
 * writer for as long as its client lives, and the numbers of its batches always rise. The date only
 * decides whether an unknown writer is new: a client changes the date when the partition tells so.
 * So a late batch never comes after a batch with a greater number, whatever dates both have.
 *
 * <p>The core keeps the last batch of each writer with its answer. Memory is bounded: the core
 * evicts writers that were silent for {@link #KEPT_MICROS}; when there are too many writers, the
 * core evicts the most silent writer of the principal that has the most. So no principal evicts the
 * writers of a principal that has fewer. The {@link Memory} of all partitions bounds writers and
 * bytes of answers in the sum, by {@link #forget} and {@link #shorten}. A shortened answer costs a
 * repetition a part of the answer; the numbers stay, so no batch is applied twice.
 *
 * <p>An eviction raises the principal's floor to the date of the evicted writer, and no floor of
 * another principal. Invariant: the core knows each writer above the floor of its principal of
 * which rows were applied, with its last batch of which rows were applied. So an unknown writer
 * above the floor is new, and every other unknown writer is refused, never taken for new. The
 * invariant needs no clock: a clock that is wrong evicts too early, and a writer that is refused is
 * told a date under which it is new.
 *
 * <p>A batch whose rows are all rejected leaves nothing in a log. Its answer is kept in memory, for
 * repetitions that arrive late, and is gone after a restart: no repetition that was sent before can
 * arrive then, so evaluating the batch again is evaluating it for the first time.
 */
public final class WriterCore {

  /** Writers of one partition. */
  public static final int WRITERS_MAX = 1_000;

  /** A silent writer is kept for so long, unless there are too many. */
  public static final long KEPT_MICROS = 10L * 60 * 1_000_000;

  /** How far the date of a writer may be ahead of now. */
  public static final long AHEAD_MICROS = 60L * 1_000_000;

  /** Principals with a floor of their own. */
  static final int FLOORS_MAX = 1_000;

  private static final int PRINCIPAL_BYTES = Long.BYTES;

  private final int writersMax;
  private final long keptMicros;
  private final Memory memory;

  /** The writers by principal and id, the one that was silent for longest first. */
  private final LinkedHashMap<Bytes, Known> writers = new LinkedHashMap<>();

  /** How many of the {@link #writers} each principal has; never 0. */
  private final Map<Bytes, Integer> countByPrincipal = new HashMap<>();

  /** Writers whose {@link Known#applied} changed since {@link #takeChanged}, or that are gone. */
  private final Map<Bytes, Optional<Dated>> changed = new HashMap<>();

  /**
   * By principal the latest date of a writer that was evicted; above {@link #floor}; never falls.
   */
  private final Map<Bytes, Long> floors = new HashMap<>();

  /** Principals whose floor changed since {@link #takeChanged}. */
  private final Set<Bytes> changedFloors = new HashSet<>();

  /** The floor of principals without one of their own; never falls. */
  private long floor;

  /** A batch of a writer, by its number; {@code after} is the last of which rows were applied. */
  public record Numbered(Bytes writer, long number, long after) {}

  /** Counts what the writers of all partitions take; a writer is its principal and its id. */
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
   * A writer with its last batch of which rows are in the log.
   *
   * @param dateMicros the latest date that the writer had
   */
  public record Dated(long dateMicros, Answered answered) {}

  /**
   * What is to be stored.
   *
   * @param writers by principal and id; empty for a writer that is gone
   * @param floors by principal, and for no bytes that of the principals without one; empty for a
   *     principal whose floor is gone
   */
  public record Changes(Map<Bytes, Optional<Dated>> writers, Map<Bytes, Optional<Long>> floors) {}

  /**
   * What is known of a writer.
   *
   * @param dateMicros the latest date that the writer had
   * @param applied the last batch of which rows were applied; its number is 0 without one
   * @param last the last batch that was answered; {@code last.number() >= applied.number()}
   */
  private record Known(long dateMicros, Answered applied, Answered last) {}

  private static final Answered NONE = new Answered(0, 0, 0, Bytes.EMPTY, 0);

  /** What to do with a batch. */
  public sealed interface Verdict {

    /** The batch was never applied: apply it. */
    record Fresh() implements Verdict {}

    /** The batch was answered before, and gets the answer again. */
    record Repeated(Answered answered) implements Verdict {}

    /**
     * It is unknown whether the batch was applied, or it must not be applied: refuse it.
     *
     * @param dateMicros a date under which the writer is taken
     */
    record Ended(String why, long dateMicros) implements Verdict {}
  }

  private static final Verdict FRESH = new Verdict.Fresh();

  /** Knows no writer. */
  public WriterCore() {
    this(Memory.NONE);
  }

  /** Knows no writer; {@code memory} counts what the partition keeps. */
  public WriterCore(Memory memory) {
    this(WRITERS_MAX, KEPT_MICROS, memory);
  }

  /** A core without writers; it keeps at most so many writers, each for so long. */
  public WriterCore(int writersMax, long keptMicros, Memory memory) {
    this.writersMax = writersMax;
    this.keptMicros = keptMicros;
    this.memory = memory;
  }

  /** By writer, its last batch of which rows are in the log. */
  public Map<Bytes, Answered> applied() {
    Map<Bytes, Answered> all = new HashMap<>();
    writers.forEach(
        (id, known) -> {
          if (known.applied().number() > 0) {
            all.put(writer(known.dateMicros(), id), known.applied());
          }
        });
    return all;
  }

  /** The known writers, each as principal and id. */
  public Set<Bytes> writers() {
    return Set.copyOf(writers.keySet());
  }

  /** How many writers are known. */
  public int size() {
    return writers.size();
  }

  /**
   * Checks a batch before it is applied. The date of a writer may be {@link #AHEAD_MICROS} ahead of
   * {@code nowMicros}; the first date above the floor is always taken.
   */
  public Verdict judge(Numbered batch, long nowMicros) {
    Bytes id = idOf(batch.writer());
    Optional<Known> known = Optional.ofNullable(writers.get(id));
    long lowest = floorOf(principalOf(id));
    long date = dateOf(batch.writer());
    long next = Math.max(nowMicros, lowest + 1);
    long had = known.map(Known::dateMicros).orElse(0L);
    long latest = Math.max(nowMicros + AHEAD_MICROS, Math.max(next, had));
    Optional<String> why =
        known.isPresent() ? refusal(batch, known.get()) : refusalOfUnknown(batch, date, lowest);
    if (why.isEmpty() && known.isPresent() && batch.number() == known.get().last().number()) {
      return new Verdict.Repeated(known.get().last());
    }
    if (why.isEmpty() && (date < 0 || date > latest)) {
      why = Optional.of("the writer's id has a date that has not come yet");
    }
    return why.<Verdict>map(reason -> new Verdict.Ended(reason, next)).orElse(FRESH);
  }

  private static Optional<String> refusal(Numbered batch, Known known) {
    if (batch.number() < known.last().number()) {
      return Optional.of(
          "batch "
              + batch.number()
              + " of the writer comes after its batch "
              + known.last().number());
    }
    if (batch.number() > known.last().number() && batch.after() > known.applied().number()) {
      return Optional.of(
          "batch "
              + batch.number()
              + " of the writer follows batch "
              + batch.after()
              + ", and this partition ends with batch "
              + known.applied().number());
    }
    return Optional.empty();
  }

  private static Optional<String> refusalOfUnknown(Numbered batch, long date, long lowest) {
    if (batch.after() > 0) {
      return Optional.of(
          "batch "
              + batch.number()
              + " of the writer follows batch "
              + batch.after()
              + ", and this partition does not know the writer any more");
    }
    return date <= lowest
        ? Optional.of("the writer is older than one that this partition has forgotten")
        : Optional.empty();
  }

  private static long dateOf(Bytes writer) {
    long date = 0;
    for (int i = 0; i < Long.BYTES; i++) {
      date = date << 8 | (writer.at(i) & 0xff);
    }
    return date;
  }

  /** The principal and the id of a writer. */
  private static Bytes idOf(Bytes writer) {
    return Bytes.copyOf(writer.toByteArray(), Long.BYTES, writer.length() - Long.BYTES);
  }

  /** The principal of a writer that is named by its principal and its id. */
  public static Bytes principalOf(Bytes id) {
    return Bytes.copyOf(id.toByteArray(), 0, PRINCIPAL_BYTES);
  }

  private static Bytes writer(long dateMicros, Bytes id) {
    byte[] writer = new byte[Long.BYTES + id.length()];
    for (int i = 0; i < Long.BYTES; i++) {
      writer[i] = (byte) (dateMicros >>> (Long.SIZE - (i + 1) * Byte.SIZE));
    }
    id.copyInto(writer, Long.BYTES);
    return Bytes.copyOf(writer);
  }

  private long floorOf(Bytes principal) {
    return Math.max(floor, floors.getOrDefault(principal, 0L));
  }

  /**
   * Rows of a batch are in the log, or a log that nodes share says that all rows were rejected. A
   * batch that is known already with as many rows changes nothing: a log may be read again from a
   * place that what was stored is ahead of.
   */
  public void applied(Bytes writer, Answered answered) {
    Bytes id = idOf(writer);
    Known known = writers.get(id);
    if (known == null || isMore(answered, known.applied())) {
      boolean isLast = known == null || answered.number() >= known.last().number();
      put(id, new Known(dateOf(writer), answered, isLast ? answered : known.last()));
      changed.put(id, Optional.of(new Dated(writers.get(id).dateMicros(), answered)));
      evict(answered.micros());
    }
  }

  private static boolean isMore(Answered answered, Answered applied) {
    return answered.number() > applied.number()
        || (answered.number() == applied.number() && answered.rows() > applied.rows());
  }

  /**
   * All rows of a batch were rejected. Changes nothing when a log that nodes share has told the
   * answer before: all nodes keep the answer with the time of the log.
   */
  public void rejected(Bytes writer, Answered answered) {
    Bytes id = idOf(writer);
    Known known = writers.get(id);
    if (known != null && known.last().number() == answered.number()) {
      return;
    }
    // No writer asks for the answer to an earlier batch again.
    Answered applied = known == null ? NONE : with(known.applied(), Bytes.EMPTY);
    put(id, new Known(dateOf(writer), applied, answered));
    evict(answered.micros());
  }

  private static Answered with(Answered answered, Bytes answer) {
    return new Answered(
        answered.number(), answered.position(), answered.rows(), answer, answered.micros());
  }

  /** The latest date of a writer stays, since the floor must cover this date. */
  private void put(Bytes id, Known next) {
    Known before = writers.remove(id);
    long date = Math.max(next.dateMicros(), before == null ? 0 : before.dateMicros());
    writers.put(id, new Known(date, next.applied(), next.last()));
    if (before == null) {
      countByPrincipal.merge(principalOf(id), 1, Integer::sum);
    }
    memory.knows(id, next.last());
  }

  /**
   * Keeps less of the last answer to a writer. What is stored keeps the complete answer.
   *
   * @param id principal and id of the writer
   * @param shorter from an answer to the part of the answer that stays
   */
  public void shorten(Bytes id, UnaryOperator<Bytes> shorter) {
    writers.computeIfPresent(
        id,
        (by, known) -> {
          Answered last = with(known.last(), shorter.apply(known.last().answer()));
          boolean isApplied = known.applied().number() == last.number();
          Answered applied = isApplied ? last : with(known.applied(), Bytes.EMPTY);
          return new Known(known.dateMicros(), applied, last);
        });
  }

  /** Forgets the writer of a principal and an id, whose next batch is refused. */
  public void forget(Bytes id) {
    if (writers.containsKey(id)) {
      evict(id);
    }
  }

  private void evict(long nowMicros) {
    evictBefore(nowMicros - keptMicros);
    while (writers.size() > Math.max(1, writersMax)) {
      evictOfMost();
    }
  }

  /** Evicts the most silent writer of the principals that have the most. */
  private void evictOfMost() {
    int most = Collections.max(countByPrincipal.values());
    Bytes evicted =
        writers.keySet().stream()
            .filter(id -> countByPrincipal.get(principalOf(id)) == most)
            .findFirst()
            .orElseThrow();
    evict(evicted);
  }

  /** Evicts writers that were silent since before a time, and never the last one. */
  private void evictBefore(long micros) {
    while (writers.size() > 1) {
      Map.Entry<Bytes, Known> oldest = writers.entrySet().iterator().next();
      if (oldest.getValue().last().micros() >= micros) {
        return;
      }
      evict(oldest.getKey());
    }
  }

  private void raiseFloor(long dateMicros) {
    if (dateMicros > floor) {
      floor = dateMicros;
      changedFloors.add(Bytes.EMPTY);
      floors.entrySet().stream()
          .filter(own -> own.getValue() <= floor)
          .map(Map.Entry::getKey)
          .toList()
          .forEach(
              principal -> {
                floors.remove(principal);
                changedFloors.add(principal);
              });
    }
  }

  private void evict(Bytes id) {
    Known gone = writers.remove(id);
    memory.forgot(id);
    changed.put(id, Optional.empty());
    Bytes principal = principalOf(id);
    countByPrincipal.computeIfPresent(principal, (of, count) -> count > 1 ? count - 1 : null);
    if (gone.dateMicros() > floorOf(principal)) {
      floors.put(principal, gone.dateMicros());
      changedFloors.add(principal);
    }
    if (floors.size() > FLOORS_MAX) {
      raiseFloor(Collections.min(floors.values()));
    }
  }

  /** What to store in one write, since the last call. */
  public Changes takeChanged() {
    Map<Bytes, Optional<Dated>> ofWriters = new HashMap<>(changed);
    changed.clear();
    Map<Bytes, Optional<Long>> ofFloors = new HashMap<>();
    for (Bytes principal : changedFloors) {
      boolean isOfAll = principal.length() == 0;
      ofFloors.put(
          principal, isOfAll ? Optional.of(floor) : Optional.ofNullable(floors.get(principal)));
    }
    changedFloors.clear();
    return new Changes(ofWriters, ofFloors);
  }

  /** Resumes with a stored floor, of no bytes for that of all, until {@link #restored}. */
  public void restoreFloor(Bytes principal, long dateMicros) {
    if (principal.length() == 0) {
      floor = Math.max(floor, dateMicros);
    } else {
      floors.merge(principal, dateMicros, Math::max);
    }
  }

  /** Resumes with a stored writer, in any order, until {@link #restored}. */
  public void restore(Bytes id, Dated stored) {
    put(id, new Known(stored.dateMicros(), stored.answered(), stored.answered()));
  }

  /** All that was stored is known. */
  public void restored() {
    floors.values().removeIf(own -> own <= floor);
    List<Map.Entry<Bytes, Known>> byAge = new ArrayList<>(writers.size());
    writers.forEach((id, known) -> byAge.add(Map.entry(id, known)));
    byAge.sort(Comparator.comparingLong(each -> each.getValue().last().micros()));
    writers.clear();
    byAge.forEach(each -> writers.put(each.getKey(), each.getValue()));
  }
}
