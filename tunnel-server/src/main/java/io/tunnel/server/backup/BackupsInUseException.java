package io.tunnel.server.backup;

import java.io.IOException;
import java.nio.file.Path;

/** Another backup or restore uses the directory of backups. Retry when the other has ended. */
public final class BackupsInUseException extends IOException {

  private static final long serialVersionUID = 1L;

  BackupsInUseException(Path path) {
    super(
        path
            + " is in use by another backup or restore: wait for its end, and run the command"
            + " again");
  }
}
