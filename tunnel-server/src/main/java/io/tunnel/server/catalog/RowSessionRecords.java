package io.tunnel.server.catalog;

import io.tunnel.core.RowSessionCore.Session;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.store.CatalogStore;
import io.tunnel.server.catalog.store.StoredText;
import io.tunnel.wire.control.Json;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The row sessions of a server, as its catalog has them: a session without a record has ended. Only
 * the control thread changes them, and each change is durable before any thread can see it; any
 * thread may read.
 */
public final class RowSessionRecords {

  private static final String PREFIX = "rowsession/";
  private static final String GIVEN = "rowsessions";

  private final CatalogStore store;
  private final Map<Long, Session> sessions = new ConcurrentHashMap<>();
  private final long lastId;

  /** A stored session; its id is in the name of the text. */
  private record Stored(String principal, long leaseMs, Bytes proof) {}

  /** The greatest id that was ever given. */
  private record Given(long last) {}

  /** The records among the texts of a store. */
  RowSessionRecords(CatalogStore store, Map<String, String> texts) {
    this.store = store;
    texts.forEach(
        (name, text) -> {
          if (name.startsWith(PREFIX)) {
            long id = Long.parseLong(name.substring(PREFIX.length()));
            Stored stored = StoredText.whole(name, text, Stored.class);
            sessions.put(id, new Session(id, stored.principal(), stored.leaseMs(), stored.proof()));
          }
        });
    lastId = lastId(texts);
  }

  /** The greatest id that was ever given, among the texts of a catalog. */
  static long lastId(Map<String, String> texts) {
    String given = texts.get(GIVEN);
    return given == null ? 0 : StoredText.whole(GIVEN, given, Given.class).last();
  }

  /** The change that stores the greatest id that was ever given. */
  static Map<String, Optional<String>> givenUpTo(long last) {
    return Map.of(GIVEN, Optional.of(Json.toText(new Given(last))));
  }

  /** Ends all sessions among the texts of a catalog that no server has open. */
  static void end(Map<String, String> texts) {
    texts.keySet().removeIf(name -> name.startsWith(PREFIX));
  }

  /** The sessions that have not ended. */
  public List<Session> all() {
    return List.copyOf(sessions.values());
  }

  /** How many sessions have not ended. */
  public int count() {
    return sessions.size();
  }

  /** The greatest id that was given before this start. */
  public long lastId() {
    return lastId;
  }

  /** Whether a session has not ended. */
  public boolean has(long id) {
    return sessions.containsKey(id);
  }

  /** The principal of a session, the empty text for none; empty for a session that has ended. */
  public Optional<String> owner(long id) {
    return Optional.ofNullable(sessions.get(id)).map(Session::principal);
  }

  /** Whether a session has not ended, and is proved. */
  public boolean has(long id, Bytes proof) {
    Session session = sessions.get(id);
    return session != null && session.proof().equals(proof);
  }

  /**
   * Stores new sessions, all or none.
   *
   * @param given the greatest id that was ever given
   */
  public void store(List<Session> opened, long given) throws IOException {
    Map<String, Optional<String>> changes = new LinkedHashMap<>();
    for (Session session : opened) {
      Stored stored = new Stored(session.principal(), session.leaseMs(), session.proof());
      changes.put(PREFIX + session.id(), Optional.of(Json.toText(stored)));
    }
    changes.putAll(givenUpTo(given));
    store.write(changes);
    opened.forEach(session -> sessions.put(session.id(), session));
  }

  /** Removes the records of sessions, all or none: they have ended. */
  public void remove(List<Session> ended) throws IOException {
    Map<String, Optional<String>> changes = new LinkedHashMap<>();
    ended.forEach(session -> changes.put(PREFIX + session.id(), Optional.empty()));
    store.write(changes);
    ended.forEach(session -> sessions.remove(session.id()));
  }
}
