package io.tunnel.flink.source;

import io.tunnel.model.value.Bytes;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** State as checkpoints have it: hexadecimal, with comments behind {@code #}. */
public final class GoldenState {

  private GoldenState() {}

  /** The bytes of {@code golden/name}. */
  public static byte[] bytes(String name) throws IOException {
    try (InputStream in = GoldenState.class.getResourceAsStream("/golden/" + name)) {
      String text =
          new String(Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8);
      return Bytes.fromHex(text.replaceAll("#.*", "").replaceAll("\\s", "")).toByteArray();
    }
  }
}
