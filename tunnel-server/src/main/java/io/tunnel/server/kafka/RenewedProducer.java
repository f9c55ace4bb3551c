package io.tunnel.server.kafka;

import io.tunnel.model.value.Bytes;
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
 * A producer that is made anew when it has said that it cannot go on. What it was sending has
 * failed then, and may still get to the log, as with anything that fails. Safe for use by any
 * thread.
 */
final class RenewedProducer {

  private static final Logger LOG = LoggerFactory.getLogger(RenewedProducer.class);

  /** Between two producers, however they fail. */
  private static final long RENEWAL_NANOS_MIN = TimeUnit.SECONDS.toNanos(1);

  private final Supplier<Producer<Bytes, Bytes>> producers;
  private final LongSupplier nanos;
  private Producer<Bytes, Bytes> producer;
  private long madeNanos;
  private boolean isClosed;
  private volatile boolean isBroken;

  RenewedProducer(Supplier<Producer<Bytes, Bytes>> producers, LongSupplier nanos) {
    this.producers = producers;
    this.nanos = nanos;
    this.producer = producers.get();
    this.madeNanos = nanos.getAsLong();
  }

  /** One that can go on, as far as is known. */
  synchronized Producer<Bytes, Bytes> get() {
    boolean isTime = nanos.getAsLong() - madeNanos >= RENEWAL_NANOS_MIN;
    if (isBroken && isTime && !isClosed) {
      LOG.warn("the producer cannot go on and is made anew");
      madeNanos = nanos.getAsLong();
      producer.close(Duration.ZERO);
      producer = producers.get();
      // Behind the close, which fails what the former was sending.
      isBroken = false;
    }
    return producer;
  }

  /** Something that was sent with it failed. */
  void failed(Exception failure) {
    if (isFatal(failure)) {
      isBroken = true;
    }
  }

  /** Whether it says that the producer, and not only this record, is at an end. */
  private static boolean isFatal(Exception failure) {
    return !(failure instanceof RetriableException
        || failure instanceof RecordTooLargeException
        || failure instanceof SerializationException
        || failure instanceof TopicAuthorizationException
        || failure instanceof InterruptException);
  }

  /** What is not sent within that time fails. */
  void close(Duration timeout) {
    Producer<Bytes, Bytes> last;
    synchronized (this) {
      isClosed = true;
      last = producer;
    }
    last.close(timeout);
  }
}
