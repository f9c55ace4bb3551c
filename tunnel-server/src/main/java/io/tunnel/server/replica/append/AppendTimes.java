package io.tunnel.server.replica.append;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.MalformedException;
import io.tunnel.codec.NewerFormatException;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.replica.append.AppendTail.Stored;
import io.tunnel.server.replica.append.SearchCore.Goal;
import io.tunnel.server.replica.append.SearchCore.Side;
import io.tunnel.server.replica.append.TrimCore.Kept;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;

/**
 * Commit times of old changes, which the local log does not have, found in the shared log. Commit
 * times of a partition never fall, and all changes of a record have one commit time, so a search
 * reads a few records.
 *
 * <p>The lock guards the looks by partition, of which the first is under way. Futures are completed
 * outside of the lock, by the tail's thread or the caller's.
 */
final class AppendTimes implements AppendTail.Listener, Closeable {

  /** Looks that may wait or be under way on a node. Further ones are refused as BUSY. */
  static final int LOOKS_MAX = 1_024;

  /** Looks beyond which lags begin no more, so that trims and starts by time find space. */
  static final int LAG_LOOKS_MAX = LOOKS_MAX / 4;

  /** Found times that a node remembers; the one that was not asked for longest goes first. */
  static final int FOUND_MAX = 4_096;

  private final IntFunction<KnownLog> known;
  private final Map<Integer, Deque<Look>> looks = new TreeMap<>();

  /** Searches of {@link #commitMicrosAfter} under way; at most {@link #LOOKS_MAX}. */
  private final Map<Asked, CompletableFuture<OptionalLong>> searches = new HashMap<>();

  /**
   * Times that searches of {@link #commitMicrosAfter} have found, since lags are asked again and
   * again; at most {@link #FOUND_MAX}. The monitor guards this map and {@link #searches}.
   */
  private final Map<Asked, Long> found = new LinkedHashMap<>(16, 0.75f, true);

  private final AppendTail tail;
  private int count;
  private boolean isClosed;

  /** A change in the log of a lane; a lane knows which of its records count. */
  private record Asked(int partition, long lane, long position) {}

  /** A search for one answer. */
  private static final class Look {
    final int partition;
    final long lane;
    final SearchCore search;
    final Goal goal;
    final Function<Optional<Stored>, OptionalLong> answer;
    final CompletableFuture<OptionalLong> result = new CompletableFuture<>();

    Look(int partition, KnownLog log, Goal goal, Function<Optional<Stored>, OptionalLong> answer) {
      this.partition = partition;
      this.lane = log.lane();
      this.search = new SearchCore(log.trimmed().offset(), log.follow().next(), false);
      this.goal = goal;
      this.answer = answer;
    }
  }

  /**
   * Looks for nothing yet.
   *
   * @param known what the node knows of a partition's log; {@link KnownLog#NONE} without a replica
   */
  AppendTimes(ReadableAppendLog log, IntFunction<KnownLog> known) {
    this.known = known;
    this.tail = log.tail(this);
  }

  /**
   * The position of the last change that was committed before {@code epochMicros}, in microseconds
   * since 1970; one less than the first position that is kept when no kept change is so old. Empty
   * when this node does not know: without a replica, or when the replica is dropped or is rebuilt
   * meanwhile.
   *
   * @return fails with a {@link RefusedException}: BUSY, CORRUPT, or NOT_LEADER where a record is
   *     of a newer build
   */
  CompletableFuture<OptionalLong> positionBefore(int partition, long epochMicros) {
    KnownLog log = known.apply(partition);
    if (log.follow().stretches().isEmpty()) {
      return CompletableFuture.completedFuture(OptionalLong.empty());
    }
    Goal goal =
        record -> {
          if (!isUsable(log, record)) {
            return Side.UNUSABLE;
          }
          return commitMicros(record) < epochMicros ? Side.BEFORE : Side.AFTER;
        };
    return ask(
        new Look(
            partition,
            log,
            goal,
            found -> {
              long next = found.map(at -> at.header().first()).orElse(log.follow().position());
              return OptionalLong.of(Math.max(next, log.firstPosition()) - 1);
            }));
  }

  /**
   * The commit time of the first kept change after {@code position}, in microseconds since 1970; 0
   * when there is none. Otherwise as {@link #positionBefore}.
   */
  CompletableFuture<OptionalLong> commitMicrosAfter(int partition, long position) {
    return commitMicrosAfter(partition, position, LOOKS_MAX);
  }

  private CompletableFuture<OptionalLong> commitMicrosAfter(
      int partition, long position, int looksMax) {
    KnownLog log = known.apply(partition);
    if (log.follow().stretches().isEmpty()) {
      return CompletableFuture.completedFuture(OptionalLong.empty());
    }
    long wanted = Math.max(position + 1, log.firstPosition());
    Asked asked = new Asked(partition, log.lane(), wanted);
    synchronized (found) {
      Long micros = found.get(asked);
      if (micros != null) {
        return CompletableFuture.completedFuture(OptionalLong.of(micros));
      }
      CompletableFuture<OptionalLong> search = searches.get(asked);
      if (search != null) {
        return search;
      }
    }
    Goal goal =
        record -> isUsable(log, record) ? FetchedPage.side(record, log, wanted) : Side.UNUSABLE;
    CompletableFuture<OptionalLong> answer =
        ask(
            new Look(
                partition,
                log,
                goal,
                first -> OptionalLong.of(first.map(AppendTimes::commitMicros).orElse(0L))),
            looksMax);
    if (!answer.isDone()) {
      synchronized (found) {
        searches.put(asked, answer);
      }
    }
    var unused =
        answer.whenComplete((micros, failure) -> ended(asked, answer, Optional.ofNullable(micros)));
    return answer;
  }

  /**
   * Remembers a found time. A failure, a dropped search, and a change that is not there yet are
   * asked for again, so they push no found time out.
   */
  private void ended(
      Asked asked, CompletableFuture<OptionalLong> search, Optional<OptionalLong> answer) {
    long micros = answer.orElse(OptionalLong.empty()).orElse(0);
    synchronized (found) {
      searches.remove(asked, search);
      if (micros > 0) {
        found.put(asked, micros);
      }
      if (found.size() > FOUND_MAX) {
        found.remove(found.keySet().iterator().next());
      }
    }
  }

  /**
   * As {@link #commitMicrosAfter}, without a wait. Until the search ends, the answer is the time
   * that was found for the nearest position before: commit times never fall, so the lag of a reader
   * that moves on all the time is not understated, and never unknown for long. Empty without such a
   * position. The question begins the search, unless {@link #LAG_LOOKS_MAX} looks wait.
   */
  OptionalLong knownCommitMicrosAfter(int partition, long position) {
    CompletableFuture<OptionalLong> answer = commitMicrosAfter(partition, position, LAG_LOOKS_MAX);
    return answer.isDone() && !answer.isCompletedExceptionally()
        ? answer.join()
        : foundBefore(partition, position);
  }

  private OptionalLong foundBefore(int partition, long position) {
    long lane = known.apply(partition).lane();
    long nearest = -1;
    OptionalLong micros = OptionalLong.empty();
    synchronized (found) {
      for (Map.Entry<Asked, Long> each : found.entrySet()) {
        Asked asked = each.getKey();
        if (asked.partition() == partition
            && asked.lane() == lane
            && asked.position() <= position
            && asked.position() > nearest) {
          nearest = asked.position();
          micros = OptionalLong.of(each.getValue());
        }
      }
    }
    return micros;
  }

  /**
   * Where the changes begin of which the commit, or the arrival at the shared log, was at or after
   * {@code epochMicros}: after the last known change where all changes are older. Otherwise as
   * {@link #positionBefore}.
   */
  CompletableFuture<Optional<Kept>> firstKept(int partition, long epochMicros) {
    KnownLog log = known.apply(partition);
    if (log.follow().stretches().isEmpty()) {
      return CompletableFuture.completedFuture(Optional.empty());
    }
    Goal goal =
        record -> {
          if (!isUsable(log, record)) {
            return Side.UNUSABLE;
          }
          long micros =
              Math.max(commitMicros(record), TimeUnit.MILLISECONDS.toMicros(record.timeMs()));
          return micros < epochMicros ? Side.BEFORE : Side.AFTER;
        };
    AtomicReference<Kept> kept =
        new AtomicReference<>(new Kept(log.follow().position(), log.follow().next()));
    return ask(new Look(
            partition,
            log,
            goal,
            found -> {
              found.ifPresent(at -> kept.set(new Kept(at.header().first(), at.offset())));
              return OptionalLong.of(kept.get().position());
            }))
        .thenApply(position -> position.isEmpty() ? Optional.empty() : Optional.of(kept.get()));
  }

  private static boolean isUsable(KnownLog log, Stored record) {
    return record.header().changes() > 0 && log.counts(record);
  }

  private static long commitMicros(Stored record) {
    return ChangeBatch.parse(record.value(), 0, record.value().length).commitMicros();
  }

  private CompletableFuture<OptionalLong> ask(Look look) {
    return ask(look, LOOKS_MAX);
  }

  private CompletableFuture<OptionalLong> ask(Look look, int looksMax) {
    if (look.search.isDone()) {
      return CompletableFuture.completedFuture(look.answer.apply(Optional.empty()));
    }
    synchronized (looks) {
      if (isClosed) {
        return CompletableFuture.completedFuture(OptionalLong.empty());
      }
      if (count >= looksMax) {
        return CompletableFuture.failedFuture(
            new RefusedException(
                ErrorCode.BUSY, count + " searches for commit times are under way; ask again"));
      }
      count++;
      Deque<Look> ofPartition = looks.computeIfAbsent(look.partition, any -> new ArrayDeque<>());
      ofPartition.add(look);
      if (ofPartition.size() == 1) {
        follow(look);
      }
    }
    return look.result;
  }

  private void follow(Look look) {
    tail.follow(look.partition, look.search.next(), AppendTail.NO_EPOCH);
  }

  @Override
  public void happened(AppendTail.Event event) {
    Optional<Look> first = first(event.partition());
    if (first.isEmpty()) {
      return;
    }
    Look look = first.get();
    if (known.apply(look.partition).lane() != look.lane) {
      end(look, () -> look.result.complete(OptionalLong.empty()));
      return;
    }
    long next = look.search.next();
    boolean isThere = false;
    try {
      if (event instanceof AppendTail.Read read && read.from() == next) {
        look.search.read(read.records(), read.next(), look.goal);
        isThere = look.search.next() == read.next();
      } else if (event instanceof AppendTail.Trimmed trimmed && trimmed.offset() == next) {
        look.search.trimmed(trimmed.first());
      } else if (event instanceof AppendTail.HeldBack held && held.offset() == next) {
        throw new NewerFormatException(held.reason());
      } else if (event instanceof AppendTail.Cut cut && cut.offset() == next) {
        end(look, () -> look.result.complete(OptionalLong.empty()));
        return;
      } else {
        return;
      }
      if (look.search.isDone()) {
        OptionalLong answer = look.answer.apply(look.search.found());
        end(look, () -> look.result.complete(answer));
      } else if (!isThere) {
        seek(look);
      }
    } catch (NewerFormatException e) {
      fail(look, RefusedException.notLeader(where(look) + e.getMessage(), Optional.empty()));
    } catch (MalformedException e) {
      fail(look, new RefusedException(ErrorCode.CORRUPT, where(look) + e.getMessage()));
    }
  }

  private static String where(Look look) {
    return "the log of partition " + look.partition + " at " + look.search.next() + ": ";
  }

  private Optional<Look> first(int partition) {
    synchronized (looks) {
      return Optional.ofNullable(looks.get(partition)).map(Deque::peek);
    }
  }

  private void seek(Look look) {
    synchronized (looks) {
      if (first(look.partition).filter(first -> first == look).isPresent()) {
        follow(look);
      }
    }
  }

  private void fail(Look look, RefusedException reason) {
    end(look, () -> look.result.completeExceptionally(reason));
  }

  /** Ends the first look of a partition, unless the look was dropped, and begins the next one. */
  private void end(Look look, Runnable completes) {
    synchronized (looks) {
      Deque<Look> ofPartition = looks.getOrDefault(look.partition, new ArrayDeque<>());
      if (ofPartition.peek() != look) {
        return;
      }
      ofPartition.remove();
      count--;
      if (ofPartition.isEmpty()) {
        looks.remove(look.partition);
        tail.unfollow(look.partition);
      } else {
        follow(ofPartition.peek());
      }
    }
    completes.run();
  }

  /** Ends the looks of partitions that are not served here any more, without an answer. */
  void keep(IntPredicate isServing) {
    drop(partition -> !isServing.test(partition));
  }

  private void drop(IntPredicate isDropped) {
    List<Look> dropped = new ArrayList<>();
    synchronized (looks) {
      looks
          .entrySet()
          .removeIf(
              each -> {
                if (!isDropped.test(each.getKey())) {
                  return false;
                }
                dropped.addAll(each.getValue());
                tail.unfollow(each.getKey());
                return true;
              });
      count -= dropped.size();
    }
    dropped.forEach(look -> look.result.complete(OptionalLong.empty()));
  }

  /** Ends all looks without an answer. */
  @Override
  public void close() throws IOException {
    synchronized (looks) {
      isClosed = true;
    }
    drop(partition -> true);
    tail.close();
  }
}
