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
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands appends to Kafka's producer on a thread of its own, because handing over compresses, and
 * waits when the producer knows no leader or has too much unsent. What waits here longer than a
 * delivery may take is given up, so every append ends within twice that time and a request.
 *
 * <p>A producer that says that it cannot go on is replaced before the next append. What it was
 * sending has failed then, and may still get to the log, as with any append that fails.
 */
final class KafkaAppender implements Closeable {

  /** Appends that wait to be handed over; there is at most one of each partition. */
  static final int WAITING_MAX = 16_384;

  private static final Logger LOG = LoggerFactory.getLogger(KafkaAppender.class);

  /** Between two producers, however they fail. */
  private static final long RENEWAL_NANOS_MIN = TimeUnit.SECONDS.toNanos(1);

  private final Supplier<Producer<Bytes, Bytes>> producers;
  private final KafkaConfig.Times times;
  private final Shard.Clock clock;
  private final BlockingQueue<Waiting> waiting = new LinkedBlockingQueue<>(WAITING_MAX);
  private final Thread thread;
  private volatile boolean isClosed;
  private volatile boolean isBroken;

  /** Replaced by the appender's thread, under the monitor. */
  private Producer<Bytes, Bytes> producer;

  private long madeNanos;

  private record Waiting(
      TopicPartition to, List<Entry> entries, Appended appended, long deadlineNanos) {}

  KafkaAppender(
      Supplier<Producer<Bytes, Bytes>> producers, KafkaConfig.Times times, Shard.Clock clock) {
    this.producers = producers;
    this.producer = producers.get();
    this.madeNanos = clock.nanos();
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
        LOG.warn("interrupted; appends end");
        isClosed = true;
      }
    }
    List<Waiting> left = new ArrayList<>();
    waiting.drainTo(left);
    left.forEach(append -> tell(append.appended(), Optional.of(new IOException("closed"))));
  }

  private void handOver(Waiting append) {
    Producer<Bytes, Bytes> sender = sender();
    Outcome outcome = new Outcome(append.entries().size(), append.appended());
    if (append.entries().isEmpty()) {
      tell(append.appended(), Optional.empty());
    } else if (clock.nanos() - append.deadlineNanos() > 0) {
      tell(
          append.appended(),
          Optional.of(new LogUnavailableException("it waited too long to be sent", null)));
    } else {
      send(sender, append, outcome);
    }
  }

  /** A producer that can go on, as far as is known. */
  private synchronized Producer<Bytes, Bytes> sender() {
    boolean isTime = clock.nanos() - madeNanos >= RENEWAL_NANOS_MIN;
    if (isBroken && isTime && !isClosed) {
      LOG.warn("the producer cannot go on and is made anew");
      madeNanos = clock.nanos();
      producer.close(Duration.ZERO);
      producer = producers.get();
      // Behind the close, which fails what the former was sending.
      isBroken = false;
    }
    return producer;
  }

  /** Whether it says that the producer, and not only this record, is at an end. */
  private static boolean isFatal(Exception failure) {
    return !(failure instanceof RetriableException
        || failure instanceof RecordTooLargeException
        || failure instanceof SerializationException
        || failure instanceof TopicAuthorizationException
        || failure instanceof InterruptException);
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
  private final class Outcome implements Callback {
    private final AtomicInteger open;
    private final AtomicReference<Exception> first = new AtomicReference<>();
    private final Appended appended;

    Outcome(int entries, Appended appended) {
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
      if (isFatal(failure)) {
        isBroken = true;
      }
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

  private synchronized Producer<Bytes, Bytes> last() {
    return producer;
  }

  /** What was not sent yet fails. */
  @Override
  public void close() {
    isClosed = true;
    thread.interrupt();
    last().close(Duration.ofMillis(times.requestMs()));
  }
}
