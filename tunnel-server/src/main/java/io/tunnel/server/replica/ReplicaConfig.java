package io.tunnel.server.replica;

import io.tunnel.model.Limits;
import java.util.Objects;

/**
 * Limits of the replicas of a node.
 *
 * @param batches what is gathered and may wait
 * @param times how long things may take
 * @param history what is kept on disk of old changes, and how the others are read
 * @param warmLagMax positions that a replica may be behind the end of the log and still be warm
 */
public record ReplicaConfig(Batches batches, Times times, History history, long warmLagMax) {

  /** What a node has unless it is told otherwise. */
  public static final ReplicaConfig DEFAULT =
      new ReplicaConfig(
          new Batches(1 << 20, 10_000, 1 << 20, 16L << 20, 32L << 20, 64L << 20),
          new Times(10_000, 50, 5_000, 10_000, 0),
          History.DEFAULT,
          10_000);

  /** With the defaults of old changes. */
  public ReplicaConfig(Batches batches, Times times, long warmLagMax) {
    this(batches, times, History.DEFAULT, warmLagMax);
  }

  /**
   * Limits of what is gathered and may wait.
   *
   * @param appendBytesMax bytes of batches after which they are appended even when more wait
   * @param appendRowsMax rows after which they are appended even when more wait
   * @param mergedBytesMax bytes up to which records are put into one batch
   * @param queueBytesMax bytes of batches that may wait for one partition; further writes are BUSY
   * @param readBytesMax bytes of records that may wait in the shards of a node, each of which has
   *     an equal part, before it stops reading its log
   * @param nodeQueueBytesMax bytes of batches that may wait for all partitions of a node together
   */
  public record Batches(
      int appendBytesMax,
      int appendRowsMax,
      int mergedBytesMax,
      long queueBytesMax,
      long readBytesMax,
      long nodeQueueBytesMax) {

    private static final long READ_BYTES_MIN = 4_096;

    /** With room for the writes of a few partitions. */
    public Batches(
        int appendBytesMax,
        int appendRowsMax,
        int mergedBytesMax,
        long queueBytesMax,
        long readBytesMax) {
      this(
          appendBytesMax,
          appendRowsMax,
          mergedBytesMax,
          queueBytesMax,
          readBytesMax,
          4 * queueBytesMax);
    }

    private Batches perShard(int shards) {
      return new Batches(
          appendBytesMax,
          appendRowsMax,
          mergedBytesMax,
          queueBytesMax,
          Math.max(READ_BYTES_MIN, readBytesMax / shards),
          nodeQueueBytesMax);
    }

    /** Refuses limits that cannot work. */
    public Batches {
      require(
          appendBytesMax >= 4_096 && appendBytesMax <= 64 << 20,
          "appendBytesMax is 4096 to 67108864, not " + appendBytesMax);
      require(
          appendRowsMax >= 1 && appendRowsMax <= Limits.BATCH_ROWS_MAX,
          "appendRowsMax is 1 to 65536, not " + appendRowsMax);
      require(
          mergedBytesMax >= 4_096 && mergedBytesMax <= Limits.BATCH_BYTES_MAX,
          "mergedBytesMax is 4096 to 6291456 (what a batch may have), not " + mergedBytesMax);
      require(
          queueBytesMax >= Limits.BATCH_BYTES_MAX,
          "queueBytesMax is at least 6291456 (what a batch may have), not " + queueBytesMax);
      require(readBytesMax >= READ_BYTES_MIN, "readBytesMax is at least 4096, not " + readBytesMax);
      require(
          nodeQueueBytesMax >= Limits.BATCH_BYTES_MAX,
          "nodeQueueBytesMax is at least 6291456 (what a batch may have), not "
              + nodeQueueBytesMax);
    }
  }

  /**
   * How long things may take.
   *
   * @param outcomeDeadlineMs after which a writer is told that the outcome of its write is unknown
   * @param claimPauseMs before a claim that follows a failed one; doubled each time
   * @param claimPauseMsMax the longest such pause
   * @param youngMarginMs by how much a record must be younger than what the log may compact, for it
   *     to be certain that nothing behind it was
   * @param readAgeMsMax how long ago the log may have confirmed what a leader has, for rows to be
   *     read there; 0 for half a session of the node
   */
  public record Times(
      long outcomeDeadlineMs,
      long claimPauseMs,
      long claimPauseMsMax,
      long youngMarginMs,
      long readAgeMsMax) {

    /**
     * Times of replicas whose reads are never too old, unless {@link ReplicaConfig#boundBy} says
     * how old.
     */
    public Times(
        long outcomeDeadlineMs, long claimPauseMs, long claimPauseMsMax, long youngMarginMs) {
      this(outcomeDeadlineMs, claimPauseMs, claimPauseMsMax, youngMarginMs, 0);
    }

    /** Refuses times that cannot work. */
    public Times {
      require(
          outcomeDeadlineMs >= 1 && outcomeDeadlineMs <= 3_600_000,
          "outcomeDeadlineMs is 1 to 3600000, not " + outcomeDeadlineMs);
      require(
          claimPauseMs >= 1 && claimPauseMsMax >= claimPauseMs && claimPauseMsMax <= 3_600_000,
          "claimPauseMs is 1 to claimPauseMsMax, and that at most 3600000, not "
              + claimPauseMs
              + " and "
              + claimPauseMsMax);
      require(
          youngMarginMs >= 0 && youngMarginMs <= 3_600_000,
          "youngMarginMs is 0 to 3600000, not " + youngMarginMs);
      require(
          readAgeMsMax >= 0 && readAgeMsMax <= 300_000,
          "readAgeMsMax is 0 to 300000, not " + readAgeMsMax);
    }
  }

  /**
   * Old changes. Those that a node has no more, it reads from the shared log.
   *
   * @param localBytesMax bytes of the local logs of a node, and one segment for each shard; 0 for
   *     all that the shared log has to keep
   * @param readBytesMax bytes of records that are read together from the shared log
   * @param heldBytesMax bytes of what was read and may be asked for again, of all partitions
   * @param readPartitionsMax partitions that are read at the same time
   */
  public record History(
      long localBytesMax, int readBytesMax, long heldBytesMax, int readPartitionsMax) {

    private static final long LOCAL_BYTES_MIN = 4_096;

    /** Everything on disk, and little memory. */
    public static final History DEFAULT = new History(0, 1 << 20, 32L << 20, 8);

    /** Refuses limits that cannot work. */
    public History {
      require(
          localBytesMax == 0 || localBytesMax >= LOCAL_BYTES_MIN,
          "history.localBytesMax is 0 or at least 4096, not " + localBytesMax);
      require(
          readBytesMax >= 1 && readBytesMax <= 64 << 20,
          "history.readBytesMax is 1 to 67108864, not " + readBytesMax);
      require(
          heldBytesMax >= readBytesMax,
          "history.heldBytesMax is at least history.readBytesMax, not " + heldBytesMax);
      require(
          readPartitionsMax >= 1 && readPartitionsMax <= 1_024,
          "history.readPartitionsMax is 1 to 1024, not " + readPartitionsMax);
    }
  }

  /** Refuses limits that cannot work. */
  public ReplicaConfig {
    Objects.requireNonNull(batches, "log.replicas.batches is an object, not null");
    Objects.requireNonNull(times, "log.replicas.times is an object, not null");
    Objects.requireNonNull(history, "log.replicas.history is an object, not null");
    require(warmLagMax >= 0, "warmLagMax is at least 0, not " + warmLagMax);
  }

  /**
   * With reads that are refused before another node can take over: {@code readAgeMsMax} is less
   * than the silence after which that happens.
   */
  public ReplicaConfig boundBy(int sessionMs) {
    long age = times.readAgeMsMax() == 0 ? sessionMs / 2 : times.readAgeMsMax();
    require(
        age < sessionMs,
        "times.readAgeMsMax is less than the " + sessionMs + " ms of --session-ms, not " + age);
    Times bound =
        new Times(
            times.outcomeDeadlineMs(),
            times.claimPauseMs(),
            times.claimPauseMsMax(),
            times.youngMarginMs(),
            age);
    return new ReplicaConfig(batches, bound, history, warmLagMax);
  }

  /** Divides the limits of the node among the shards. */
  ReplicaConfig perShard(int shards) {
    long localBytes = history.localBytesMax();
    History part =
        new History(
            localBytes == 0 ? 0 : Math.max(History.LOCAL_BYTES_MIN, localBytes / shards),
            history.readBytesMax(),
            history.heldBytesMax(),
            history.readPartitionsMax());
    return new ReplicaConfig(batches.perShard(shards), times, part, warmLagMax);
  }

  private static void require(boolean holds, String message) {
    if (!holds) {
      throw new IllegalArgumentException("log.replicas." + message);
    }
  }
}
