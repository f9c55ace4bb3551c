package io.tunnel.server.catalog;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.catalog.store.StoredText;
import io.tunnel.wire.control.Json;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Remembers done requests and their results by the clients' request ids, so that a retry is
 * answered and not done again. One write stores a change together with its request id. The write
 * that adds one request too many removes the oldest. For the thread that changes the catalog.
 */
final class DoneRequests {

  /** Most remembered requests of a store. */
  static final int REQUESTS_MAX = 1_000;

  /** Most characters of all results; the last request is remembered whatever its length. */
  static final long RESULT_CHARS_MAX = 4L << 20;

  private final String prefix;
  private final Map<String, Done> doneById = new HashMap<>();
  private final TreeMap<Long, String> idByNumber = new TreeMap<>();
  private long resultChars;

  /**
   * A done request.
   *
   * @param number rises with every request
   * @param what operation and target, see {@link Asked#what}
   * @param result result that answers a retry
   */
  private record Done(long number, String what, String result) {
    Done {
      Objects.requireNonNull(what, "what");
      Objects.requireNonNull(result, "result");
    }
  }

  /** Requests whose texts have names with this prefix. */
  DoneRequests(String prefix) {
    this.prefix = prefix;
  }

  /**
   * The result of a done request; empty when it was not done.
   *
   * @throws RefusedException INVALID_REQUEST when another request has its id
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

  /**
   * The changes to write together with a request's own change, so that the request is remembered.
   */
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

  /** Applies stored changes; ignores texts under other names. */
  void apply(Map<String, Optional<String>> changes) {
    changes.forEach(
        (name, text) -> {
          if (name.startsWith(prefix)) {
            String id = name.substring(prefix.length());
            forget(id);
            text.ifPresent(stored -> remember(id, StoredText.whole(name, stored, Done.class)));
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

  /** Replaces all requests with the requests among {@code texts}. */
  void replace(Map<String, String> texts) {
    doneById.clear();
    idByNumber.clear();
    resultChars = 0;
    Map<String, Optional<String>> changes = new HashMap<>();
    texts.forEach((name, text) -> changes.put(name, Optional.of(text)));
    apply(changes);
  }
}
