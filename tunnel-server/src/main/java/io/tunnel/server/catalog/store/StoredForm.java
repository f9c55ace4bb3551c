package io.tunnel.server.catalog.store;

import io.tunnel.wire.control.Json;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;

/**
 * The form in which this build stores data, as one number for everything: a data directory says it
 * in {@code FORMAT}, a directory of backups in {@code BACKUP}, and the catalog of a cluster in its
 * text {@code form}. A build reads data of its own number only, so no build takes other bytes for
 * its own. A catalog whose cluster has a log of appends has the next number; see {@link
 * io.tunnel.server.catalog.LogForm}.
 *
 * @param number number of the form
 */
public record StoredForm(int number) {

  /** The form of release 0.1.0. Builds before it wrote 1, or no number into a catalog. */
  public static final int NUMBER = 2;

  private static final String NAME = "form";

  /** The number among the texts of a cluster's catalog; 0 if there is none. */
  public static int in(Map<String, String> texts) {
    String text = texts.get(NAME);
    return text == null ? 0 : Json.ofText(text, StoredForm.class).number();
  }

  /** The change that gives a new catalog a form. */
  public static Map<String, Optional<String>> noting(int number) {
    return Map.of(NAME, Optional.of(Json.toText(new StoredForm(number))));
  }

  /**
   * Refuses data of another form than {@link #NUMBER}.
   *
   * @param what names the data
   * @param number the number that the data carries; 0 for none
   * @throws IOException names the writer of the data, and the next step
   */
  public static void require(String what, int number) throws IOException {
    require(what, number, NUMBER);
  }

  /**
   * Refuses data of another form.
   *
   * @param what names the data
   * @param number the number that the data carries; 0 for none
   * @param read the number that this build reads
   * @throws IOException names the writer of the data, and the next step
   */
  public static void require(String what, int number, int read) throws IOException {
    if (number < NUMBER) {
      throw new IOException(
          what
              + " was written by a build before 0.1.0, and this build cannot read it; export the"
              + " rows with the build that wrote them, and import them here");
    }
    if (number > read) {
      throw new IOException(
          what
              + " has format "
              + number
              + ", and this build reads format "
              + read
              + "; use the build that wrote it, or a newer one");
    }
  }
}
