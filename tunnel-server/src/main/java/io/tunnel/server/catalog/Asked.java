package io.tunnel.server.catalog;

import java.util.Objects;
import java.util.Optional;

/**
 * A client's request for a change, with the id that the client gave it, if any: all retries carry
 * the same id.
 *
 * @param what the operation and its target; a request with another target must have another id
 * @param by the principal that asks; absent where clients do not authenticate
 */
public record Asked(Optional<String> id, String what, Optional<String> by) {

  /** A request without an id, which is never recognized as a retry. */
  public static final Asked NAMELESS = new Asked(Optional.empty(), "");

  /** Refuses null. */
  public Asked {
    Objects.requireNonNull(id, "id");
    Objects.requireNonNull(what, "what");
    Objects.requireNonNull(by, "by");
  }

  /** A request of an unknown principal. */
  public Asked(Optional<String> id, String what) {
    this(id, what, Optional.empty());
  }
}
