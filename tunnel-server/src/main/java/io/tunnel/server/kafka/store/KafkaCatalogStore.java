package io.tunnel.server.kafka.store;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.catalog.store.CatalogStore;
import io.tunnel.server.catalog.store.FencedStoreException;
import io.tunnel.server.catalog.store.StoreListener;
import io.tunnel.server.catalog.store.StoreUnavailableException;
import io.tunnel.server.catalog.store.UnknownOutcomeException;
import io.tunnel.server.kafka.store.StoreTransaction.Outcome;
import io.tunnel.server.kafka.store.StoreTransaction.State;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps texts in a partition of a compacted topic, as its only writer: opening the store fences the
 * former writer, ends its open transaction, and reads all texts.
 *
 * <p>A thread of the store does each write as a transaction, and the writer waits for a bounded
 * time. If the write takes longer, the writer hears that the outcome is unknown, and the store's
 * thread continues until the outcome is certain; the store accepts no other write before that. When
 * the write was stored after all, the store tells the owner on the owner's thread, and accepts the
 * next write only after the owner has applied the late one: so the owner's state never lags the
 * state that its next write builds on.
 *
 * <p>The monitor guards the write in progress and the texts; no call of Kafka or of a listener
 * happens under it.
 */
public final class KafkaCatalogStore implements CatalogStore {

  private static final Logger LOGGER = LoggerFactory.getLogger(KafkaCatalogStore.class);
  private static final Duration POLL = Duration.ofMillis(100);
  private static final long CLOSE_MS = 2_000;

  private final Producer<String, String> producer;
  private final StoreTopic topic;
  private final long writeMsMax;
  private final Owner owner;
  private final ExecutorService writer;
  private final StoreTransaction transaction;
  private final Map<String, String> texts;
  private Optional<Write> underWay = Optional.empty();
  private Optional<FencedStoreException> fenced = Optional.empty();
  private volatile boolean isClosed;

  /**
   * Longest waits.
   *
   * @param openMsMax milliseconds until the former writer is fenced and all texts are read
   * @param writeMsMax milliseconds until a write is known to be stored
   */
  public record Waits(long openMsMax, long writeMsMax) {
    /** Refuses times below 1 ms. */
    public Waits {
      if (openMsMax < 1 || writeMsMax < 1) {
        throw new IllegalArgumentException(
            "a wait is at least 1 ms, not " + openMsMax + " and " + writeMsMax);
      }
    }
  }

  /**
   * The owner of the texts.
   *
   * @param thread the thread that calls {@code listener}, and from which the owner writes
   */
  public record Owner(Executor thread, StoreListener listener) {}

  /** A write, and whether its writer still waits for it. */
  private static final class Write {
    private final Map<String, Optional<String>> changes;
    private final CompletableFuture<Outcome> done = new CompletableFuture<>();
    private boolean isLate;

    Write(Map<String, Optional<String>> changes) {
      this.changes = new LinkedHashMap<>(changes);
    }
  }

  KafkaCatalogStore(
      Producer<String, String> producer,
      Map<String, String> texts,
      StoreTopic topic,
      long writeMsMax,
      Owner owner) {
    this.producer = producer;
    this.texts = new TreeMap<>(texts);
    this.topic = topic;
    this.writeMsMax = writeMsMax;
    this.owner = owner;
    this.transaction = new StoreTransaction(producer, topic.topicPartition(), () -> isClosed);
    this.writer =
        Executors.newSingleThreadExecutor(
            task -> new Thread(task, "store-" + topic.topic() + "-" + topic.partition()));
  }

  /**
   * Becomes the only writer. Blocks for up to {@code openMsMax}.
   *
   * @param transactionalId common to the writers of this partition, and used by no writer of other
   *     partitions
   * @param nanos a clock that never goes back
   * @throws StoreUnavailableException when this was not possible in time; a retry is safe
   */
  public static KafkaCatalogStore open(
      StoreTopic topic, String transactionalId, Waits waits, LongSupplier nanos, Owner owner)
      throws StoreUnavailableException {
    long deadlineNanos = nanos.getAsLong() + TimeUnit.MILLISECONDS.toNanos(waits.openMsMax());
    Deadline deadline = () -> nanos.getAsLong() - deadlineNanos >= 0;
    Producer<String, String> producer = new KafkaProducer<>(topic.producer(transactionalId));
    try (Admin admin = Admin.create(topic.admin())) {
      LeftTransaction left =
          deadline.repeat(
              () -> LeftTransaction.look(admin, topic.topicPartition(), transactionalId));
      deadline.repeat(producer::initTransactions);
      left.end(producer, deadline);
      Map<String, String> texts = readAll(topic, deadline);
      return new KafkaCatalogStore(producer, texts, topic, waits.writeMsMax(), owner);
    } catch (KafkaException e) {
      producer.close(Duration.ZERO);
      throw new StoreUnavailableException("cannot open " + topic + ": " + e.getMessage(), e);
    }
  }

  private static Map<String, String> readAll(StoreTopic topic, Deadline deadline) {
    Map<String, String> texts = new TreeMap<>();
    try (StoreReader reader = StoreReader.open(topic)) {
      long end = reader.end();
      while (!reader.hasRead(end)) {
        if (deadline.isOver()) {
          throw new KafkaException("it was not read up to its end, " + end + ", in time");
        }
        reader.poll(POLL).forEach(changes -> CatalogStore.apply(changes, texts));
      }
    }
    return texts;
  }

  @Override
  public synchronized Map<String, String> all() {
    return Map.copyOf(texts);
  }

  @Override
  public synchronized Optional<String> text(String name) {
    return Optional.ofNullable(texts.get(name));
  }

  /**
   * {@inheritDoc}
   *
   * @throws StoreUnavailableException when the write is not stored
   * @throws UnknownOutcomeException when it is unknown whether the write is stored
   * @throws FencedStoreException when the write is not stored, and nothing can be any more
   */
  @Override
  public void write(Map<String, Optional<String>> changes) throws IOException {
    if (changes.isEmpty()) {
      return;
    }
    changes.forEach(KafkaCatalogStore::requireFits);
    Write write = new Write(changes);
    begin(write);
    Outcome outcome = await(write);
    if (outcome.state() == State.LOST && outcome.isInDoubt()) {
      throw new UnknownOutcomeException(
          "this node does not write to "
              + name()
              + " any more, and whether this was stored is not known: "
              + message(outcome),
          failure(outcome));
    }
    if (outcome.state() == State.LOST) {
      throw requireFenced();
    }
    if (outcome.state() == State.NOT_STORED) {
      throw new StoreUnavailableException(
          "nothing could be stored in " + name() + ": " + message(outcome), failure(outcome));
    }
  }

  /** False for a fenced store: the next writer finds the outcome. */
  @Override
  public synchronized boolean isInDoubt() {
    return fenced.isPresent() || underWay.filter(write -> write.isLate).isPresent();
  }

  private static void requireFits(String name, Optional<String> text) {
    long bytes = StoreTopic.bytes(name, text);
    if (bytes > StoreTopic.TEXT_BYTES_MAX) {
      throw new RefusedException(
          ErrorCode.INVALID_REQUEST,
          "what is to be stored as "
              + name
              + " takes "
              + bytes
              + " bytes; it can be at most "
              + StoreTopic.TEXT_BYTES_MAX);
    }
  }

  private synchronized void begin(Write write) throws IOException {
    if (fenced.isPresent()) {
      throw requireFenced();
    }
    if (isClosed) {
      throw new StoreUnavailableException("the store in " + name() + " is closed");
    }
    if (underWay.isPresent()) {
      throw new StoreUnavailableException(
          "it is not known yet what became of an earlier write to " + name() + "; try again later");
    }
    underWay = Optional.of(write);
    writer.execute(() -> run(write));
  }

  private Outcome await(Write write) throws StoreUnavailableException {
    Exception reason;
    try {
      return write.done.get(writeMsMax, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      reason = e;
    } catch (TimeoutException | ExecutionException e) {
      reason = e;
    }
    synchronized (this) {
      if (write.done.isDone() && !write.done.isCompletedExceptionally()) {
        return write.done.join();
      }
      write.isLate = true;
    }
    throw new UnknownOutcomeException(
        name()
            + " did not answer within "
            + writeMsMax
            + " ms; what was to be written may still be stored",
        reason);
  }

  /** Runs on the store's thread. */
  private void run(Write write) {
    Outcome outcome = transaction.write(write.changes);
    boolean isLate;
    synchronized (this) {
      isLate = write.isLate;
      if (outcome.state() == State.STORED) {
        CatalogStore.apply(write.changes, texts);
      } else if (outcome.state() == State.LOST) {
        fenced = Optional.of(fencedBy(outcome));
      }
      if (!isLate || outcome.state() == State.NOT_STORED) {
        underWay = Optional.empty();
      }
      write.done.complete(outcome);
    }
    if (outcome.state() == State.LOST) {
      tell(() -> owner.listener().fenced(requireFenced()));
    } else if (isLate) {
      LOGGER.info("a late write to {} is {}: {}", name(), outcome.state(), write.changes.keySet());
      if (outcome.state() == State.STORED) {
        tell(() -> takeOver(write));
      }
    }
  }

  /** Runs on the owner's thread. */
  private void takeOver(Write write) {
    try {
      owner.listener().stored(write.changes);
    } catch (RuntimeException e) {
      // The owner's state lags the stored texts, so the owner must not write any more.
      LOGGER.error("the owner of {} cannot apply a late write; fencing the store", name(), e);
      synchronized (this) {
        fenced =
            Optional.of(
                new FencedStoreException(
                    "this node does not write to " + name() + " any more: " + e.getMessage(), e));
      }
      owner.listener().fenced(requireFenced());
      return;
    }
    synchronized (this) {
      underWay = Optional.empty();
    }
  }

  /** Tells the owner, unless the store is closed: then the owner is stopping. */
  private void tell(Runnable what) {
    if (isClosed) {
      return;
    }
    try {
      owner.thread().execute(what);
    } catch (RejectedExecutionException e) {
      LOGGER.debug("the owner of {} is gone", name(), e);
    }
  }

  private FencedStoreException fencedBy(Outcome outcome) {
    return new FencedStoreException(
        "this node does not write to " + name() + " any more: " + message(outcome),
        failure(outcome));
  }

  /** Throws a new exception with the caller's stack trace. */
  private synchronized FencedStoreException requireFenced() {
    FencedStoreException first = fenced.orElseThrow();
    return new FencedStoreException(first.getMessage(), first.getCause());
  }

  private static String message(Outcome outcome) {
    return outcome.failure().map(Throwable::getMessage).orElse("");
  }

  private static Throwable failure(Outcome outcome) {
    return outcome.failure().orElseThrow();
  }

  private String name() {
    return topic.topic() + "-" + topic.partition();
  }

  /** Stops writing; the next writer finds the outcome of a write in progress. Idempotent. */
  @Override
  public void close() throws IOException {
    synchronized (this) {
      if (isClosed) {
        return;
      }
      isClosed = true;
    }
    try {
      producer.close(Duration.ofMillis(CLOSE_MS));
    } catch (KafkaException e) {
      throw new IOException("the producer of " + name() + " did not stop cleanly", e);
    } finally {
      writer.shutdown();
    }
  }
}
