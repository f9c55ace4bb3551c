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

/** Profiles, certificates and keys on disk; what is wrong with a file is said with its name. */
public final class SmallFile {

  /** Bytes of one file; a chain of certificates has a hundredth of it. */
  public static final int BYTES_MAX = 1024 * 1024;

  private static final Set<PosixFilePermission> OWNER =
      EnumSet.of(
          PosixFilePermission.OWNER_READ,
          PosixFilePermission.OWNER_WRITE,
          PosixFilePermission.OWNER_EXECUTE);

  private SmallFile() {}

  /**
   * What the file holds.
   *
   * @throws ProfileException when it cannot be read, or has more than {@value #BYTES_MAX} bytes
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

  /** What the file holds, which has to be text in UTF-8. */
  static String text(Path file) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes(file))).toString();
    } catch (CharacterCodingException e) {
      throw new ProfileException(file + " is not text in UTF-8");
    }
  }

  /** Refuses a file that others than its owner may read or change, where files have such rights. */
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
              + " is for its owner alone, and others may read or change it: chmod 600 "
              + file);
    }
  }
}
