package io.tunnel.server.net.audit;

import com.google.gson.annotations.SerializedName;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The audit log. Threads that serve requests turn entries into lines and add them to a bounded
 * queue; one thread writes them, so no request waits for the disk. Lines without room in the queue
 * and failed writes are counted, and the next written line says how many lines are missing.
 *
 * <p>This object's monitor guards the cores of refusals, and nothing is called under it; the files
 * belong to the writing thread.
 */
public final class AuditTrail implements Closeable {

  /** Lines in the queue. */
  static final int WAITING_MAX = 16_384;

  /** Bytes of the lines in the queue. */
  static final int WAITING_BYTES_MAX = 16 << 20;

  /** The outcome of a request that was done. */
  public static final String OK = "ok";

  /** Addresses of strangers with lines of their own in a window of refusals. */
  static final int STRANGERS_MAX = 256;

  /** Refusals of one caller with a line each in a window. */
  static final int REFUSALS_MAX = 100;

  private static final int CALLERS_MAX = 1_024;
  private static final int WRITE_BYTES = 64 * 1024;
  private static final Logger LOGGER = LoggerFactory.getLogger(AuditTrail.class);

  private final RepeatsCore strangers = new RepeatsCore(STRANGERS_MAX, 1);
  private final RepeatsCore callers = new RepeatsCore(CALLERS_MAX, REFUSALS_MAX);
  private final Queue<Line> waiting = new ArrayBlockingQueue<>(WAITING_MAX);
  private final AtomicLong waitingBytes = new AtomicLong();
  private final AtomicBoolean isWoken = new AtomicBoolean();

  /** Missing lines that no written line mentions yet. */
  private final AtomicLong unsaid = new AtomicLong();

  private final AtomicLong missing = new AtomicLong();
  private final AtomicLong written = new AtomicLong();
  private final Settings settings;
  private final AuditLines lines;
  private final AuditFile requested;
  private final AuditFile administered;
  private final Clock clock;
  private final Executor writer;
  private volatile boolean isFailing;

  /** A line in the queue. */
  private static final class Line {
    private final boolean isAdministrative;
    private final byte[] bytes;

    /**
     * @param isAdministrative whether the line goes to the administrators' file, which other
     *     requests cannot fill
     */
    Line(boolean isAdministrative, byte[] bytes) {
      this.isAdministrative = isAdministrative;
      this.bytes = bytes;
    }

    boolean isAdministrative() {
      return isAdministrative;
    }

    byte[] bytes() {
      return bytes;
    }
  }

  /** The requests that are written besides administrative requests and refusals of rights. */
  public enum Written {
    /** Nothing. */
    @SerializedName("refused")
    REFUSED,
    /** Logins, and requests that change rows, sessions or the progress of channels. */
    @SerializedName("changes")
    CHANGES,
    /** Every request. */
    @SerializedName("all")
    ALL
  }

  /**
   * The size of the audit log.
   *
   * @param requests which requests are written
   * @param bytesMax bytes after which a file is rotated
   * @param filesMax files of each kind, the open one included; the oldest is deleted
   */
  public record Settings(Written requests, long bytesMax, int filesMax) {

    /** Half a GiB for administrators, and half a GiB for all other requests. */
    public static final Settings DEFAULT = new Settings(Written.REFUSED, 64L << 20, 8);

    private static final long BYTES_MAX_MIN = 64 * 1024;
    private static final long BYTES_MAX_MAX = 16L << 30;
    private static final int FILES_MAX_MAX = 1_000;

    /** Refuses settings out of range. */
    public Settings {
      require(requests != null, "requests is refused, changes or all");
      require(
          bytesMax >= BYTES_MAX_MIN && bytesMax <= BYTES_MAX_MAX,
          "bytesMax is 65536 (64 KiB) to 17179869184 (16 GiB), not " + bytesMax);
      require(filesMax >= 1 && filesMax <= FILES_MAX_MAX, "filesMax is 1 to 1000, not " + filesMax);
    }

    private static void require(boolean holds, String message) {
      if (!holds) {
        throw new IllegalArgumentException("audit." + message);
      }
    }
  }

  /** A clock that never goes back, and milliseconds since 1970. */
  public record Clock(LongSupplier nanos, LongSupplier epochMs) {}

  /** The client, as far as the server knows it. */
  public record Who(Optional<String> principal, Optional<String> address) {}

  /**
   * A request and its outcome, without rows and secrets.
   *
   * @param resource the resource, such as {@code table:orders}
   * @param detail what the request changes, in words
   * @param outcome {@code ok}, or the reason of the refusal
   */
  public record Entry(
      Who who,
      String operation,
      Optional<String> resource,
      Optional<String> detail,
      String outcome) {}

  /**
   * The state of the audit log.
   *
   * @param written lines that were written
   * @param missing lines that could not be written
   * @param isFailing whether the last attempt to write failed
   */
  public record Figures(long written, long missing, boolean isFailing) {}

  /**
   * An audit log in {@code directory}, which the first line creates.
   *
   * @param node the node that writes, in a cluster
   * @param writer the one thread that writes
   */
  public AuditTrail(
      Settings settings, Path directory, Optional<String> node, Clock clock, Executor writer) {
    this.settings = settings;
    this.lines = new AuditLines(node);
    this.requested = new AuditFile(directory, "audit", settings);
    this.administered = new AuditFile(directory, "administration", settings);
    this.clock = clock;
    this.writer = writer;
  }

  /** Which requests are written. */
  public Written requests() {
    return settings.requests();
  }

  /** Writes an entry, soon. For any thread. */
  public void write(Entry entry) {
    offer(new Line(false, lines.of(entry, clock.epochMs().getAsLong())));
  }

  /**
   * Writes an administrator's request, soon, to separate files, so that other requests cannot
   * rotate it out.
   */
  public void writeAdministration(Entry entry) {
    offer(new Line(true, lines.of(entry, clock.epochMs().getAsLong())));
  }

  /**
   * Writes a refusal of an authenticated caller, or counts it after {@value #REFUSALS_MAX} in a
   * window.
   *
   * @param caller the key by which refusals are counted
   */
  public void writeRefusal(Entry entry, String caller) {
    if (isOwnLine(callers, caller)) {
      write(entry);
    }
  }

  /**
   * Writes a refusal of an unauthenticated client, or counts it.
   *
   * @param network the key by which refusals are counted
   */
  public void writeStranger(Entry entry, String network) {
    if (isOwnLine(strangers, network)) {
      write(entry);
    }
  }

  private synchronized boolean isOwnLine(RepeatsCore repeats, String subject) {
    return repeats.take(subject, clock.nanos().getAsLong(), clock.epochMs().getAsLong());
  }

  /** Writes the counts of windows that are over. Call it every few seconds. */
  public void tick() {
    long nowNanos = clock.nanos().getAsLong();
    List<RepeatsCore.Repeated> ofStrangers;
    List<RepeatsCore.Repeated> ofCallers;
    synchronized (this) {
      ofStrangers = strangers.ended(nowNanos);
      ofCallers = callers.ended(nowNanos);
    }
    offer(ofStrangers, ofCallers);
  }

  private void offer(List<RepeatsCore.Repeated> ofStrangers, List<RepeatsCore.Repeated> ofCallers) {
    long nowMs = clock.epochMs().getAsLong();
    ofStrangers.forEach(each -> offer(new Line(false, lines.of(each, "address", nowMs))));
    ofCallers.forEach(each -> offer(new Line(false, lines.of(each, "caller", nowMs))));
    if (unsaid.get() > 0) {
      wake();
    }
  }

  private void offer(Line line) {
    if (waitingBytes.addAndGet(line.bytes().length) > WAITING_BYTES_MAX || !waiting.offer(line)) {
      waitingBytes.addAndGet(-line.bytes().length);
      lost(1);
    }
    wake();
  }

  private void lost(long count) {
    missing.addAndGet(count);
    unsaid.addAndGet(count);
  }

  private void wake() {
    if (isWoken.compareAndSet(false, true)) {
      try {
        writer.execute(this::drain);
      } catch (RejectedExecutionException e) {
        LOGGER.trace("the server stops; what waits is written then", e);
      }
    }
  }

  private void drain() {
    isWoken.set(false);
    Queue<byte[]> requests = new ArrayDeque<>();
    Queue<byte[]> administration = new ArrayDeque<>();
    for (Line line = waiting.poll(); line != null; line = waiting.poll()) {
      waitingBytes.addAndGet(-line.bytes().length);
      (line.isAdministrative() ? administration : requests).add(line.bytes());
      if (requests.size() + administration.size() == WAITING_MAX) {
        write(requests, administration);
      }
    }
    write(requests, administration);
  }

  private void write(Queue<byte[]> requests, Queue<byte[]> administration) {
    long unsaidNow = unsaid.getAndSet(0);
    if (unsaidNow > 0
        && !append(requested, lines.missing(unsaidNow, clock.epochMs().getAsLong()), 0)) {
      unsaid.addAndGet(unsaidNow);
    }
    write(administered, administration);
    write(requested, requests);
  }

  /** Writes lines, as many at a time as the file has room for. */
  private void write(AuditFile file, Queue<byte[]> taken) {
    while (!taken.isEmpty()) {
      long room = Math.min(WRITE_BYTES, file.room());
      ByteArrayOutputStream part = new ByteArrayOutputStream();
      int count = 0;
      while (!taken.isEmpty() && (count == 0 || part.size() + taken.peek().length <= room)) {
        part.writeBytes(taken.remove());
        count++;
      }
      if (append(file, part.toByteArray(), count)) {
        written.addAndGet(count);
      }
    }
  }

  private boolean append(AuditFile file, byte[] part, int count) {
    try {
      file.append(part);
    } catch (IOException e) {
      lost(count);
      if (!isFailing) {
        LOGGER.error("the audit log cannot be written; the server goes on without it", e);
      }
      isFailing = true;
      return false;
    }
    if (isFailing) {
      LOGGER.warn("the audit log is written again; {} lines of it are missing", missing.get());
    }
    isFailing = false;
    return true;
  }

  /** The state of the audit log. For any thread. */
  public Figures figures() {
    return new Figures(written.get(), missing.get(), isFailing);
  }

  /** Writes the queue. Call it after the last entry and after the writer thread has ended. */
  @Override
  public void close() throws IOException {
    List<RepeatsCore.Repeated> ofStrangers = new ArrayList<>();
    List<RepeatsCore.Repeated> ofCallers = new ArrayList<>();
    synchronized (this) {
      ofStrangers.addAll(strangers.all());
      ofCallers.addAll(callers.all());
    }
    offer(ofStrangers, ofCallers);
    drain();
    try {
      administered.close();
    } finally {
      requested.close();
    }
  }
}
