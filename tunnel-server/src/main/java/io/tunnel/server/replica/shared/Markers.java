package io.tunnel.server.replica.shared;

import com.google.gson.JsonObject;
import io.tunnel.model.value.Bytes;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/** The values of a node's markers: for people, who the leader is; no two are the same. */
public final class Markers implements Supplier<Bytes> {

  private final String node;
  private final String incarnation;
  private final AtomicLong count = new AtomicLong();

  /**
   * Of a node.
   *
   * @param incarnation differs between two starts of the same node
   */
  public Markers(String node, String incarnation) {
    this.node = node;
    this.incarnation = incarnation;
  }

  @Override
  public Bytes get() {
    JsonObject marker = new JsonObject();
    marker.addProperty("node", node);
    marker.addProperty("incarnation", incarnation);
    marker.addProperty("claim", count.incrementAndGet());
    return Bytes.copyOf(marker.toString().getBytes(StandardCharsets.UTF_8));
  }
}
