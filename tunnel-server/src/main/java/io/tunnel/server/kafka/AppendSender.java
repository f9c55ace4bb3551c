package io.tunnel.server.kafka;

import io.tunnel.server.partition.Shard;
import io.tunnel.server.replica.append.AppendLog.Appended;
import io.tunnel.server.replica.append.AppendLog.Placed;
import java.io.Closeable;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands appends to Kafka's producer on a thread of its own, because handing over compresses the
 * record.
 *
 * <p>All records go through one idempotent producer, so the records of a partition never change
 * their order, large or small. After a fatal error another producer takes over; late records of the
 * former one change nothing, since what follows them in their epoch does not count either.
 *
 * <p>Partitions do not wait for each other. The thread never blocks inside the producer, which
 * refuses a record that it has no space for or whose topic it does not know yet: the thread holds
 * such an append, and the later ones of its partition, and hands it over again soon. The thread
 * also holds an append while the broker that leads its partition has used up its share of the
 * producer's buffer. The thread abandons an append that it has held for longer than a delivery may
 * take, so every append ends within twice that time and one request.
 */
final class AppendSender implements Closeable {

  /** Most appends that wait to be handed over. */
  static final int WAITING_MAX = 16_384;

  private static final Logger LOG = LoggerFactory.getLogger(AppendSender.class);
  private static final int NO_BROKER = -1;
  private static final int RECORD_OVERHEAD_BYTES = 64;
  private static final long HELD_PAUSE_MS = 5;
  private static final long IDLE_MS = 1_000;
  private static final long LOGGED_NANOS_MIN = TimeUnit.SECONDS.toNanos(10);

  private final Carries carries;
  private final RenewedProducer<byte[]> producer;
  private final BrokerShares shares;
  private final long bytesMax;
  private final KafkaConfig.Times times;
  private final Shard.Clock clock;
  private final BlockingQueue<Append> waiting = new LinkedBlockingQueue<>(WAITING_MAX);
  private final Thread thread;
  private volatile boolean isClosed;

  /** Of all appends that have not ended; at most {@code bytesMax}, or one append. */
  private final AtomicLong bytesUnderWay = new AtomicLong();

  /** Failures that no line of the log tells. */
  private final AtomicLong untoldFailures = new AtomicLong();

  private final AtomicLong toldNanos;

  /** Appends that the producer does not have, oldest first; used by the thread only. */
  private final Deque<Append> held = new ArrayDeque<>();

  /** What the records are, for the names of threads and for people. */
  enum Carries {
    /** Records of the logs of tables. */
    APPENDS("kafka-append", "appends", "and their leaders will claim again"),
    /** Blocks of snapshots. */
    BLOCKS("kafka-block", "blocks of snapshots", "no record will name their snapshots");

    private final String thread;
    private final String plural;
    private final String next;

    Carries(String thread, String plural, String next) {
      this.thread = thread;
      this.plural = plural;
      this.next = next;
    }
  }

  /**
   * A sender of records.
   *
   * @param producers makes idempotent producers that never block
   * @param buffer of a producer
   * @param bytesMax bytes of all appends that have not ended
   */
  AppendSender(
      Carries carries,
      Supplier<Producer<byte[], byte[]>> producers,
      BrokerShares.Buffer buffer,
      long bytesMax,
      KafkaConfig.Times times,
      Shard.Clock clock) {
    this.carries = carries;
    this.producer = new RenewedProducer<>(producers, clock::nanos);
    this.shares = new BrokerShares(buffer);
    this.bytesMax = bytesMax;
    this.times = times;
    this.clock = clock;
    this.toldNanos = new AtomicLong(clock.nanos() - LOGGED_NANOS_MIN);
    this.thread = new Thread(this::run, carries.thread);
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  /**
   * Appends a record. The header becomes the key of the record: no two records have the same, so a
   * compaction that an operator switches on by mistake deletes no record.
   */
  void append(TopicPartition to, byte[] header, byte[] value, Appended appended) {
    Append append = new Append(to, header, value, appended);
    long before = bytesUnderWay.getAndAdd(append.bytes);
    if (isClosed) {
      append.fail("this node stops");
    } else if (before > 0 && before + append.bytes > bytesMax) {
      append.fail(
          "%d bytes are in flight and %d more exceed the limit of %d"
              .formatted(before, append.bytes, bytesMax));
    } else if (!waiting.offer(append)) {
      append.fail("more than " + WAITING_MAX + " appends wait to be sent");
    } else if (isClosed && waiting.remove(append)) {
      append.fail("this node stops");
    }
  }

  /** Whether half of what may be in flight is. */
  boolean isFull() {
    return bytesUnderWay.get() >= bytesMax / 2 || waiting.size() >= WAITING_MAX / 2;
  }

  private void run() {
    while (!isClosed) {
      try {
        Append next = waiting.poll(held.isEmpty() ? IDLE_MS : HELD_PAUSE_MS, TimeUnit.MILLISECONDS);
        if (next != null) {
          held.add(next);
          waiting.drainTo(held);
        }
        handOverHeld();
      } catch (InterruptedException e) {
        if (!isClosed) {
          LOG.warn("interrupted; no more appends are sent");
        }
        isClosed = true;
      }
    }
    waiting.drainTo(held);
    held.forEach(append -> append.fail("this node stops"));
  }

  private void handOverHeld() {
    Set<TopicPartition> stuck = new HashSet<>();
    held.removeIf(
        append -> {
          boolean isOver = !stuck.contains(append.to) && handOver(append);
          if (!isOver) {
            stuck.add(append.to);
          }
          return isOver;
        });
  }

  /** Hands an append to the producer; true when the producer has the append, or it has failed. */
  private boolean handOver(Append append) {
    if (clock.nanos() - append.deadlineNanos > 0) {
      append.fail("the append waited too long to be sent");
      return true;
    }
    try {
      Producer<byte[], byte[]> now = producer.renewIfBroken();
      if (!isAdmitted(now, append)) {
        return false;
      }
      append.isRefused = false;
      var unused = now.send(AppendFormat.encode(append.to, append.header, append.value), append);
      return !append.isRefused;
    } catch (TimeoutException e) {
      return false;
    } catch (RuntimeException e) {
      // The producer refused the record, or there is no producer because no broker's name is known.
      append.fail(e);
      return true;
    }
  }

  private boolean isAdmitted(Producer<byte[], byte[]> now, Append append) {
    if (append.room.isPresent()) {
      return true;
    }
    int broker =
        now.partitionsFor(append.to.topic()).stream()
            .filter(partition -> partition.partition() == append.to.partition())
            .map(partition -> Optional.ofNullable(partition.leader()).map(Node::id))
            .findFirst()
            .flatMap(leader -> leader)
            .orElse(NO_BROKER);
    long bytes = shares.room(append.bytes);
    boolean isAdmitted = shares.take(broker, bytes);
    append.room = isAdmitted ? Optional.of(new Room(broker, bytes)) : Optional.empty();
    return isAdmitted;
  }

  /** What an append takes of a producer's buffer. */
  private record Room(int broker, long bytes) {}

  /** An append that has not ended. */
  private final class Append implements Callback {
    final TopicPartition to;
    final byte[] header;
    final byte[] value;
    final long bytes;
    final long deadlineNanos = clock.nanos() + TimeUnit.MILLISECONDS.toNanos(times.deliveryMs());
    private final Appended appended;
    private final AtomicBoolean hasEnded = new AtomicBoolean();

    /** Whether the producer refused the record; used by the sender's thread. */
    boolean isRefused;

    volatile Optional<Room> room = Optional.empty();

    Append(TopicPartition to, byte[] header, byte[] value, Appended appended) {
      this.to = to;
      this.header = header;
      this.value = value;
      this.bytes = (long) RECORD_OVERHEAD_BYTES + header.length + value.length;
      this.appended = appended;
    }

    @Override
    public void onCompletion(RecordMetadata metadata, Exception failure) {
      if (failure instanceof TimeoutException && Thread.currentThread() == thread) {
        // Called inside send, so the record was refused: batches expire on Kafka's thread.
        isRefused = true;
      } else if (failure != null) {
        fail(failure);
      } else if (metadata.hasOffset()) {
        end(Optional.of(new Placed(metadata.offset(), metadata.timestamp())));
      } else {
        // The broker had the record from an earlier attempt, and does not know its offset any more.
        end(Optional.empty());
      }
    }

    void fail(Exception failure) {
      producer.failed(failure);
      fail(failure.toString());
    }

    void fail(String reason) {
      tell(to, reason);
      end(Optional.empty());
    }

    private void end(Optional<Placed> placed) {
      if (!hasEnded.compareAndSet(false, true)) {
        return;
      }
      room.ifPresent(taken -> shares.giveBack(taken.broker(), taken.bytes()));
      bytesUnderWay.addAndGet(-bytes);
      try {
        appended.done(placed);
      } catch (RuntimeException e) {
        // Kafka's thread has to continue with other appends.
        LOG.error("a completion callback of an append failed", e);
      }
    }
  }

  private void tell(TopicPartition to, String reason) {
    long untold = untoldFailures.incrementAndGet();
    long last = toldNanos.get();
    long now = clock.nanos();
    if (!isClosed && now - last >= LOGGED_NANOS_MIN && toldNanos.compareAndSet(last, now)) {
      untoldFailures.addAndGet(-untold);
      LOG.warn(
          "{} {} failed, the last one to {}: {}; the {} may be in the log, {}",
          untold,
          carries.plural,
          to,
          reason,
          carries.plural,
          carries.next);
    }
  }

  /** Fails all appends that have not ended. */
  @Override
  public void close() {
    isClosed = true;
    thread.interrupt();
    producer.close(Duration.ofMillis(times.requestMs()));
    List<Append> left = new ArrayList<>();
    waiting.drainTo(left);
    left.forEach(append -> append.fail("this node stops"));
  }
}
