package io.tunnel.server.kafka.members;

/** A living node of the cluster has the same name, so this node must not start, or must stop. */
public final class NodeNameTakenException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  NodeNameTakenException(String message) {
    super(message);
  }
}
