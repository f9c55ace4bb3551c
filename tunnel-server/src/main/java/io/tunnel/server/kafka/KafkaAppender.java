package io.tunnel.server.kafka;

import io.tunnel.model.Bytes;
import io.tunnel.server.partition.Shard;
import io.tunnel.server.replica.SharedLog.Appended;
import io.tunnel.server.replica.SharedLog.Entry;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands appends to Kafka's producer on a thread of its own, because handing over compresses, and
 * waits when the producer knows no leader or has too much unsent. What waits here longer than a
 * delivery may take is given up, so every append ends within twice that time and a request.
 *
 * <p>A producer that lingers for nothing sends the first records while the next are handed over, so
 * a large append becomes many requests, each with its cost for the broker and for every copy that
 * reads it. One that lingers makes a small append wait for nothing. So there is one of each. What
 * one of them may still send of an append that failed is fenced by the marker that the other has
 * appended since.
 */
final class KafkaAppender implements Closeable {

  /** Appends that wait to be handed over; there is at most one of each partition. */
  static final int WAITING_MAX = 16_384;

  private static final Logger LOG = LoggerFactory.getLogger(KafkaAppender.class);

  /** An append of more entries is sent as few requests rather than at once. */
  private static final int PROMPT_ENTRIES_MAX = 64;

  private final RenewedProducer prompt;
  private final RenewedProducer gathering;
  private final KafkaConfig.Times times;
  private final Shard.Clock clock;
  private final BlockingQueue<Waiting> waiting = new LinkedBlockingQueue<>(WAITING_MAX);
  private final Thread thread;
  private volatile boolean isClosed;

  private record Waiting(
      TopicPartition to, List<Entry> entries, Appended appended, long deadlineNanos) {}

  /**
   * How producers are made.
   *
   * @param prompt those that send at once
   * @param gathering those that wait for what is handed over next
   */
  record Producers(
      Supplier<Producer<Bytes, Bytes>> prompt, Supplier<Producer<Bytes, Bytes>> gathering) {}

  KafkaAppender(Producers producers, KafkaConfig.Times times, Shard.Clock clock) {
    this.prompt = new RenewedProducer(producers.prompt(), clock::nanos);
    this.gathering = new RenewedProducer(producers.gathering(), clock::nanos);
    this.times = times;
    this.clock = clock;
    this.thread = new Thread(this::run, "kafka-append");
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  void append(TopicPartition to, List<Entry> entries, Appended appended) {
    long deadlineNanos = clock.nanos() + TimeUnit.MILLISECONDS.toNanos(times.deliveryMs());
    Waiting append = new Waiting(to, List.copyOf(entries), appended, deadlineNanos);
    if (isClosed || !waiting.offer(append)) {
      tell(appended, Optional.of(new IOException(isClosed ? "closed" : "too many appends wait")));
    } else if (isClosed && waiting.remove(append)) {
      tell(appended, Optional.of(new IOException("closed")));
    }
  }

  private void run() {
    while (!isClosed) {
      try {
        Waiting append = waiting.poll(1, TimeUnit.SECONDS);
        if (append != null) {
          handOver(append);
        }
      } catch (InterruptedException e) {
        if (!isClosed) {
          LOG.warn("interrupted; appends end");
        }
        isClosed = true;
      }
    }
    List<Waiting> left = new ArrayList<>();
    waiting.drainTo(left);
    left.forEach(append -> tell(append.appended(), Optional.of(new IOException("closed"))));
  }

  private void handOver(Waiting append) {
    int entries = append.entries().size();
    RenewedProducer sender = entries > PROMPT_ENTRIES_MAX ? gathering : prompt;
    Outcome outcome = new Outcome(entries, append.appended(), sender);
    if (append.entries().isEmpty()) {
      tell(append.appended(), Optional.empty());
    } else if (clock.nanos() - append.deadlineNanos() > 0) {
      tell(
          append.appended(),
          Optional.of(new LogUnavailableException("it waited too long to be sent", null)));
    } else {
      producer(sender, outcome, entries).ifPresent(producer -> send(producer, append, outcome));
    }
  }

  /** None if it has to be made anew and cannot be for now, as when no broker's name is known. */
  private static Optional<Producer<Bytes, Bytes>> producer(
      RenewedProducer sender, Outcome outcome, int entries) {
    try {
      return Optional.of(sender.get());
    } catch (KafkaException e) {
      outcome.fail(entries, e);
      return Optional.empty();
    }
  }

  private void send(Producer<Bytes, Bytes> sender, Waiting append, Outcome outcome) {
    int sent = 0;
    for (Entry entry : append.entries()) {
      try {
        sender.send(RecordFormat.encode(append.to(), entry), outcome);
        sent++;
      } catch (RuntimeException e) {
        // This one was not taken, and those behind it are not tried.
        outcome.fail(append.entries().size() - sent, e);
        return;
      }
      if (outcome.hasFailed()) {
        outcome.leftOut(append.entries().size() - sent);
        return;
      }
    }
  }

  /** Counts what became of the entries of one append; called by any thread. */
  private static final class Outcome implements Callback {
    private final AtomicInteger open;
    private final AtomicReference<Exception> first = new AtomicReference<>();
    private final Appended appended;
    private final RenewedProducer sender;

    Outcome(int entries, Appended appended, RenewedProducer sender) {
      this.sender = sender;
      this.open = new AtomicInteger(entries);
      this.appended = appended;
    }

    @Override
    public void onCompletion(RecordMetadata metadata, Exception failure) {
      if (failure == null) {
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

    /** They are not tried, because others failed. */
    void leftOut(int entries) {
      ended(entries);
    }

    private void ended(int entries) {
      if (entries > 0 && open.addAndGet(-entries) == 0) {
        tell(appended, Optional.ofNullable(first.get()).map(KafkaAppender::failure));
      }
    }
  }

  private static IOException failure(Exception failure) {
    return new LogUnavailableException(
        "it is not known whether all was appended: " + failure.getMessage(), failure);
  }

  private static void tell(Appended appended, Optional<IOException> failure) {
    try {
      appended.done(failure);
    } catch (RuntimeException e) {
      // Kafka's thread goes on for all others.
      LOG.error("who appended failed to hear what became of it", e);
    }
  }

  /** What was not sent yet fails. */
  @Override
  public void close() {
    isClosed = true;
    thread.interrupt();
    prompt.close(Duration.ofMillis(times.requestMs()));
    gathering.close(Duration.ofMillis(times.requestMs()));
  }
}
