package io.tunnel.sdk.profile;

import io.tunnel.sdk.security.ProfileException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.Set;

/** Reads profiles, certificates and keys from disk; an error names the file. */
public final class SmallFile {

  /** Bytes of one file at most; a chain of certificates is a hundred times smaller. */
  public static final int BYTES_MAX = 1024 * 1024;

  private static final Set<PosixFilePermission> OWNER =
      EnumSet.of(
          PosixFilePermission.OWNER_READ,
          PosixFilePermission.OWNER_WRITE,
          PosixFilePermission.OWNER_EXECUTE);

  private SmallFile() {}

  /**
   * Reads the bytes of a file.
   *
   * @throws ProfileException when the file cannot be read, or has more than {@value #BYTES_MAX}
   *     bytes
   */
  public static byte[] bytes(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      byte[] bytes = in.readNBytes(BYTES_MAX + 1);
      if (bytes.length > BYTES_MAX) {
        throw new ProfileException(file + " has more than " + BYTES_MAX + " bytes");
      }
      return bytes;
    } catch (NoSuchFileException e) {
      throw new ProfileException("there is no file " + file);
    } catch (AccessDeniedException e) {
      throw new ProfileException(file + " may not be read by this user");
    } catch (IOException e) {
      throw new ProfileException(
          file
              + (Files.isDirectory(file)
                  ? " is a directory"
                  : " cannot be read: " + e.getMessage()));
    }
  }

  /** Reads the text of a file in UTF-8. */
  static String text(Path file) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes(file))).toString();
    } catch (CharacterCodingException e) {
      throw new ProfileException(file + " is not text in UTF-8");
    }
  }

  /**
   * Refuses a file that other users than the owner may read or change, if the file system knows
   * permissions.
   */
  static void requirePrivate(Path file) {
    Set<PosixFilePermission> rights;
    try {
      rights = Files.getPosixFilePermissions(file);
    } catch (UnsupportedOperationException | IOException e) {
      return; // There are no such rights here, or reading it says what is wrong.
    }
    if (!OWNER.containsAll(rights)) {
      throw new ProfileException(
          "profile "
              + file
              + " must be private, but other users may read or change it: chmod 600 "
              + file);
    }
  }
}
