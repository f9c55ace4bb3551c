package io.tunnel.programs.torture;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What clients were told, kept outside of the server, and the judgement of what the server has.
 *
 * <p>Each write of a key carries a version: 1, 2, 3 and so on, and the next one is sent when the
 * outcome of the one before is known. So what a key's channel must hold follows from the outcomes:
 *
 * <ul>
 *   <li>every acknowledged version, once, and these in rising order;
 *   <li>a version in doubt at most once, anywhere;
 *   <li>no version that was refused.
 * </ul>
 *
 * <p>A delivered DELETE carries no version. An acknowledged one is known by its position; any other
 * is {@link #UNKNOWN_DELETE}, of which there may be as many as DELETEs are in doubt.
 *
 * <p>After a power cut, what was acknowledged behind the cut is in doubt: {@link #doubtSince}.
 */
final class WitnessCore {

  /** A DELETE that was delivered and not acknowledged. */
  static final int UNKNOWN_DELETE = 0;

  private static final byte OPEN = 0;
  private static final byte ACKNOWLEDGED = 1;
  private static final byte REFUSED = 2;

  private static final int EXAMPLES_MAX = 10;

  /** By key, the outcome of each version; version 1 is at index 0. */
  private final byte[][] outcomes;

  /** By key, how many versions there are. */
  private final int[] versions;

  /** Acknowledgements in the order in which they came: key and version. */
  private long[] journal = new long[1024];

  private int journalSize;

  /** By partition and position, the version of each acknowledged DELETE; and where it stands. */
  private final Map<Long, Integer> deleteAt = new HashMap<>();

  private final Map<Long, Long> placeOfDelete = new HashMap<>();
  private long doubts;
  private long refusals;

  WitnessCore(int keys) {
    outcomes = new byte[keys][];
    versions = new int[keys];
    Arrays.fill(outcomes, new byte[0]);
  }

  /** What does not hold; all zero when everything does. */
  record Findings(
      long lost,
      long orderViolations,
      long duplicates,
      long phantoms,
      long disagreements,
      List<String> examples) {

    static final Findings NONE = new Findings(0, 0, 0, 0, 0, List.of());

    Findings {
      examples = List.copyOf(examples);
    }

    boolean isClean() {
      return lost + orderViolations + duplicates + phantoms + disagreements == 0;
    }

    Findings plus(Findings other) {
      List<String> all = new ArrayList<>(examples);
      all.addAll(other.examples);
      return new Findings(
          lost + other.lost,
          orderViolations + other.orderViolations,
          duplicates + other.duplicates,
          phantoms + other.phantoms,
          disagreements + other.disagreements,
          all.subList(0, Math.min(all.size(), EXAMPLES_MAX)));
    }
  }

  /** The next version of a key; its outcome is open. */
  int invoke(int key) {
    int version = ++versions[key];
    if (outcomes[key].length < version) {
      outcomes[key] = Arrays.copyOf(outcomes[key], Math.max(8, 2 * version));
    }
    return version;
  }

  /** The version was acknowledged, as the change at {@code position} of {@code partition}. */
  void acknowledged(int key, int version, int partition, long position) {
    outcomes[key][version - 1] = ACKNOWLEDGED;
    if (isDelete(version)) {
      long place = ((long) partition << 48) | position;
      deleteAt.put(place, version);
      placeOfDelete.put(((long) key << 32) | version, place);
    }
    if (journalSize == journal.length) {
      journal = Arrays.copyOf(journal, 2 * journal.length);
    }
    journal[journalSize++] = ((long) key << 32) | version;
  }

  /** The version was certainly not applied. */
  void refused(int key, int version) {
    outcomes[key][version - 1] = REFUSED;
    refusals++;
  }

  /** Nobody knows whether the version was applied. */
  void inDoubt(int key, int version) {
    outcomes[key][version - 1] = OPEN;
    doubts++;
  }

  /** How many were acknowledged until now. */
  int mark() {
    return journalSize;
  }

  /** Whatever was acknowledged behind that mark may be gone. */
  void doubtSince(int mark) {
    for (int i = mark; i < journalSize; i++) {
      outcomes[(int) (journal[i] >>> 32)][(int) journal[i] - 1] = OPEN;
      Long place = placeOfDelete.remove(journal[i]);
      if (place != null) {
        // Its position may be given to another change.
        deleteAt.remove(place);
      }
    }
    doubts += journalSize - mark;
    journalSize = mark;
  }

  long doubts() {
    return doubts;
  }

  long refusals() {
    return refusals;
  }

  /** Whether that version of a row deletes it. */
  static boolean isDelete(int version) {
    return version % 11 == 0;
  }

  /** Whether that version of a row sets columns and leaves others. */
  static boolean isUpdate(int version) {
    return !isDelete(version) && version % 3 == 0;
  }

  /** The version of the DELETE that was delivered from there. */
  int deleteAt(int partition, long position) {
    return deleteAt.getOrDefault(((long) partition << 48) | position, UNKNOWN_DELETE);
  }

  /**
   * Judges.
   *
   * @param delivered by key, the versions that its channel delivered, in order
   */
  Findings judge(Map<Integer, List<Integer>> delivered) {
    Judgement judgement = new Judgement();
    for (int key = 0; key < versions.length; key++) {
      judgement.judge(key, delivered.getOrDefault(key, List.of()));
    }
    return judgement.findings();
  }

  /**
   * Rows that are older than what was acknowledged, of a table whose changes are not kept.
   *
   * @param rows by key, the version that the table has
   */
  List<String> outdated(Map<Integer, Integer> rows) {
    List<String> outdated = new ArrayList<>();
    for (int key = 0; key < versions.length; key++) {
      int acknowledged = versions[key];
      while (acknowledged > 0 && outcomes[key][acknowledged - 1] != ACKNOWLEDGED) {
        acknowledged--;
      }
      int row = rows.getOrDefault(key, 0);
      boolean mayBeDeleted = false;
      for (int version = Math.max(1, acknowledged); version <= versions[key]; version++) {
        mayBeDeleted |= isDelete(version) && outcomes[key][version - 1] != REFUSED;
      }
      if (row < acknowledged && !(row == 0 && mayBeDeleted)) {
        outdated.add(
            "key " + key + ": version " + acknowledged + " was acknowledged, the row has " + row);
      }
    }
    return outdated;
  }

  /** Counts what does not hold. */
  private final class Judgement {
    private final List<String> examples = new ArrayList<>();
    private long lost;
    private long orderViolations;
    private long duplicates;
    private long phantoms;

    void judge(int key, List<Integer> seen) {
      boolean[] isSeen = new boolean[versions[key]];
      int lastAcknowledged = 0;
      int unknownDeletes = 0;
      for (int version : seen) {
        if (version == UNKNOWN_DELETE) {
          unknownDeletes++;
        } else if (version > versions[key] || outcomes[key][version - 1] == REFUSED) {
          phantoms++;
          example(key, "version " + version + " was delivered, and was never applied");
        } else if (isSeen[version - 1]) {
          duplicates++;
          example(key, "version " + version + " was delivered twice");
        } else {
          isSeen[version - 1] = true;
          lastAcknowledged = order(key, version, lastAcknowledged);
        }
      }
      requireAll(key, isSeen, unknownDeletes);
    }

    private int order(int key, int version, int lastAcknowledged) {
      if (outcomes[key][version - 1] != ACKNOWLEDGED) {
        return lastAcknowledged;
      }
      if (version < lastAcknowledged) {
        orderViolations++;
        example(key, "version " + version + " was delivered behind " + lastAcknowledged);
      }
      return Math.max(lastAcknowledged, version);
    }

    private void requireAll(int key, boolean[] isSeen, int unknownDeletes) {
      int openDeletes = 0;
      for (int i = 0; i < isSeen.length; i++) {
        if (!isSeen[i] && outcomes[key][i] == ACKNOWLEDGED) {
          lost++;
          example(key, "version " + (i + 1) + " was acknowledged and is not delivered");
        }
        openDeletes += !isSeen[i] && outcomes[key][i] == OPEN && isDelete(i + 1) ? 1 : 0;
      }
      if (unknownDeletes > openDeletes) {
        phantoms++;
        example(key, "a DELETE was delivered that nobody has sent");
      }
    }

    private void example(int key, String text) {
      if (examples.size() < EXAMPLES_MAX) {
        examples.add("key " + key + ": " + text);
      }
    }

    Findings findings() {
      return new Findings(lost, orderViolations, duplicates, phantoms, 0, examples);
    }
  }
}
