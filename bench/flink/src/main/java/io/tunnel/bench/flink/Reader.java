package io.tunnel.bench.flink;

/** Who reads. */
public enum Reader {
  /** The SDK's worker, without Flink. */
  WORKER("worker"),
  /** A Flink job with our source. */
  TUNNEL("flink tunnel"),
  /** A Flink job with Flink's source for Kafka. */
  KAFKA("flink kafka");

  private final String text;

  Reader(String text) {
    this.text = text;
  }

  /** What it is called in results. */
  public String text() {
    return text;
  }
}
