package io.tunnel.server.kafka;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.partition.Shard;
import io.tunnel.server.replica.shared.SharedLog.Appended;
import io.tunnel.server.replica.shared.SharedLog.Entry;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
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
 * records.
 *
 * <p>Partitions do not wait for each other. The thread never blocks inside the producer, which
 * refuses a record that it has no room for or whose topic it does not know yet: the thread holds
 * such an append and hands it over again soon, from the refused record on. The thread also holds an
 * append while the broker that leads its partition has used up its share of the producer's room;
 * partitions without a leader share the room of one broker. The thread gives up an append that it
 * has held for longer than a delivery may take, so every append ends within twice that time and one
 * request. Appends to one partition are handed over in the order of their arrival.
 *
 * <p>A producer without lingering sends the first records while the next are handed over, so a
 * large append becomes many requests, each of which costs the broker and every replica. A producer
 * with lingering delays a small append in vain. So the appender has a prompt and a gathering
 * producer. Late records of a failed append, from one producer, are fenced by the marker that the
 * other producer has appended since.
 */
final class KafkaAppender implements Closeable {

  /** Most appends that wait to be handed over, at most one for each partition. */
  static final int WAITING_MAX = 16_384;

  private static final Logger LOG = LoggerFactory.getLogger(KafkaAppender.class);

  /** An append of more entries goes to the gathering producer, which sends few requests. */
  private static final int PROMPT_ENTRIES_MAX = 64;

  private static final int NO_BROKER = -1;
  private static final int ENTRY_OVERHEAD_BYTES = 64;
  private static final long HELD_PAUSE_MS = 5;
  private static final long IDLE_MS = 1_000;

  private final RenewedProducer<Bytes> prompt;
  private final RenewedProducer<Bytes> gathering;
  private final KafkaConfig.Times times;
  private final Shard.Clock clock;
  private final BlockingQueue<Append> waiting = new LinkedBlockingQueue<>(WAITING_MAX);
  private final Thread thread;
  private volatile boolean isClosed;

  /** Appends that are not handed over whole, oldest first; used by the thread only. */
  private final Deque<Append> held = new ArrayDeque<>();

  private final BrokerShares promptShares;
  private final BrokerShares gatheringShares;

  /**
   * Makes producers.
   *
   * @param prompt makes a producer that sends records at once
   * @param gathering makes a producer that waits for more records
   * @param promptBuffer buffer of a prompt producer
   * @param gatheringBuffer buffer of a gathering producer
   */
  record Producers(
      Supplier<Producer<Bytes, Bytes>> prompt,
      Supplier<Producer<Bytes, Bytes>> gathering,
      BrokerShares.Buffer promptBuffer,
      BrokerShares.Buffer gatheringBuffer) {}

  KafkaAppender(Producers producers, KafkaConfig.Times times, Shard.Clock clock) {
    this.prompt = new RenewedProducer<>(producers.prompt(), clock::nanos);
    this.gathering = new RenewedProducer<>(producers.gathering(), clock::nanos);
    this.promptShares = new BrokerShares(producers.promptBuffer());
    this.gatheringShares = new BrokerShares(producers.gatheringBuffer());
    this.times = times;
    this.clock = clock;
    this.thread = new Thread(this::run, "kafka-append");
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  void append(TopicPartition to, List<Entry> entries, Appended appended) {
    if (entries.isEmpty()) {
      tell(appended, Optional.empty());
      return;
    }
    long deadlineNanos = clock.nanos() + TimeUnit.MILLISECONDS.toNanos(times.deliveryMs());
    Append append = new Append(to, List.copyOf(entries), deadlineNanos, outcome(entries, appended));
    if (isClosed || !waiting.offer(append)) {
      tell(appended, Optional.of(new IOException(isClosed ? "closed" : "too many appends wait")));
    } else if (isClosed && waiting.remove(append)) {
      tell(appended, Optional.of(new IOException("closed")));
    }
  }

  private Outcome outcome(List<Entry> entries, Appended appended) {
    boolean isLarge = entries.size() > PROMPT_ENTRIES_MAX;
    return new Outcome(
        entries.size(),
        appended,
        isLarge ? gathering : prompt,
        isLarge ? gatheringShares : promptShares,
        thread);
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
    held.forEach(append -> append.outcome.giveUp(append.left(), new IOException("closed")));
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

  /**
   * Hands over as much as the producer takes; true when the append is handed over whole or has
   * failed.
   */
  private boolean handOver(Append append) {
    if (clock.nanos() - append.deadlineNanos > 0) {
      append.outcome.giveUp(
          append.left(),
          new LogUnavailableException("the append waited too long to be sent", null));
      return true;
    }
    try {
      Producer<Bytes, Bytes> producer = append.outcome.sender.renewIfBroken();
      return isAdmitted(producer, append) && isSent(producer, append);
    } catch (TimeoutException e) {
      return false;
    } catch (RuntimeException e) {
      // The producer refused this record, or there is no producer because no broker's name is
      // known; the records behind it are not tried.
      append.outcome.fail(append.left(), e);
      return true;
    }
  }

  private static boolean isAdmitted(Producer<Bytes, Bytes> producer, Append append) {
    if (append.outcome.hasRoom()) {
      return true;
    }
    int broker =
        producer.partitionsFor(append.to.topic()).stream()
            .filter(partition -> partition.partition() == append.to.partition())
            .map(partition -> Optional.ofNullable(partition.leader()).map(Node::id))
            .findFirst()
            .flatMap(leader -> leader)
            .orElse(NO_BROKER);
    return append.outcome.takesRoom(broker, append.bytes());
  }

  private static boolean isSent(Producer<Bytes, Bytes> producer, Append append) {
    Outcome outcome = append.outcome;
    while (append.left() > 0) {
      if (outcome.hasFailed()) {
        outcome.leftOut(append.left());
        return true;
      }
      outcome.isRefused = false;
      var unused =
          producer.send(RecordFormat.encode(append.to, append.entries.get(append.sent)), outcome);
      if (outcome.isRefused) {
        return false;
      }
      append.sent++;
    }
    return true;
  }

  /** Entries to hand over in order; used by the appender's thread. */
  private static final class Append {
    final TopicPartition to;
    final List<Entry> entries;
    final long deadlineNanos;
    final Outcome outcome;

    /** Number of entries that were handed over. */
    int sent;

    Append(TopicPartition to, List<Entry> entries, long deadlineNanos, Outcome outcome) {
      this.to = to;
      this.entries = entries;
      this.deadlineNanos = deadlineNanos;
      this.outcome = outcome;
    }

    int left() {
      return entries.size() - sent;
    }

    long bytes() {
      long bytes = 0;
      for (Entry entry : entries) {
        bytes += ENTRY_OVERHEAD_BYTES + entry.key().length();
        bytes += entry.value().map(Bytes::length).orElse(0);
      }
      return bytes;
    }
  }

  /** Counts the results of the entries of one append; called by any thread. */
  private static final class Outcome implements Callback {
    private final AtomicInteger open;
    private final AtomicReference<Exception> first = new AtomicReference<>();
    private final Appended appended;
    private final RenewedProducer<Bytes> sender;
    private final BrokerShares shares;
    private final Thread appending;

    /** Whether the producer refused the last record. */
    boolean isRefused;

    /** The room in the producer that the append has taken. */
    private volatile Optional<Room> room = Optional.empty();

    private record Room(int broker, long bytes) {}

    Outcome(
        int entries,
        Appended appended,
        RenewedProducer<Bytes> sender,
        BrokerShares shares,
        Thread appending) {
      this.sender = sender;
      this.shares = shares;
      this.appending = appending;
      this.open = new AtomicInteger(entries);
      this.appended = appended;
    }

    boolean hasRoom() {
      return room.isPresent();
    }

    boolean takesRoom(int broker, long bytes) {
      long taken = shares.room(bytes);
      boolean isTaken = shares.take(broker, taken);
      room = isTaken ? Optional.of(new Room(broker, taken)) : Optional.empty();
      return isTaken;
    }

    @Override
    public void onCompletion(RecordMetadata metadata, Exception failure) {
      if (failure instanceof TimeoutException && Thread.currentThread() == appending) {
        // Called inside send, so the record was refused: batches expire on Kafka's thread.
        isRefused = true;
      } else if (failure == null) {
        ended(1);
      } else {
        fail(1, failure);
      }
    }

    boolean hasFailed() {
      return first.get() != null;
    }

    void fail(int entries, Exception failure) {
      sender.failed(failure);
      first.compareAndSet(null, failure);
      ended(entries);
    }

    /** Fails entries that will not be sent, whatever became of the other entries. */
    void giveUp(int entries, IOException reason) {
      first.compareAndSet(null, reason);
      ended(entries);
    }

    /** Counts entries that are not sent because other entries failed. */
    void leftOut(int entries) {
      ended(entries);
    }

    private void ended(int entries) {
      if (entries > 0 && open.addAndGet(-entries) == 0) {
        room.ifPresent(taken -> shares.giveBack(taken.broker(), taken.bytes()));
        tell(appended, Optional.ofNullable(first.get()).map(KafkaAppender::failure));
      }
    }
  }

  private static IOException failure(Exception failure) {
    return new LogUnavailableException(
        "it is unknown whether all entries were appended: " + failure.getMessage(), failure);
  }

  private static void tell(Appended appended, Optional<IOException> failure) {
    try {
      appended.done(failure);
    } catch (RuntimeException e) {
      // Kafka's thread has to go on with other appends.
      LOG.error("a completion callback of an append failed", e);
    }
  }

  /** Fails all unsent records. */
  @Override
  public void close() {
    isClosed = true;
    thread.interrupt();
    prompt.close(Duration.ofMillis(times.requestMs()));
    gathering.close(Duration.ofMillis(times.requestMs()));
  }
}
