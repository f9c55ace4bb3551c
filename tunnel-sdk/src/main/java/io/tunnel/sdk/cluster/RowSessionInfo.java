package io.tunnel.sdk.cluster;

import java.time.Duration;
import java.util.Objects;

/**
 * A session that rows are bound to, for operators.
 *
 * @param id the id of the session
 * @param principal the client that opened the session; empty on a server without authentication
 * @param lease how long the session lives without a renewal
 * @param left how long the session lives from now on without a renewal; zero while it ends
 * @param rows its stored rows in all tables
 */
public record RowSessionInfo(long id, String principal, Duration lease, Duration left, long rows) {

  /** Refuses null. */
  public RowSessionInfo {
    Objects.requireNonNull(principal, "principal");
    Objects.requireNonNull(lease, "lease");
    Objects.requireNonNull(left, "left");
  }
}
