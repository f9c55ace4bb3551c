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
 * The audit log. Entries are made into lines on the threads that serve requests, wait in a bounded
 * queue, and are written by one thread; nobody waits for the disk. Lines that found no room, and
 * those that could not be written, are counted, and the next line that is written says how many are
 * missing.
 *
 * <p>The cores of refusals are guarded by this object's monitor, under which nothing is called; the
 * file belongs to the thread that writes.
 */
public final class AuditTrail implements Closeable {

  /** Lines that wait to be written. */
  static final int WAITING_MAX = 16_384;

  /** Bytes of the lines that wait to be written. */
  static final int WAITING_BYTES_MAX = 16 << 20;

  /** The outcome of a request that was done. */
  public static final String OK = "ok";

  /** Addresses of strangers that have a line of their own in a window of refusals. */
  static final int STRANGERS_MAX = 256;

  /** Refusals of one caller that have a line of their own in a window. */
  static final int REFUSALS_MAX = 100;

  private static final int CALLERS_MAX = 1_024;
  private static final int WRITE_BYTES = 64 * 1024;
  private static final Logger LOGGER = LoggerFactory.getLogger(AuditTrail.class);

  private final RepeatsCore strangers = new RepeatsCore(STRANGERS_MAX, 1);
  private final RepeatsCore callers = new RepeatsCore(CALLERS_MAX, REFUSALS_MAX);
  private final Queue<Line> waiting = new ArrayBlockingQueue<>(WAITING_MAX);
  private final AtomicLong waitingBytes = new AtomicLong();
  private final AtomicBoolean isWoken = new AtomicBoolean();

  /** Lines that are missing and of which no line says so yet. */
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

  /** A line that waits for its file. */
  private static final class Line {
    private final boolean isAdministrative;
    private final byte[] bytes;

    /**
     * @param isAdministrative whether it is for the file that no other request can push it out of
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

  /** What is written beside administrative requests and refusals of rights, which always are. */
  public enum Written {
    /** Nothing. */
    @SerializedName("refused")
    REFUSED,
    /** Who is let in, and what changes rows, sessions or the progress of channels. */
    @SerializedName("changes")
    CHANGES,
    /** Every request. */
    @SerializedName("all")
    ALL
  }

  /**
   * How much is written.
   *
   * @param requests which
   * @param bytesMax bytes of a file after which the next one is begun
   * @param filesMax files of a kind that are kept, the one that is written among them; the oldest
   *     goes
   */
  public record Settings(Written requests, long bytesMax, int filesMax) {

    /** Half a GiB of what administrators do, and as much of all else. */
    public static final Settings DEFAULT = new Settings(Written.REFUSED, 64L << 20, 8);

    private static final long BYTES_MAX_MIN = 64 * 1024;
    private static final long BYTES_MAX_MAX = 16L << 30;
    private static final int FILES_MAX_MAX = 1_000;

    /** Refuses what cannot be. */
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

  /** Who asks, as far as that is known. */
  public record Who(Optional<String> principal, Optional<String> address) {}

  /**
   * What somebody asked for. No part of it is of a row, or a secret.
   *
   * @param resource what it is about, such as {@code table:orders}
   * @param detail what is to become of that, in words
   * @param outcome {@code ok}, or why it was refused
   */
  public record Entry(
      Who who,
      String operation,
      Optional<String> resource,
      Optional<String> detail,
      String outcome) {}

  /**
   * How it goes.
   *
   * @param written lines that were written
   * @param missing lines that were not
   * @param isFailing whether the last attempt to write failed
   */
  public record Figures(long written, long missing, boolean isFailing) {}

  /**
   * In a directory, which is made with the first line.
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
   * Writes what an administrator has done, soon, to files of its own: however much others ask for,
   * they push none of it out.
   */
  public void writeAdministration(Entry entry) {
    offer(new Line(true, lines.of(entry, clock.epochMs().getAsLong())));
  }

  /**
   * Writes a refusal of somebody who is let in, or counts it when there have been many.
   *
   * @param caller whose refusals are counted together
   */
  public void writeRefusal(Entry entry, String caller) {
    if (isOwnLine(callers, caller)) {
      write(entry);
    }
  }

  /**
   * Writes a refusal of somebody who is not known, or counts it.
   *
   * @param network whose refusals are counted together
   */
  public void writeStranger(Entry entry, String network) {
    if (isOwnLine(strangers, network)) {
      write(entry);
    }
  }

  private synchronized boolean isOwnLine(RepeatsCore repeats, String subject) {
    return repeats.take(subject, clock.nanos().getAsLong(), clock.epochMs().getAsLong());
  }

  /** Writes what was only counted in windows that are over; to be called every few seconds. */
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

  /** As many lines at once as the file has room for. */
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

  /** How it goes. For any thread. */
  public Figures figures() {
    return new Figures(written.get(), missing.get(), isFailing);
  }

  /** Writes what waits; when nobody has anything to say any more, and the writer is gone. */
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
