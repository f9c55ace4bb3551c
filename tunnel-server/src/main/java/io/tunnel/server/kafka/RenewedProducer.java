package io.tunnel.server.kafka;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replaces a producer after a fatal error. The records that it was sending have failed, and may
 * still reach the log, as after any failure. Safe for use by any thread.
 *
 * @param <B> bytes, of keys and of values
 */
final class RenewedProducer<B> {

  private static final Logger LOG = LoggerFactory.getLogger(RenewedProducer.class);

  /** Least time between two producers. */
  private static final long RENEWAL_NANOS_MIN = TimeUnit.SECONDS.toNanos(1);

  private final Supplier<Producer<B, B>> producers;
  private final LongSupplier nanos;
  private Producer<B, B> producer;
  private long madeNanos;
  private boolean isClosed;
  private volatile boolean isBroken;

  RenewedProducer(Supplier<Producer<B, B>> producers, LongSupplier nanos) {
    this.producers = producers;
    this.nanos = nanos;
    this.producer = producers.get();
    this.madeNanos = nanos.getAsLong();
  }

  /** The producer, which this replaces first after a fatal error. */
  synchronized Producer<B, B> renewIfBroken() {
    boolean isTime = nanos.getAsLong() - madeNanos >= RENEWAL_NANOS_MIN;
    if (isBroken && isTime && !isClosed) {
      LOG.warn("the producer had a fatal error; replacing it");
      madeNanos = nanos.getAsLong();
      producer.close(Duration.ZERO);
      producer = producers.get();
      // After the close, which fails the records that the former producer was sending.
      isBroken = false;
    }
    return producer;
  }

  /** A record failed that the producer was sending. */
  void failed(Exception failure) {
    if (isFatal(failure)) {
      isBroken = true;
    }
  }

  /** Whether the failure ends the producer, and not only this record. */
  private static boolean isFatal(Exception failure) {
    return !(failure instanceof RetriableException
        || failure instanceof RecordTooLargeException
        || failure instanceof SerializationException
        || failure instanceof TopicAuthorizationException
        || failure instanceof InterruptException);
  }

  /** Fails the records that are not sent within {@code timeout}. */
  void close(Duration timeout) {
    Producer<B, B> last;
    synchronized (this) {
      isClosed = true;
      last = producer;
    }
    last.close(timeout);
  }
}
