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
  FAILING_DISK;

  /** As it is named on the command line. */
  String optionName() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Whether it needs a disk of its own. */
  boolean needsDisk() {
    return switch (this) {
      case POWER, FULL_DISK -> true;
      case KILL, SUSPEND, FAILING_DISK -> false;
    };
  }
}
