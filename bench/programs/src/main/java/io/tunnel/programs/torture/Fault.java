package io.tunnel.programs.torture;

import java.util.Locale;

/** What is done to a server. */
enum Fault {
  /** It ends from one moment to the next (SIGKILL); what it wrote stays in the page cache. */
  KILL,
  /** It stands still for a while (SIGSTOP, SIGCONT). */
  SUSPEND,
  /** The machine goes down: only what the disk holds at that instant is there afterwards. */
  POWER,
  /** Its disk has no room left. */
  FULL_DISK,
  /** Its disk refuses to sync, and then the power goes, or the process where that cannot be had. */
  FAILING_DISK,
  /** A node is killed and starts without a directory; now and then all nodes at once. */
  EMPTY,
  /** Packets pass in one direction only: between a node, its clients and Kafka, or brokers. */
  ONE_WAY,
  /** A node gives up all that it leads, and takes part again. */
  DRAIN,
  /** A broker is killed and starts again. */
  BROKER_KILL,
  /** A broker stands still for a while. */
  BROKER_SUSPEND,
  /** The machine of a broker goes down. */
  BROKER_POWER,
  /** A broker that lacks acknowledged records comes to lead, as an operator may tell Kafka. */
  UNCLEAN;

  /** As it is named on the command line. */
  String optionName() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Whether it needs a disk of its own. */
  boolean needsDisk() {
    return switch (this) {
      case POWER, FULL_DISK, BROKER_POWER -> true;
      case KILL, SUSPEND, FAILING_DISK -> false;
      case EMPTY, ONE_WAY, DRAIN, BROKER_KILL, BROKER_SUSPEND, UNCLEAN -> false;
    };
  }

  /** Whether several nodes and brokers are needed. */
  boolean needsCluster() {
    return compareTo(FAILING_DISK) > 0;
  }

  /** Whether a broker is treated badly: all brokers must be in sync before. */
  boolean isOfBroker() {
    return compareTo(DRAIN) > 0;
  }
}
