package io.tunnel.cli.security.directory;

import io.tunnel.server.disk.DurableFiles;
import io.tunnel.terminal.CommandFailure;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A new directory with all files or none: closing it before {@link #keep} deletes the files again.
 * A file is never there in part, and other users can never read a private file.
 */
final class NewDirectory implements AutoCloseable {

  private static final Set<PosixFilePermission> OWNER_ALONE =
      PosixFilePermissions.fromString("rw-------");

  private static final Set<PosixFilePermission> ALL_READ =
      PosixFilePermissions.fromString("rw-r--r--");

  private static final Set<PosixFilePermission> OWNERS_DIRECTORY =
      EnumSet.of(
          PosixFilePermission.OWNER_READ,
          PosixFilePermission.OWNER_WRITE,
          PosixFilePermission.OWNER_EXECUTE);

  private final Path directory;
  private final boolean isMade;
  private final List<Path> written = new ArrayList<>();
  private boolean isKept;

  private NewDirectory(Path directory, boolean isMade) {
    this.directory = directory;
    this.isMade = isMade;
  }

  /**
   * Makes the directory, or takes one that is empty.
   *
   * @throws CommandFailure when there is something in it already
   */
  static NewDirectory make(Path directory) throws IOException {
    if (Files.exists(directory)) {
      requireEmpty(directory);
      restrict(directory, OWNERS_DIRECTORY);
      return new NewDirectory(directory, false);
    }
    Path parent = directory.toAbsolutePath().getParent();
    if (parent != null) {
      var unused = Files.createDirectories(parent);
    }
    var unused = Files.createDirectory(directory, attributes(parent, OWNERS_DIRECTORY));
    return new NewDirectory(directory, true);
  }

  private static void requireEmpty(Path directory) throws IOException {
    if (!Files.isDirectory(directory)) {
      throw CommandFailure.usage("'" + directory + "' is not a directory");
    }
    try (Stream<Path> files = Files.list(directory)) {
      if (files.findAny().isPresent()) {
        throw CommandFailure.usage(
            "the directory '"
                + directory
                + "' is not empty; name one that is not there yet: keys and certificates that are"
                + " in use are never written over");
      }
    }
  }

  private static boolean hasRights(Path path) throws IOException {
    return Files.getFileStore(path).supportsFileAttributeView(PosixFileAttributeView.class);
  }

  private static FileAttribute<?>[] attributes(Path beside, Set<PosixFilePermission> rights)
      throws IOException {
    return hasRights(beside)
        ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(rights)}
        : new FileAttribute<?>[0];
  }

  private static void restrict(Path path, Set<PosixFilePermission> rights) throws IOException {
    if (hasRights(path)) {
      var unused = Files.setPosixFilePermissions(path, rights);
    }
  }

  /** A file that the owner alone may read. */
  void writePrivate(String name, String text) throws IOException {
    write(name, text, OWNER_ALONE);
  }

  /** A file that all may read who may enter the directory. */
  void writePublic(String name, String text) throws IOException {
    write(name, text, ALL_READ);
  }

  private void write(String name, String text, Set<PosixFilePermission> rights) throws IOException {
    Path file = directory.resolve(name);
    Path part = directory.resolve(name + ".part");
    written.add(part);
    try (FileChannel channel =
        FileChannel.open(
            part,
            EnumSet.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
            attributes(directory, OWNER_ALONE))) {
      ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
      while (bytes.hasRemaining()) {
        var unused = channel.write(bytes);
      }
      channel.force(true);
    }
    restrict(part, rights);
    written.add(file);
    var unused = Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
  }

  /** All files are there, and stay, also when the power is lost. */
  void keep() throws IOException {
    DurableFiles.syncNames(directory);
    isKept = true;
  }

  @Override
  public void close() throws IOException {
    if (isKept) {
      return;
    }
    for (Path file : written) {
      var unused = Files.deleteIfExists(file);
    }
    if (isMade) {
      Files.delete(directory);
    }
  }
}
