package io.tunnel.server.catalog;

import io.tunnel.server.catalog.store.StoredForm;
import java.io.IOException;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;

/**
 * What a record of a cluster's shared log is. The founder of a cluster writes the form into the
 * catalog, together with identity, key and level, and no node ever changes the form: it is the
 * catalog's {@link StoredForm} number. This build serves a log of appends, and refuses a cluster
 * whose log has a record for each row. The numbers differ, so a build that does not know a form
 * refuses the catalog.
 */
public enum LogForm {
  /** A record for each row. */
  ROWS(StoredForm.NUMBER, "row"),
  /** A record for each append. */
  APPENDS(StoredForm.NUMBER + 1, "append");

  /** The form that this build serves. */
  public static final LogForm OWN = APPENDS;

  private final int number;
  private final String record;

  LogForm(int number, String record) {
    this.number = number;
    this.record = record;
  }

  /** The change that gives a new catalog this form. */
  Map<String, Optional<String>> noting() {
    return StoredForm.noting(number);
  }

  /**
   * Why a node of this form must not use a catalog: the catalog's cluster has the other form, or a
   * restore has begun and not ended. The message says what to do. Empty for a catalog without a
   * form, and for a form that this build does not know.
   *
   * @param texts texts of the catalog, as far as the node has read them
   */
  public Optional<String> objection(Map<String, String> texts) {
    if (RestoreNote.in(texts).isPresent()) {
      return Optional.of(RestoreNote.in(texts).get().objection());
    }
    return other(texts).map(this::objection);
  }

  private Optional<LogForm> other(Map<String, String> texts) {
    int found = StoredForm.in(texts);
    return Arrays.stream(values()).filter(form -> form != this && form.number == found).findFirst();
  }

  /** Whether a node of this form takes no further text of a catalog with these texts. */
  public boolean isForeign(Map<String, String> texts) {
    return other(texts).isPresent();
  }

  private String objection(LogForm found) {
    return "the log of this cluster has a record for each %s, and this node serves clusters whose log has a record for each %s. This node changes nothing. To move the tables, export them through the cluster's own nodes with 'tunnel tables export', start this node with the --cluster name of a new cluster and an empty directory, and import the tables there with 'tunnel tables import'"
        .formatted(found.record, record);
  }

  /**
   * Refuses a catalog of another form; accepts a catalog without any text, which no server has
   * founded yet.
   *
   * @param texts all texts of the catalog
   * @throws IOException says what to do
   */
  public void require(Map<String, String> texts) throws IOException {
    if (texts.isEmpty()) {
      return;
    }
    Optional<String> objection = objection(texts);
    if (objection.isPresent()) {
      throw new IOException(objection.get());
    }
    StoredForm.require("the cluster's catalog", StoredForm.in(texts), number);
  }
}
