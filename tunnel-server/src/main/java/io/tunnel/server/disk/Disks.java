package io.tunnel.server.disk;

import java.io.IOException;
import java.nio.file.Path;

/** Opens directories for the files of logs. */
@FunctionalInterface
public interface Disks {

  /** Opens a directory, or creates one. */
  Disk open(Path directory) throws IOException;

  /** The file system. */
  static Disks ofSystem() {
    return FileDisk::new;
  }
}
