package io.tunnel.sdk.security;

import java.nio.file.Path;
import java.util.Objects;

/** Certificates in PEM ({@code -----BEGIN CERTIFICATE-----}), in a file or as text. */
public sealed interface Pem {

  /** Certificates in a file, which is read when a client or a worker is made. */
  static Pem file(Path file) {
    return new OfFile(file);
  }

  /** Certificates in a text. */
  static Pem text(String text) {
    return new OfText(text);
  }

  /**
   * Text in a file.
   *
   * @param file the file, read when a client or a worker is made
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

    /** Shows only the length, because a program may pass a secret by mistake. */
    @Override
    public String toString() {
      return "PEM of " + text.length() + " characters";
    }
  }
}
