package io.tunnel.server.catalog;

import java.util.Objects;
import java.util.Optional;

/**
 * What a client asked to be changed, and the id that it gave its request, if it gave one: the same
 * for all attempts at it.
 *
 * @param what the operation and what it is about; no other request may have the same id
 * @param by the principal that asks; none where nobody is asked who they are
 */
public record Asked(Optional<String> id, String what, Optional<String> by) {

  /** A change that nobody asks for again, as nobody could tell it from another. */
  public static final Asked NAMELESS = new Asked(Optional.empty(), "");

  /** Refuses null. */
  public Asked {
    Objects.requireNonNull(id, "id");
    Objects.requireNonNull(what, "what");
    Objects.requireNonNull(by, "by");
  }

  /** Of nobody who is known. */
  public Asked(Optional<String> id, String what) {
    this(id, what, Optional.empty());
  }
}
