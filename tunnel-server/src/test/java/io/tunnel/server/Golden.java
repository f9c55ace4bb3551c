package io.tunnel.server;

import io.tunnel.model.value.Bytes;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** Stored bytes that were written down once: hexadecimal, {@code #} begins a comment. */
public final class Golden {

  private Golden() {}

  /** The bytes of {@code golden/name}. */
  public static byte[] bytes(String name) {
    try (InputStream in = Golden.class.getResourceAsStream("/golden/" + name)) {
      String text =
          new String(Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8);
      return Bytes.fromHex(text.replaceAll("#.*", "").replaceAll("\\s", "")).toByteArray();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
