package io.tunnel.server.replica;

import java.util.Objects;

/**
 * Limits of the replicas of a node.
 *
 * @param batches what may wait
 * @param times how long things may take
 * @param history what is kept on disk of old changes, and how the others are read
 * @param warmLagMax records that a replica may lag the end of the log and still be warm; an append
 *     of usual size has 1 MiB
 */
public record ReplicaConfig(Batches batches, Times times, History history, long warmLagMax) {

  /** What a node has unless the configuration says otherwise. */
  public static final ReplicaConfig DEFAULT =
      new ReplicaConfig(new Batches(32L << 20), new Times(10_000, 0), History.DEFAULT, 64);

  /**
   * Limits of what may wait.
   *
   * @param readBytesMax bytes of records that may wait in the shards of a node, each of which has
   *     an equal part, before it stops reading its log
   */
  public record Batches(long readBytesMax) {

    /** Refuses limits that cannot work. */
    public Batches {
      require(readBytesMax >= 4_096, "batches.readBytesMax is at least 4096, not " + readBytesMax);
    }
  }

  /**
   * How long things may take.
   *
   * @param outcomeDeadlineMs after which a writer is notified that the outcome of its write is
   *     unknown
   * @param readAgeMsMax how long ago the log may have confirmed what a leader has, for rows to be
   *     read there; 0 for half a session of the node
   */
  public record Times(long outcomeDeadlineMs, long readAgeMsMax) {

    /** Refuses times that cannot work. */
    public Times {
      require(
          outcomeDeadlineMs >= 1 && outcomeDeadlineMs <= 3_600_000,
          "times.outcomeDeadlineMs is 1 to 3600000, not " + outcomeDeadlineMs);
      require(
          readAgeMsMax >= 0 && readAgeMsMax <= 300_000,
          "times.readAgeMsMax is 0 to 300000, not " + readAgeMsMax);
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
    Times bound = new Times(times.outcomeDeadlineMs(), age);
    return new ReplicaConfig(batches, bound, history, warmLagMax);
  }

  private static void require(boolean holds, String message) {
    if (!holds) {
      throw new IllegalArgumentException("log.replicas." + message);
    }
  }
}
