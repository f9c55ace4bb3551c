package io.tunnel.server.replica.append;

import io.tunnel.server.replica.Incident;
import io.tunnel.server.replica.Incidents;
import io.tunnel.server.replica.append.FollowCore.Verdict;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts and logs the rare events of a {@link SharedLane}; for the shard's thread. */
final class LaneIncidents {

  private static final Logger LOG = LoggerFactory.getLogger(LaneIncidents.class);

  private final int partition;
  private final Incidents incidents;

  /** Of a lane; the lanes of a shard share {@code incidents}. */
  LaneIncidents(int partition, Incidents incidents) {
    this.partition = partition;
    this.incidents = incidents;
  }

  /** The lane appends a marker. */
  void claimed() {
    incidents.count(Incident.CLAIMED, 1);
  }

  /** The lane has read a record. */
  void read(Verdict verdict) {
    if (verdict == Verdict.FENCED || verdict == Verdict.ENDS_EPOCH) {
      incidents.count(Incident.FENCED, 1);
    }
  }

  /** A marker has no place in the log. */
  void failed() {
    incidents.count(Incident.APPEND_FAILED, 1);
  }

  /** An append has no place in the log, or the outcome stays unknown; counts an append once. */
  void failed(OwnAppend own) {
    if (own.fail()) {
      failed();
    }
  }

  /** A record of a newer build comes next, or has batches of a newer build. */
  void heldBack(String why) {
    LOG.warn(
        "partition {} of the shared log holds back: {}. This node neither serves nor leads the"
            + " partition, and no change is lost. Upgrade this node",
        partition,
        why);
  }

  /** A record is malformed. */
  void malformed(String why) {
    LOG.error("{}; this node does not serve the partition any more", why);
  }
}
