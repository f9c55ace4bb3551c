package io.tunnel.codec;

import io.tunnel.model.value.Bytes;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/**
 * Bytes that were written down once and never change: what stands on disks and what peers of that
 * version send. Hexadecimal in any layout, with comments from {@code #} to the end of the line.
 */
public final class GoldenFile {

  private GoldenFile() {}

  /** The bytes of {@code golden/name}. */
  public static byte[] bytes(String name) {
    return Bytes.fromHex(text(name).replaceAll("#.*", "").replaceAll("\\s", "")).toByteArray();
  }

  /** The text of {@code golden/name}. */
  public static String text(String name) {
    try (InputStream in = GoldenFile.class.getResourceAsStream("/golden/" + name)) {
      return new String(Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
