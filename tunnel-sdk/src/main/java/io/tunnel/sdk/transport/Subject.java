package io.tunnel.sdk.transport;

import io.tunnel.wire.Operation;

/**
 * What a request is about, as far as that says which node of a cluster decides: the node that one
 * request was sent on to is asked first with the next one of the same subject.
 *
 * @param name differs from that of every other subject
 */
public record Subject(String name) {

  /** Which tables there are. */
  public static final Subject CATALOG = new Subject("catalog");

  /** Whatever the operation is about: any node can be asked. */
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
