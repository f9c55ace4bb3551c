package io.tunnel.server.backup.cluster;

import java.io.IOException;

/** Another restore into the cluster runs, or began at the same time. Retry when the other ends. */
public final class RestoreRunsException extends IOException {

  private static final long serialVersionUID = 1L;

  RestoreRunsException(String message) {
    super(message);
  }
}
