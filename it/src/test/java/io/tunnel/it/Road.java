package io.tunnel.it;

import java.util.List;
import java.util.stream.Collectors;

/** The only ways of a node to the brokers, one to each. */
record Road(List<TcpProxy> ways) {

  /** Where a client of Kafka begins. */
  String bootstrap() {
    return ways.stream().map(way -> "127.0.0.1:" + way.port()).collect(Collectors.joining(","));
  }

  /** Nothing passes; see {@link TcpProxy#hold}. */
  void hold() {
    ways.forEach(TcpProxy::hold);
  }

  /** What the node says arrives, and it hears nothing. */
  void holdAnswers() {
    ways.forEach(TcpProxy::holdAnswers);
  }

  /** Everybody is told that the other is gone. */
  void cut() {
    ways.forEach(TcpProxy::cut);
  }

  /** Everything passes again. */
  void resume() {
    ways.forEach(TcpProxy::resume);
  }
}
