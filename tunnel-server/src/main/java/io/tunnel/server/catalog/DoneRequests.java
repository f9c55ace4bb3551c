package io.tunnel.server.catalog;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.wire.control.Json;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Requests that were done, by the ids that their clients gave them, and what came of each: so one
 * that comes again is answered and not done again. An id is kept in the store of what was changed,
 * and in the write that changed it. The oldest are forgotten, by the write that adds one too many.
 * For the thread that changes the catalog.
 */
final class DoneRequests {

  /** Requests of a store that are remembered. */
  static final int REQUESTS_MAX = 1_000;

  /** Characters of all that came of them; the last is remembered whatever it takes. */
  static final long RESULT_CHARS_MAX = 4L << 20;

  private final String prefix;
  private final Map<String, Done> doneById = new HashMap<>();
  private final TreeMap<Long, String> idByNumber = new TreeMap<>();
  private long resultChars;

  /**
   * A request that was done.
   *
   * @param number rises with every request
   * @param what was asked, as {@link Asked} says it
   * @param result what is needed to answer it again
   */
  private record Done(long number, String what, String result) {
    Done {
      Objects.requireNonNull(what, "what");
      Objects.requireNonNull(result, "result");
    }
  }

  /** Those whose texts have names that begin with {@code prefix}. */
  DoneRequests(String prefix) {
    this.prefix = prefix;
  }

  /**
   * What came of the request when it was done; nothing when it was not.
   *
   * @throws RefusedException INVALID_REQUEST when its id is that of another
   */
  Optional<String> result(Asked asked) {
    Optional<Done> done = asked.id().map(doneById::get);
    if (done.isPresent() && !done.get().what().equals(asked.what())) {
      throw new RefusedException(
          ErrorCode.INVALID_REQUEST,
          "'"
              + asked.what()
              + "' has the request id of '"
              + done.get().what()
              + "'; every request needs an id of its own");
    }
    return done.map(Done::result);
  }

  /** What has to be written with the change so that the request is known to be done. */
  Map<String, Optional<String>> noting(Asked asked, String result) {
    if (asked.id().isEmpty()) {
      return Map.of();
    }
    Map<String, Optional<String>> changes = new LinkedHashMap<>();
    int count = doneById.size() + 1;
    long chars = resultChars + result.length();
    for (String oldest : idByNumber.values()) {
      if (count <= REQUESTS_MAX && chars <= RESULT_CHARS_MAX) {
        break;
      }
      changes.put(prefix + oldest, Optional.empty());
      count--;
      chars -= doneById.get(oldest).result().length();
    }
    long number = idByNumber.isEmpty() ? 1 : idByNumber.lastKey() + 1;
    Done done = new Done(number, asked.what(), result);
    changes.put(prefix + asked.id().get(), Optional.of(Json.toText(done)));
    return changes;
  }

  /** Takes over texts that are stored; those that are not of requests are left alone. */
  void apply(Map<String, Optional<String>> changes) {
    changes.forEach(
        (name, text) -> {
          if (name.startsWith(prefix)) {
            String id = name.substring(prefix.length());
            forget(id);
            text.ifPresent(stored -> remember(id, Json.ofText(stored, Done.class)));
          }
        });
  }

  private void remember(String id, Done done) {
    doneById.put(id, done);
    idByNumber.put(done.number(), id);
    resultChars += done.result().length();
  }

  private void forget(String id) {
    Done done = doneById.remove(id);
    if (done != null) {
      idByNumber.remove(done.number());
      resultChars -= done.result().length();
    }
  }

  /** Takes over everything that is stored: what is not among {@code texts} was not done. */
  void replace(Map<String, String> texts) {
    doneById.clear();
    idByNumber.clear();
    resultChars = 0;
    Map<String, Optional<String>> changes = new HashMap<>();
    texts.forEach((name, text) -> changes.put(name, Optional.of(text)));
    apply(changes);
  }
}
