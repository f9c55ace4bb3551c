package io.tunnel.cli.arguments;

import io.tunnel.model.PrimaryKey;

/**
 * A key that was typed.
 *
 * @param hashIsComputed whether its first column was left out and is the hash of the others
 */
public record TypedKey(PrimaryKey key, boolean hashIsComputed) {

  /** What to say when there is no row with that key. */
  public String notFound(String table) {
    return "table '"
        + table
        + "' has no row with the key "
        + key
        + (hashIsComputed
            ? "; the hash was computed from the other columns: give it, too, if the rows were"
                + " written with another"
            : "");
  }
}
