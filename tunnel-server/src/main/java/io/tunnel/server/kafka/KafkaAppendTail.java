package io.tunnel.server.kafka;

import io.tunnel.codec.NewerFormatException;
import io.tunnel.server.replica.append.AppendTail;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads partitions with one consumer on one thread, which owns all state except the queue of
 * requests. Failures are retried until the tail is closed. The records of one poll, a few appends,
 * are all that waits here for the listener.
 */
final class KafkaAppendTail implements AppendTail {

  private static final Logger LOG = LoggerFactory.getLogger(KafkaAppendTail.class);
  private static final Duration POLL = Duration.ofMillis(500);
  private static final long IDLE_MS = 200;
  private static final long BACKOFF_MS = 500;

  /** Bytes from which on a chunk of records is full. */
  private static final long CHUNK_BYTES = 1 << 20;

  private static final Duration CLOSE_MAX = Duration.ofSeconds(2);

  private final Consumer<byte[], byte[]> consumer;
  private final IntFunction<Optional<TopicPartition>> topics;
  private final Function<Collection<Integer>, Map<Integer, CompletableFuture<End>>> asksEnds;
  private final Listener listener;
  private final BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
  private final Map<TopicPartition, Followed> followed = new HashMap<>();

  /** Partitions that the catalog does not know yet, with the places to read from. */
  private final Map<Integer, Place> unknown = new HashMap<>();

  /** Events that the listener has not taken yet, in order. */
  private final Deque<Event> untold = new ArrayDeque<>();

  private final AtomicLong visits = new AtomicLong();
  private final Thread thread;
  private volatile boolean isPaused;
  private volatile boolean isClosed;

  /** An offset, and the epoch of the leader at the record before it. */
  private record Place(long offset, int leaderEpoch) {

    OffsetAndMetadata toSeek() {
      Optional<Integer> epoch =
          leaderEpoch == NO_EPOCH ? Optional.empty() : Optional.of(leaderEpoch);
      return new OffsetAndMetadata(offset, epoch, "");
    }
  }

  /** A partition that is read, paused or held. */
  private static final class Followed {
    final int partition;

    /** The offset to read next. */
    long next;

    /** The highest leader epoch that is known; never falls. */
    int leaderEpoch;

    boolean hasForeign;

    Followed(int partition, Place place) {
      this.partition = partition;
      this.next = place.offset();
      this.leaderEpoch = place.leaderEpoch();
    }
  }

  KafkaAppendTail(
      Consumer<byte[], byte[]> consumer,
      IntFunction<Optional<TopicPartition>> topics,
      Function<Collection<Integer>, Map<Integer, CompletableFuture<End>>> asksEnds,
      Listener listener) {
    this.consumer = consumer;
    this.topics = topics;
    this.asksEnds = asksEnds;
    this.listener = listener;
    this.thread = new Thread(this::run, "kafka-append-tail");
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  @Override
  public long follow(int partition, long offset, int leaderEpoch) {
    long visit = visits.incrementAndGet();
    post(
        () -> {
          untold.removeIf(
              event -> event.partition() == partition && !(event instanceof LeaderChanged));
          untold.add(new Begun(partition, visit));
          begin(partition, new Place(offset, leaderEpoch));
        });
    return visit;
  }

  @Override
  public void unfollow(int partition) {
    post(() -> end(partition));
  }

  @Override
  public void pause(int partition) {
    post(() -> topic(partition).ifPresent(topic -> consumer.pause(Set.of(topic))));
  }

  @Override
  public void resume(int partition) {
    post(() -> topic(partition).ifPresent(topic -> consumer.resume(Set.of(topic))));
  }

  @Override
  public void pause() {
    isPaused = true;
  }

  @Override
  public void resume() {
    isPaused = false;
    post(() -> {});
  }

  @Override
  public Map<Integer, CompletableFuture<End>> ends(Collection<Integer> partitions) {
    Map<Integer, CompletableFuture<End>> ends = asksEnds.apply(partitions);
    ends.forEach(
        (partition, answer) -> {
          var unused = answer.thenAccept(end -> post(() -> led(partition, end.leaderEpoch())));
        });
    return ends;
  }

  private void post(Runnable task) {
    tasks.add(task);
    consumer.wakeup();
  }

  private void run() {
    try {
      while (!isClosed) {
        step();
      }
    } finally {
      consumer.close(CloseOptions.timeout(CLOSE_MAX));
    }
  }

  private void step() {
    try {
      fulfilWishes();
      Map.copyOf(unknown).forEach(this::begin);
      tell();
      if (isPaused || followed.isEmpty()) {
        await(IDLE_MS);
      } else {
        read();
      }
    } catch (WakeupException e) {
      // A request woke the poll.
    } catch (OffsetOutOfRangeException e) {
      tryAgainAfter(() -> lost(e));
    } catch (InterruptException e) {
      LOG.warn("interrupted; this node no longer reads the log");
      isClosed = true;
    } catch (RuntimeException e) {
      LOG.warn("cannot read the log; will retry", e);
      await(BACKOFF_MS);
    }
  }

  /** Runs {@code failing}, and pauses when it fails; the caller comes here again. */
  private void tryAgainAfter(Runnable failing) {
    try {
      failing.run();
    } catch (WakeupException e) {
      // A request woke the look-up.
    } catch (RuntimeException e) {
      LOG.warn("cannot look up a lost partition; will retry", e);
      await(BACKOFF_MS);
    }
  }

  private void await(long ms) {
    try {
      Runnable task = tasks.poll(ms, TimeUnit.MILLISECONDS);
      if (task != null) {
        task.run();
      }
    } catch (InterruptedException e) {
      LOG.warn("interrupted; this node no longer reads the log");
      isClosed = true;
    }
  }

  private void fulfilWishes() {
    for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
      task.run();
    }
  }

  private void begin(int partition, Place place) {
    Optional<TopicPartition> topic = topics.apply(partition);
    if (topic.isEmpty()) {
      unknown.put(partition, place);
      return;
    }
    unknown.remove(partition);
    Followed one = new Followed(partition, place);
    Followed before = followed.put(topic.get(), one);
    if (before != null) {
      // The changes up to there were delivered.
      one.leaderEpoch = Math.max(one.leaderEpoch, before.leaderEpoch);
    }
    consumer.assign(followed.keySet());
    consumer.seek(topic.get(), place.toSeek());
    consumer.resume(Set.of(topic.get()));
  }

  private void end(int partition) {
    unknown.remove(partition);
    untold.removeIf(event -> event.partition() == partition);
    leave(partition);
  }

  private void leave(int partition) {
    if (followed.values().removeIf(one -> one.partition == partition)) {
      consumer.assign(followed.keySet());
    }
  }

  private Optional<TopicPartition> topic(int partition) {
    return topics.apply(partition).filter(followed::containsKey);
  }

  /** A broker with this leader epoch leads the partition's log. */
  private void led(int partition, int leaderEpoch) {
    topic(partition).map(followed::get).ifPresent(one -> led(one, leaderEpoch));
  }

  private void led(Followed one, int leaderEpoch) {
    if (leaderEpoch > one.leaderEpoch) {
      boolean isChange = one.leaderEpoch != NO_EPOCH;
      one.leaderEpoch = leaderEpoch;
      if (isChange) {
        untold.add(new LeaderChanged(one.partition, leaderEpoch));
      }
    }
  }

  private void lost(OffsetOutOfRangeException e) {
    Map<TopicPartition, Long> offsets = e.offsetOutOfRangePartitions();
    Map<TopicPartition, OffsetAndMetadata> divergent =
        e instanceof LogTruncationException cut ? cut.divergentOffsets() : Map.of();
    Map<TopicPartition, Long> firsts = consumer.beginningOffsets(offsets.keySet());
    offsets.forEach(
        (topic, offset) -> {
          int partition = followed.get(topic).partition;
          long first = firsts.get(topic);
          OffsetAndMetadata shared = divergent.get(topic);
          if (offset < first) {
            lose(new Trimmed(partition, offset, first));
          } else {
            // The log may have grown past this offset again: then the place of the cut is unknown.
            lose(new Cut(partition, offset, shared == null ? 0 : shared.offset()));
          }
        });
  }

  private void lose(Event event) {
    leave(event.partition());
    untold.add(event);
  }

  private void read() {
    ConsumerRecords<byte[], byte[]> polled = consumer.poll(POLL);
    polled
        .nextOffsets()
        .forEach(
            (topic, next) -> {
              Followed one = followed.get(topic);
              if (one != null) {
                divide(topic, one, polled.records(topic), next.offset());
              }
            });
    tell();
  }

  /**
   * Makes events of records, in chunks by bytes, so that the listener works on few bytes at once.
   */
  private void divide(
      TopicPartition topic, Followed one, List<ConsumerRecord<byte[], byte[]>> records, long next) {
    Chunk chunk = new Chunk(one);
    for (ConsumerRecord<byte[], byte[]> record : records) {
      int epoch = record.leaderEpoch().orElse(NO_EPOCH);
      if (chunk.bytes > CHUNK_BYTES || epoch > one.leaderEpoch) {
        chunk.close(record.offset());
      }
      led(one, epoch);
      try {
        AppendFormat.decode(record)
            .ifPresentOrElse(chunk::add, () -> foreign(topic, one, record.offset()));
      } catch (NewerFormatException e) {
        chunk.close(record.offset());
        untold.add(new HeldBack(one.partition, record.offset(), e.getMessage()));
        consumer.seek(topic, record.offset());
        consumer.pause(Set.of(topic));
        return;
      }
    }
    chunk.close(next);
  }

  /** Records that become one event. */
  private final class Chunk {
    private final Followed one;
    private List<Stored> records = new ArrayList<>();
    private long bytes;

    Chunk(Followed one) {
      this.one = one;
    }

    void add(Stored record) {
      records.add(record);
      bytes += record.value().length;
    }

    void close(long next) {
      if (next > one.next) {
        untold.add(new Read(one.partition, one.next, records, next, bytes));
        one.next = next;
        records = new ArrayList<>();
        bytes = 0;
      }
    }
  }

  private static void foreign(TopicPartition topic, Followed one, long offset) {
    if (!one.hasForeign) {
      one.hasForeign = true;
      LOG.warn(
          "{} has a record at offset {} that no node wrote; every node skips such records. Which"
              + " program writes to this topic?",
          topic,
          offset);
    }
  }

  private void tell() {
    while (!isPaused && !isClosed && !untold.isEmpty()) {
      listener.happened(untold.peek());
      // Only now: an event that the listener fails to take is delivered again.
      untold.remove();
    }
  }

  /** Ends the thread and waits for its end, unless the listener calls this. Idempotent. */
  @Override
  public void close() {
    isClosed = true;
    consumer.wakeup();
    tasks.add(() -> {});
    if (Thread.currentThread() != thread) {
      try {
        thread.join(2 * CLOSE_MAX.toMillis());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
