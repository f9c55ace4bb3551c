package io.tunnel.it.process;

import java.util.List;
import java.util.stream.Collectors;

/** The only ways of a node to the brokers, one to each. */
public record Road(List<TcpProxy> ways) {

  /** Where a client of Kafka begins. */
  String bootstrap() {
    return ways.stream().map(way -> "127.0.0.1:" + way.port()).collect(Collectors.joining(","));
  }

  /** Nothing passes; see {@link TcpProxy#hold}. */
  public void hold() {
    ways.forEach(TcpProxy::hold);
  }

  /** Requests of the node arrive, and answers do not. */
  public void holdAnswers() {
    ways.forEach(TcpProxy::holdAnswers);
  }

  /** Ends all connections, and both sides learn of the end. */
  void cut() {
    ways.forEach(TcpProxy::cut);
  }

  /** Everything passes again. */
  public void resume() {
    ways.forEach(TcpProxy::resume);
  }
}
