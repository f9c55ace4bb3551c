package io.tunnel.server.catalog;

import io.tunnel.server.catalog.store.StoredText;
import io.tunnel.wire.control.Json;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * The text {@code restoring} of a catalog: a restore has begun, and not ended. The restore writes
 * the note before anything else, and removes the note in the write that stores the catalog. No node
 * uses such a catalog, also no node of an earlier build, because the catalog has no form.
 *
 * @param takenMs when the backup was taken, in milliseconds since 1970
 * @param begunMs when the restore began, in milliseconds since 1970
 * @param restore a random number of the restore: two restores have different notes
 * @param beats how many times the restore has written the note again; a note that changes is of a
 *     restore that runs
 * @param hasFailed whether the restore has ended without a catalog; another restore may begin at
 *     once
 */
public record RestoreNote(long takenMs, long begunMs, long restore, long beats, boolean hasFailed) {

  private static final String NAME = "restoring";

  /** The note of a restore that begins. */
  public RestoreNote(long takenMs, long begunMs, long restore) {
    this(takenMs, begunMs, restore, 0, false);
  }

  /** The note among the texts of a catalog. */
  public static Optional<RestoreNote> in(Map<String, String> texts) {
    return Optional.ofNullable(texts.get(NAME))
        .map(text -> StoredText.whole(NAME, text, RestoreNote.class));
  }

  /** The next note of a restore that runs. */
  public RestoreNote beat() {
    return new RestoreNote(takenMs, begunMs, restore, beats + 1, false);
  }

  /** The last note of a restore that has failed. */
  public RestoreNote failed() {
    return new RestoreNote(takenMs, begunMs, restore, beats, true);
  }

  /** When the restore began, for people. */
  public String begun() {
    return Instant.ofEpochMilli(begunMs).toString();
  }

  /** The change that writes the note. */
  public Map<String, Optional<String>> noting() {
    return Map.of(NAME, Optional.of(Json.toText(this)));
  }

  /** The change that removes the note. */
  static Map<String, Optional<String>> removal() {
    return Map.of(NAME, Optional.empty());
  }

  String objection() {
    return "a restore into this cluster began at %s and has not ended, so the cluster has no catalog yet; this node changes nothing. Wait until 'tunnel cluster restore' ends. If the command has failed, run the command again"
        .formatted(begun());
  }
}
