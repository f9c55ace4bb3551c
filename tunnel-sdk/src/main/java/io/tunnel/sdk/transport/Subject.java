package io.tunnel.sdk.transport;

import io.tunnel.wire.Operation;

/**
 * The subject of a request decides which node of a cluster answers: a request goes first to the
 * node that the last request about its subject was redirected to.
 *
 * @param name differs from that of every other subject
 */
public record Subject(String name) {

  /** The catalog: the set of tables, and security. */
  public static final Subject CATALOG = new Subject("catalog");

  /** The subject of an operation that any node can answer. */
  static Subject of(Operation operation) {
    return new Subject("operation " + operation);
  }

  /** The tunnels of a table. */
  public static Subject tunnels(String table) {
    return new Subject("tunnels " + table);
  }

  /** A partition of a table; its id is never used again. */
  public static Subject partition(String table, int id) {
    return new Subject("partition " + table + " " + id);
  }
}
