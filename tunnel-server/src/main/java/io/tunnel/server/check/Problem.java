package io.tunnel.server.check;

import java.util.Objects;

/**
 * A problem that a check found in a data directory.
 *
 * @param place the file, table or tunnel with the problem
 * @param text what the check found in this place
 */
public record Problem(Kind kind, String place, String text) {

  /** Refuses null. */
  public Problem {
    Objects.requireNonNull(kind, "kind");
    Objects.requireNonNull(place, "place");
    Objects.requireNonNull(text, "text");
  }

  /** The consequence of leaving a problem alone. */
  public enum Weight {
    /** The next start corrects the problem, or the problem loses nothing. */
    NOTE,
    /** The problem loses or falsifies data, or keeps the server from starting. */
    WRONG
  }

  /** The kinds of problems, each with its remedy. */
  public enum Kind {
    /** The catalog is missing. */
    CATALOG_MISSING(Weight.WRONG, "restore the directory 'catalog' from a backup"),
    /** The catalog cannot be read. */
    CATALOG_DAMAGED(Weight.WRONG, "restore the directory 'catalog' from a backup"),
    /** Partitions of a table leave out keys, overlap, or are numbered beyond what was given out. */
    CATALOG_INCONSISTENT(Weight.WRONG, "restore the directory 'catalog' from a backup"),
    /** The log has changes of a partition that the catalog never gave out. */
    CATALOG_TOO_OLD(
        Weight.WRONG,
        "the catalog is older than the log: restore a newer 'catalog', or the complete directory"
            + " from one backup; the server would give these partitions to new tables, which would"
            + " show old changes"),
    /** Log or rows carry the origin of another catalog. */
    OF_ANOTHER_CATALOG(
        Weight.WRONG,
        "the catalog and this shard do not belong together: restore 'catalog' and the shard from"
            + " one backup. Both number their partitions alike, so no repair rebuilds rows from"
            + " this log: one table would show the changes of another"),
    /** A tunnel's table does not exist. */
    TUNNEL_WITHOUT_TABLE(Weight.WRONG, "restore the directory 'catalog' from a backup"),
    /** The files of a shard are not there, though tables have partitions in it. */
    SHARD_MISSING(
        Weight.WRONG,
        "restore the shard from a backup: the server does not start without its changes"),
    /** What retention trimmed cannot be known. */
    TRIMMED_DAMAGED(Weight.WRONG, "restore the file 'trimmed' from a backup"),
    /** Files of the log are missing. */
    LOG_GAP(Weight.WRONG, "restore the missing file of the log from a backup"),
    /** The name and the contents of a log file disagree. */
    LOG_FOREIGN(Weight.WRONG, "restore that file of the log from a backup"),
    /** A file of the log is shorter than it was. */
    LOG_CUT(
        Weight.WRONG,
        "restore that file of the log from a backup. Without one --salvage continues without it"),
    /** Bytes of the log have changed. */
    LOG_DAMAGED(
        Weight.WRONG,
        "restore that file of the log from a backup; look at the disk's own reports. Without a"
            + " backup --salvage deletes what is damaged, and nothing else"),
    /** Changes were damaged, and trimmed with consent. */
    CHANGES_GIVEN_UP(
        Weight.NOTE,
        "nothing: readers there receive HISTORY_LOST; move such a tunnel after these positions"),
    /** Changes are missing between others. */
    CHANGES_MISSING(Weight.WRONG, "restore the log of this shard from a backup"),
    /** The end of the log is what a crash leaves. */
    LOG_TORN(
        Weight.NOTE, "nothing: the server acknowledged no torn group; the next start cuts it off"),
    /** A sealed segment has no index. */
    INDEX_MISSING(
        Weight.NOTE, "nothing, or --repair: without an index each start reads the complete file"),
    /** An index is of no use. */
    INDEX_UNUSABLE(
        Weight.NOTE, "nothing, or --repair: without an index each start reads the complete file"),
    /** An index leads readers astray. */
    INDEX_WRONG(Weight.WRONG, "--repair makes the index again: readers would miss changes"),
    /** The directory of the rows is missing, and the log can rebuild the rows. */
    TABLE_MISSING(Weight.NOTE, "nothing, or --repair: the next start folds the complete log again"),
    /** The directory of the rows is missing, and the log cannot rebuild the rows. */
    TABLE_LOST(
        Weight.WRONG,
        "restore the directory 'table' of this shard from a backup: the log does not have all"
            + " changes any more. If they were damaged and deleted, --salvage makes rows of the"
            + " others"),
    /** Rows cannot be read. */
    TABLE_DAMAGED(
        Weight.WRONG,
        "--repair makes the rows again if the log still has every change; otherwise restore the"
            + " directory 'table' of this shard from a backup"),
    /** Rows were folded from changes that the log does not have. */
    TABLE_AHEAD(
        Weight.WRONG,
        "the log is older than the rows: restore the newer log. If the log is as it should be,"
            + " --repair makes the rows again from it"),
    /** Rows are older than what the log still has. */
    TABLE_TOO_OLD(Weight.WRONG, "restore a newer directory 'table' of this shard from a backup"),
    /** Rows were folded from another log. */
    TABLE_OF_ANOTHER_LOG(
        Weight.WRONG,
        "the directories 'log' and 'table' of this shard do not belong together: restore both from"
            + " one backup. If the log is as it should be, --repair makes the rows again from it"),
    /** Rows are missing. */
    ROWS_MISSING(Weight.WRONG, "--repair makes the rows again from the log"),
    /** Rows are there that no change made. */
    ROWS_EXTRA(Weight.WRONG, "--repair makes the rows again from the log"),
    /** Rows have other columns than the changes say. */
    ROWS_DIFFERENT(Weight.WRONG, "--repair makes the rows again from the log"),
    /** Rows or changes of a dropped table. */
    DROPPED_LEFT(Weight.NOTE, "nothing: they go with the next start, and with the next retention"),
    /** A tunnel has processed synced changes that the log no longer has. */
    CHECKPOINT_BEYOND(
        Weight.WRONG,
        "the log has lost acknowledged changes: restore a newer one. Otherwise the next start takes"
            + " the checkpoint back"),
    /** A tunnel has processed changes that were lost with the power, as OS durability allows. */
    CHECKPOINT_TAKEN_BACK(
        Weight.NOTE,
        "nothing: changes of this table are not synced, and the next start takes the checkpoint"
            + " back"),
    /** Retention trimmed changes that a tunnel had not processed yet. */
    HISTORY_LOST(
        Weight.NOTE,
        "move the tunnel to 'earliest' when the server runs; a longer retention keeps more");

    private final Weight weight;
    private final String advice;

    Kind(Weight weight, String advice) {
      this.weight = weight;
      this.advice = advice;
    }

    /** The consequence of leaving the problem alone. */
    public Weight weight() {
      return weight;
    }

    /** What to do. */
    public String advice() {
      return advice;
    }
  }
}
