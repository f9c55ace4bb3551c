package io.tunnel.server.catalog;

import io.tunnel.server.catalog.store.StoredText;
import io.tunnel.wire.control.Json;
import java.util.Map;
import java.util.Optional;

/** The {@link ClockNote} as a text of the catalog. */
final class ClockRecord {

  private static final String NAME = "clock";

  private ClockRecord() {}

  /** The note among the texts of a catalog. */
  static ClockNote in(Map<String, String> texts) {
    String text = texts.get(NAME);
    return text == null ? ClockNote.NOTHING : StoredText.whole(NAME, text, ClockNote.class);
  }

  /** The change that stores a note. */
  static Map<String, Optional<String>> change(ClockNote note) {
    return Map.of(NAME, Optional.of(Json.toText(note)));
  }
}
