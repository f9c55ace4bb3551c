package io.tunnel.server.catalog;

import io.tunnel.core.RowSessionCore.Session;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.store.CatalogStore;
import io.tunnel.server.catalog.store.StoredText;
import io.tunnel.wire.control.Json;
import java.io.IOException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The row sessions of a server or a cluster, as the catalog has them: a session without a record
 * has ended, if its id is not above {@link #counted}. The leader of the catalog changes them on its
 * control thread, and each change is durable before any thread can see it. Other nodes follow. Any
 * thread may read.
 */
public final class RowSessionRecords {

  private static final String PREFIX = "rowsession/";
  private static final String GIVEN = "rowsessions";

  private final Writing store;
  private final Map<Long, Session> sessions = new ConcurrentHashMap<>();

  /**
   * The greatest id that was ever given, as far as this node has read; never falls. Rises after
   * {@link #sessions} has the records, and is read before them: no session seems ended that lives.
   */
  private volatile long counted;

  /** Writes to the leader's store. */
  @FunctionalInterface
  interface Writing {
    /** As {@link CatalogStore#write}; a follower refuses with NOT_LEADER. */
    void write(Map<String, Optional<String>> changes) throws IOException;
  }

  /** A stored session; its id is in the name of the text. */
  private record Stored(String principal, long leaseMs, Bytes proof) {}

  /** The greatest id that was ever given. */
  private record Given(long last) {}

  /** Knows no session yet. */
  RowSessionRecords(Writing store) {
    this.store = store;
  }

  /** These are all texts of the catalog. */
  void replace(Map<String, String> texts) {
    Map<Long, Session> read = new HashMap<>();
    texts.forEach(
        (name, text) -> {
          if (name.startsWith(PREFIX)) {
            Session session = session(name, text);
            read.put(session.id(), session);
          }
        });
    sessions.putAll(read);
    sessions.keySet().retainAll(read.keySet());
    counted = Math.max(counted, lastId(texts));
  }

  /** One write of the leader has stored these texts. */
  void apply(Map<String, Optional<String>> changes) {
    changes.forEach(
        (name, text) -> {
          if (name.startsWith(PREFIX)) {
            text.ifPresentOrElse(
                stored -> sessions.put(id(name), session(name, stored)),
                () -> sessions.remove(id(name)));
          }
        });
    Optional<String> given = changes.getOrDefault(GIVEN, Optional.empty());
    given.ifPresent(text -> counted = Math.max(counted, lastId(Map.of(GIVEN, text))));
  }

  private static long id(String name) {
    return Long.parseLong(name.substring(PREFIX.length()));
  }

  private static Session session(String name, String text) {
    Stored stored = StoredText.whole(name, text, Stored.class);
    return new Session(id(name), stored.principal(), stored.leaseMs(), stored.proof());
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

  /** The greatest id that was given, as far as this node has read. */
  public long counted() {
    return counted;
  }

  /** Whether a session has not ended, as far as this node has read. */
  public boolean has(long id) {
    return sessions.containsKey(id);
  }

  /** Whether a session has ended for certain. */
  public boolean hasEnded(long id) {
    // The order matters: see counted.
    return id <= counted && !has(id);
  }

  /** The principal of a session, the empty text for none; empty for a session that has ended. */
  public Optional<String> owner(long id) {
    return Optional.ofNullable(sessions.get(id)).map(Session::principal);
  }

  /**
   * As {@link #owner}, for rows of a log that may be ahead of this node's catalog: the empty text
   * for a session of which this node has not read.
   */
  public Optional<String> ownerOfRow(long id) {
    boolean hasEnded = hasEnded(id);
    return hasEnded ? Optional.empty() : Optional.of(owner(id).orElse(""));
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
    apply(changes);
  }

  /** Removes the records of sessions, all or none: they have ended. */
  public void remove(List<Session> ended) throws IOException {
    Map<String, Optional<String>> changes = new LinkedHashMap<>();
    ended.forEach(session -> changes.put(PREFIX + session.id(), Optional.empty()));
    store.write(changes);
    apply(changes);
  }
}
