package io.tunnel.server.replica.append;

import io.tunnel.server.replica.append.LeadCore.Role;

/** What a {@link SharedLane} does. */
enum Standing {
  /** Has not begun. */
  NEW,
  /** Reads the log. */
  READS,
  /** Leads, and knows what the log has. */
  RESTS,
  /** A record of a newer build comes next: neither leads nor reads, until the lane begins again. */
  HELD_BACK,
  /** The log lacks what the replica has, or needs: the replica has to be rebuilt. Final. */
  LOST,
  /** A record that counts has batches of a newer build, which this build cannot fold. Final. */
  OUTDATED,
  /** The log has a malformed record. Final. */
  FAILED,
  /** The node has no replica any more. Final. */
  ENDED;

  /** What a lane does that has this role, in one word for people. */
  String word(Role role) {
    return switch (this) {
      case NEW, READS, RESTS -> role.name();
      case HELD_BACK, OUTDATED -> "OUTDATED";
      case LOST, FAILED, ENDED -> "FAILED";
    };
  }

  /** Whether nothing but the end follows. */
  boolean isFinal() {
    return this == LOST || this == OUTDATED || this == FAILED || this == ENDED;
  }

  /** Whether the lane takes records, and may lead. */
  boolean isFollowing() {
    return this == READS || this == RESTS;
  }
}
