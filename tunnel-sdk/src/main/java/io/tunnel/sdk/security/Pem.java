package io.tunnel.sdk.security;

import java.nio.file.Path;
import java.util.Objects;

/** Certificates as text in PEM ({@code -----BEGIN CERTIFICATE-----}), and where the text is. */
public sealed interface Pem {

  /** In that file, which is read when a client or a worker is made. */
  static Pem file(Path file) {
    return new OfFile(file);
  }

  /** That text. */
  static Pem text(String text) {
    return new OfText(text);
  }

  /**
   * Text in a file.
   *
   * @param file which is read when a client or a worker is made
   */
  record OfFile(Path file) implements Pem {
    /** Refuses null. */
    public OfFile {
      Objects.requireNonNull(file, "file");
    }

    @Override
    public String toString() {
      return file.toString();
    }
  }

  /**
   * The text itself.
   *
   * @param text one or several certificates
   */
  record OfText(String text) implements Pem {
    /** Refuses null. */
    public OfText {
      Objects.requireNonNull(text, "text");
    }

    /** How long it is: what was given may be anything. */
    @Override
    public String toString() {
      return "PEM of " + text.length() + " characters";
    }
  }
}
