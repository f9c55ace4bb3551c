package io.tunnel.server.security.files;

import io.tunnel.codec.MalformedException;
import io.tunnel.codec.Utf8;
import io.tunnel.terminal.Diagnosis;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/** Reads complete files of a security directory. Each failure names the file. */
final class SmallFile {

  /** Bytes of a file. */
  static final int BYTES_MAX = 1 << 20;

  private static final Set<PosixFilePermission> OPEN =
      EnumSet.of(
          PosixFilePermission.GROUP_WRITE,
          PosixFilePermission.OTHERS_READ,
          PosixFilePermission.OTHERS_WRITE);

  private SmallFile() {}

  /**
   * The content of the file; empty when it is missing.
   *
   * @throws IOException when the file cannot be read, or has more than {@value #BYTES_MAX} bytes
   */
  static Optional<byte[]> bytes(Path file) throws IOException {
    byte[] read;
    try (InputStream in = Files.newInputStream(file)) {
      read = in.readNBytes(BYTES_MAX + 1);
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw new IOException(file + " cannot be read: " + Diagnosis.ofFile(e), e);
    }
    if (read.length > BYTES_MAX) {
      throw new IOException(
          file + " has more than " + BYTES_MAX + " bytes, which nothing in this directory needs");
    }
    return Optional.of(read);
  }

  /**
   * Refuses a file that any user of the machine may read or change, where files have such rights.
   * The group may read: a container's orchestrator gives secrets to a group.
   */
  static void requireHidden(Path file) throws IOException {
    Set<PosixFilePermission> rights;
    try {
      rights = Files.getPosixFilePermissions(file);
    } catch (UnsupportedOperationException e) {
      return; // Files have no such rights here.
    }
    if (rights.stream().anyMatch(OPEN::contains)) {
      throw new IOException(
          "every user of this machine may read or change "
              + file
              + ", with which all secrets of the catalog can be opened: chmod 600 "
              + file
              + "; and if others had the time to read it, make new keys");
    }
  }

  /** As {@link #bytes}, but the file must exist. */
  static byte[] required(Path file) throws IOException {
    Optional<byte[]> read = bytes(file);
    if (read.isEmpty()) {
      throw new IOException(
          "there is no "
              + file
              + "; make a security directory with 'tunnel security init --dir DIR'");
    }
    return read.get();
  }

  /** As {@link #bytes}, of text in UTF-8. */
  static Optional<String> text(Path file) throws IOException {
    Optional<byte[]> read = bytes(file);
    try {
      return read.map(Utf8::decodeStrictly);
    } catch (MalformedException e) {
      throw new IOException(file + " is not text in UTF-8", e);
    }
  }

  /**
   * Tells one content of a file from the next, by its time, length and inode; "none" for a file
   * that is missing or unreadable.
   */
  static String mark(Path file) {
    try {
      BasicFileAttributes seen = Files.readAttributes(file, BasicFileAttributes.class);
      return seen.lastModifiedTime() + "/" + seen.size() + "/" + seen.fileKey();
    } catch (IOException e) {
      return "none";
    }
  }
}
