package io.tunnel.sdk;

import io.tunnel.model.Row;
import java.util.Iterator;

/** The rows of a range; pages are fetched while it is iterated. */
@SuppressWarnings("DoNotCallSuggester")
public final class RowRange implements Iterable<Row> {

  RowRange() {}

  @Override
  public Iterator<Row> iterator() {
    throw new UnsupportedOperationException();
  }
}
