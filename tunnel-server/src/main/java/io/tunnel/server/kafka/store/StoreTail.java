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
 * Follows the writes of another node to a store, from its beginning. While Kafka cannot be reached
 * the tail waits, and then resumes from the same offset.
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

  /** Filled by any thread; the tail's thread owns all other fields. */
  private final Queue<Runnable> asked = new ConcurrentLinkedQueue<>();

  private final List<Waiting> waiting = new ArrayList<>();
  private final CountDownLatch closed = new CountDownLatch(1);

  /** Hears of stored texts on the tail's thread; must return at once. */
  @FunctionalInterface
  public interface Listener {

    /** Texts that one write stored; called in the order of the writes. */
    void stored(Map<String, Optional<String>> changes);
  }

  /** An action that waits until the tail has read to an end. */
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
   * Runs {@code then} on the tail's thread, once the listener has heard all writes before this
   * call; never, if the tail is closed before. Any thread.
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
          LOGGER.trace("a request woke the tail", e);
        } catch (KafkaException e) {
          LOGGER.warn("cannot read {}; will retry", topic, e);
          pause();
        }
      }
    } catch (InterruptedException e) {
      LOGGER.debug("the tail of {} was interrupted", topic, e);
    } catch (KafkaException e) {
      LOGGER.debug("cannot close the tail of {} cleanly", topic, e);
    }
  }

  private void step() {
    if (!asked.isEmpty()) {
      // This end may be too early for requests that come during the question; they get the next
      // end.
      int count = asked.size();
      long end = reader.end();
      for (; count > 0; count--) {
        waiting.add(new Waiting(end, asked.remove()));
      }
    }
    tellReached();
    reader.poll(POLL).forEach(listener::stored);
    tellReached();
  }

  /** Before a poll, too: without new records a poll lasts long. */
  private void tellReached() {
    List<Waiting> reached = waiting.stream().filter(each -> reader.hasRead(each.end())).toList();
    waiting.removeAll(reached);
    reached.forEach(each -> each.then().run());
  }

  private void pause() throws InterruptedException {
    if (closed.await(RETRY_MS, TimeUnit.MILLISECONDS)) {
      LOGGER.trace("closed while waiting to read Kafka again");
    }
  }

  /** Stops following; when this returns, the listener hears nothing more. Idempotent. */
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
