package io.tunnel.server.kafka.store;

import java.io.Closeable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows what another node writes to a store, from its beginning on. As long as Kafka cannot be
 * reached it waits, and then goes on where it was.
 */
public final class StoreTail implements Closeable {

  private static final Logger LOGGER = LoggerFactory.getLogger(StoreTail.class);
  private static final Duration POLL = Duration.ofMillis(500);
  private static final long RETRY_MS = 500;
  private static final long STOP_MS_MAX = 5_000;

  private final StoreTopic topic;
  private final Listener listener;
  private final StoreReader reader;
  private final Thread thread;

  /** Filled by any thread; the rest is the tail's own. */
  private final Queue<Runnable> asked = new ConcurrentLinkedQueue<>();

  private final List<Waiting> waiting = new ArrayList<>();
  private final CountDownLatch closed = new CountDownLatch(1);

  /** Is told what is stored, by the tail's thread: it must only pass it on. */
  @FunctionalInterface
  public interface Listener {

    /** Texts that were stored together, after all those that were told before. */
    void stored(Map<String, Optional<String>> changes);
  }

  /** Somebody who waits for the tail to have read to an end. */
  private record Waiting(long end, Runnable then) {}

  /** Begins to follow. */
  public StoreTail(StoreTopic topic, Listener listener) {
    this.topic = topic;
    this.listener = listener;
    this.reader = StoreReader.open(topic);
    this.thread = new Thread(this::run, "tail-" + topic.topic() + "-" + topic.partition());
    thread.start();
  }

  /**
   * Runs {@code then}, on the tail's thread, when everything has been told that was stored before
   * this call; never, if the tail is closed before. Any thread.
   */
  public void catchUp(Runnable then) {
    asked.add(then);
    reader.wakeup();
  }

  private void run() {
    try (reader) {
      while (closed.getCount() > 0) {
        try {
          step();
        } catch (WakeupException e) {
          LOGGER.trace("asked for something", e);
        } catch (KafkaException e) {
          LOGGER.warn("cannot read {} for the moment", topic, e);
          pause();
        }
      }
    } catch (InterruptedException e) {
      LOGGER.debug("the tail of {} was interrupted", topic, e);
    } catch (KafkaException e) {
      LOGGER.debug("the tail of {} did not close cleanly", topic, e);
    }
  }

  private void step() {
    if (!asked.isEmpty()) {
      // Who asks meanwhile may be told too early by this end, and is given the next.
      int count = asked.size();
      long end = reader.end();
      for (; count > 0; count--) {
        waiting.add(new Waiting(end, asked.remove()));
      }
    }
    reader.poll(POLL).forEach(listener::stored);
    List<Waiting> reached = waiting.stream().filter(each -> reader.hasRead(each.end())).toList();
    waiting.removeAll(reached);
    reached.forEach(each -> each.then().run());
  }

  private void pause() throws InterruptedException {
    if (closed.await(RETRY_MS, TimeUnit.MILLISECONDS)) {
      LOGGER.trace("closed while Kafka could not be read");
    }
  }

  /** Ceases to follow; when it returns, nothing more is told. Idempotent. */
  @Override
  public void close() {
    closed.countDown();
    reader.wakeup();
    try {
      thread.join(STOP_MS_MAX);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
