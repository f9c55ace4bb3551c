package io.tunnel.server.kafka;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.partition.Shard;
import io.tunnel.server.replica.shared.SharedLog;
import io.tunnel.server.replica.shared.SharedLog.Stored;
import io.tunnel.server.replica.shared.SharedLog.TailListener;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads partitions with one consumer on one thread, which owns all state except the queue of
 * requests. Failures are retried until the tail is closed.
 */
final class KafkaTail implements SharedLog.Tail {

  private static final Logger LOG = LoggerFactory.getLogger(KafkaTail.class);
  private static final Duration POLL = Duration.ofMillis(500);
  private static final long IDLE_MS = 200;
  private static final long BACKOFF_MS = 500;

  /** Size at which a chunk of records is full. */
  private static final long CHUNK_BYTES = 1 << 20;

  private static final Duration CLOSE_MAX = Duration.ofSeconds(2);

  private final Consumer<Bytes, Bytes> consumer;
  private final IntFunction<Optional<TopicPartition>> topics;
  private final TailListener listener;
  private final Shard.Clock clock;
  private final BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
  private final Map<TopicPartition, Followed> followed = new HashMap<>();

  /** Partitions that the catalog does not know yet, with the places to read from. */
  private final Map<Integer, Place> unknown = new HashMap<>();

  /** Records that were read and that the listener has not taken yet. */
  private final Deque<Chunk> untold = new ArrayDeque<>();

  private final Thread thread;
  private volatile boolean isPaused;
  private volatile boolean isClosed;

  /** A partition, and the offset to read next. */
  private record Followed(int partition, long next) {}

  /** An offset, and the epoch of the leader at the record before it. */
  private record Place(long offset, int leaderEpoch) {

    OffsetAndMetadata toSeek() {
      Optional<Integer> epoch =
          leaderEpoch == Stored.NO_EPOCH ? Optional.empty() : Optional.of(leaderEpoch);
      return new OffsetAndMetadata(offset, epoch, "");
    }
  }

  private record Chunk(int partition, long from, List<Stored> records, long next, long readMicros) {
    Chunk {
      records = Collections.unmodifiableList(records);
    }
  }

  KafkaTail(
      Consumer<Bytes, Bytes> consumer,
      IntFunction<Optional<TopicPartition>> topics,
      TailListener listener,
      Shard.Clock clock) {
    this.consumer = consumer;
    this.topics = topics;
    this.listener = listener;
    this.clock = clock;
    this.thread = new Thread(this::run, "kafka-tail");
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  @Override
  public void follow(int partition, long offset) {
    follow(partition, offset, Stored.NO_EPOCH);
  }

  /**
   * With the epoch, the client asks the log's leader whether the log was truncated before the
   * offset.
   */
  @Override
  public void follow(int partition, long offset, int leaderEpoch) {
    post(() -> begin(partition, new Place(offset, leaderEpoch)));
  }

  @Override
  public void unfollow(int partition) {
    post(() -> end(partition));
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
      begin(Map.copyOf(unknown));
      tell();
      if (isPaused || followed.isEmpty()) {
        await(IDLE_MS);
      } else {
        read();
      }
    } catch (WakeupException e) {
      // A request woke the poll.
    } catch (OffsetOutOfRangeException e) {
      tryAgainAfter(() -> lost(e.offsetOutOfRangePartitions()));
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
      // A request woke the poll.
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

  private void begin(Map<Integer, Place> places) {
    places.forEach(this::begin);
  }

  private void begin(int partition, Place place) {
    Optional<TopicPartition> topic = topics.apply(partition);
    if (topic.isEmpty()) {
      unknown.put(partition, place);
      return;
    }
    unknown.remove(partition);
    untold.removeIf(chunk -> chunk.partition() == partition);
    followed.put(topic.get(), new Followed(partition, place.offset()));
    consumer.assign(followed.keySet());
    consumer.seek(topic.get(), place.toSeek());
  }

  private void end(int partition) {
    unknown.remove(partition);
    untold.removeIf(chunk -> chunk.partition() == partition);
    if (followed.values().removeIf(one -> one.partition() == partition)) {
      consumer.assign(followed.keySet());
    }
  }

  private void lost(Map<TopicPartition, Long> offsets) {
    Map<TopicPartition, Long> firsts = consumer.beginningOffsets(offsets.keySet());
    offsets.forEach(
        (topic, offset) -> {
          int partition = followed.get(topic).partition();
          long place = untoldFrom(partition).orElse(offset);
          end(partition);
          listener.lost(partition, place, firsts.get(topic));
        });
  }

  /** The first offset that was read but not told to the listener, if any. */
  private Optional<Long> untoldFrom(int partition) {
    return untold.stream()
        .filter(chunk -> chunk.partition() == partition)
        .map(Chunk::from)
        .findFirst();
  }

  private void read() {
    ConsumerRecords<Bytes, Bytes> polled = consumer.poll(POLL);
    long nowMicros = clock.epochMicros();
    polled
        .nextOffsets()
        .forEach(
            (topic, next) -> {
              Followed one = followed.get(topic);
              divide(one, polled.records(topic), next.offset(), nowMicros);
              followed.put(topic, new Followed(one.partition(), next.offset()));
            });
    tell();
  }

  /**
   * Divides records into chunks by bytes, so that the listener works on few large records at a
   * time.
   */
  private void divide(
      Followed one, List<ConsumerRecord<Bytes, Bytes>> records, long end, long nowMicros) {
    List<Stored> stored = new ArrayList<>();
    long from = one.next();
    long bytes = 0;
    for (ConsumerRecord<Bytes, Bytes> record : records) {
      if (bytes > CHUNK_BYTES) {
        untold.add(new Chunk(one.partition(), from, stored, record.offset(), nowMicros));
        stored = new ArrayList<>();
        from = record.offset();
        bytes = 0;
      }
      stored.add(RecordFormat.decode(record));
      bytes += Math.max(0, record.serializedKeySize()) + Math.max(0, record.serializedValueSize());
    }
    untold.add(new Chunk(one.partition(), from, stored, end, nowMicros));
  }

  private void tell() {
    while (!isPaused && !isClosed && !untold.isEmpty()) {
      Chunk chunk = untold.peek();
      listener.read(
          chunk.partition(), chunk.from(), chunk.records(), chunk.next(), chunk.readMicros());
      // Only now: a chunk that the listener fails to take is told again.
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
