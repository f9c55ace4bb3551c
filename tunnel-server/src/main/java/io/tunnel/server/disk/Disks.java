package io.tunnel.server.disk;

import java.io.IOException;
import java.nio.file.Path;

/** Where logs keep their files. */
@FunctionalInterface
public interface Disks {

  /** The files of a directory, which is created when it does not exist. */
  Disk open(Path directory) throws IOException;

  /** The file system. */
  static Disks ofSystem() {
    return FileDisk::new;
  }
}
