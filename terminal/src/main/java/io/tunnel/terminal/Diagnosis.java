package io.tunnel.terminal;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Says what an exception means to the person at the terminal. A program adds what its libraries
 * throw with {@link #or}; what nobody knows is a fault of the program.
 */
@FunctionalInterface
public interface Diagnosis {

  /** The failure that {@code trouble} is, or empty when this diagnosis does not know it. */
  Optional<CommandFailure> of(Throwable trouble);

  /**
   * Asks this diagnosis first, then {@code other} when this diagnosis does not know the failure.
   */
  default Diagnosis or(Diagnosis other) {
    return trouble -> of(trouble).or(() -> other.of(trouble));
  }

  /** Knows {@link CommandFailure}, files, and being interrupted. */
  static Diagnosis standard() {
    return Diagnosis::standard;
  }

  /** What a failure of a file or a disk means, in a clause for people. */
  static String ofFile(IOException failure) {
    return describe(failure);
  }

  private static Optional<CommandFailure> standard(Throwable trouble) {
    if (trouble instanceof CommandFailure failure) {
      return Optional.of(failure);
    }
    if (trouble instanceof InterruptedException) {
      return Optional.of(new CommandFailure(ExitCode.INTERRUPTED, "interrupted"));
    }
    if (trouble instanceof UncheckedIOException wrapper) {
      return standard(wrapper.getCause());
    }
    if (trouble instanceof IOException failure) {
      return Optional.of(CommandFailure.io(describe(failure)));
    }
    return Optional.empty();
  }

  private static String describe(IOException failure) {
    if (failure instanceof FileSystemException file) {
      return describe(file);
    }
    if (failure instanceof CharacterCodingException) {
      return "the file is not text in UTF-8";
    }
    return failure.getMessage() == null
        ? "a file could not be read or written"
        : failure.getMessage();
  }

  /** What is not there may be the directory that a new file was to be made in. */
  private static String missing(String file) {
    Path directory = Path.of(file).toAbsolutePath().getParent();
    return directory == null || Files.isDirectory(directory)
        ? "there is no file '" + file + "'"
        : "there is no directory '" + directory + "' for '" + file + "'";
  }

  private static String describe(FileSystemException failure) {
    String file = "'" + failure.getFile() + "'";
    if (failure instanceof NoSuchFileException) {
      return missing(failure.getFile());
    }
    if (failure instanceof AccessDeniedException) {
      return file + " may not be read or written by this user";
    }
    if (failure instanceof FileAlreadyExistsException) {
      return file + " exists already";
    }
    if (failure instanceof NotDirectoryException) {
      return file + " is not a directory";
    }
    return failure.getMessage();
  }
}
