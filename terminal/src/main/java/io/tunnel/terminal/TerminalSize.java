package io.tunnel.terminal;

import java.util.Optional;
import org.jline.nativ.CLibrary;
import org.jline.nativ.CLibrary.WinSize;

/**
 * How large a terminal is.
 *
 * @param columns characters of a line
 * @param rows lines that are seen
 */
record TerminalSize(int columns, int rows) {

  /**
   * The size of the terminal that file descriptor {@code descriptor} of this process is, asked of
   * the system; empty when it is none, or does not know its size, or this system is not known.
   */
  static Optional<TerminalSize> of(int descriptor) {
    try {
      WinSize size = new WinSize();
      if (CLibrary.ioctl(descriptor, CLibrary.TIOCGWINSZ, size) != 0) {
        return Optional.empty();
      }
      int columns = Short.toUnsignedInt(size.ws_col);
      int rows = Short.toUnsignedInt(size.ws_row);
      return columns == 0 || rows == 0
          ? Optional.empty()
          : Optional.of(new TerminalSize(columns, rows));
    } catch (LinkageError | RuntimeException noNativeCode) {
      // Another system, or nowhere to unpack the library: the width is guessed.
      return Optional.empty();
    }
  }
}
