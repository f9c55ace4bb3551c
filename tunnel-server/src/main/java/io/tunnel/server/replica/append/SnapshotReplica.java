package io.tunnel.server.replica.append;

import io.tunnel.server.replica.append.AppendValue.Snapshot;
import io.tunnel.server.replica.append.AppendValue.Trim;
import io.tunnel.server.replica.append.SnapshotStep.Kind;
import java.util.Optional;
import java.util.OptionalLong;

/** The state of one replica in {@link SnapshotsCore}. */
final class SnapshotReplica {

  /** A log from which records are deleted. */
  static final class Deletion {
    /** Everything before is deleted. */
    long done;

    boolean isUnderWay;
    int failures;
    long retryNanos;

    Deletion(long nowNanos) {
      retryNanos = nowNanos;
    }
  }

  final Deletion log;
  final Deletion blocks;
  final KeptBytes marks = new KeptBytes();
  SeenReplica seen;

  /** Empty until the former snapshots are known. */
  Optional<TrimCore> trims = Optional.empty();

  /** Of the newest snapshot that {@link #trims} has; 0 without one. */
  long newestId;

  long newestNanos;

  /** Bytes of the log after the newest snapshot, less those of {@code seen.bytes()}. */
  long bytesBefore;

  /** The epoch that {@link DueCore} knows. */
  OptionalLong led = OptionalLong.empty();

  /** Of {@code seen.bytes()}, those that {@link DueCore} knows. */
  long charged;

  int attempts;
  boolean isTrimming;
  long verified;
  long damaged;
  long recallNanos;
  long readNanos;
  long askNanos;
  long trimNanos;

  SnapshotReplica(SeenReplica seen, long nowNanos) {
    this.seen = seen;
    this.log = new Deletion(nowNanos);
    this.blocks = new Deletion(nowNanos);
    recallNanos = nowNanos;
    readNanos = nowNanos;
    askNanos = nowNanos;
    trimNanos = nowNanos;
    newestNanos = nowNanos;
  }

  Deletion of(Kind kind) {
    return kind == Kind.LOG ? log : blocks;
  }

  long target(Kind kind) {
    Trim trim = seen.log().trimmed();
    return kind == Kind.LOG ? trim.offset() : trim.block();
  }

  Optional<Snapshot> newest() {
    return trims.flatMap(core -> core.usable().stream().findFirst());
  }

  /** Bytes of the rows at the scan of the newest snapshot; 0 without one. */
  long rowBytes() {
    return newest().map(snapshot -> snapshot.blocks().bytes()).orElse(0L);
  }

  boolean isVerifier() {
    return led.isEmpty() || !seen.hasOthers();
  }
}
