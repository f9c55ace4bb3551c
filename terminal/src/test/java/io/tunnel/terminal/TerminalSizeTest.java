package io.tunnel.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import org.jline.nativ.CLibrary;
import org.jline.nativ.CLibrary.WinSize;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TerminalSizeTest {

  @Test
  void a_terminal_is_asked_again_after_a_resize() {
    int[] master = new int[1];
    int[] slave = new int[1];
    WinSize size = new WinSize((short) 40, (short) 132);
    assertThat(CLibrary.openpty(master, slave, null, null, size)).isZero();
    assertThat(TerminalSize.of(slave[0])).contains(new TerminalSize(132, 40));
    assertThat(Screen.isTerminal(slave[0])).isTrue();
    TerminalSize narrow = new TerminalSize(61, 20);
    CLibrary.ioctl(master[0], CLibrary.TIOCSWINSZ, new WinSize((short) 20, (short) 61));
    assertThat(TerminalSize.of(slave[0])).contains(narrow);
  }

  @Test
  void a_file_is_no_terminal(@TempDir Path directory) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(directory.resolve("f").toFile(), "rw")) {
      assertThat(file.length()).isZero();
      assertThat(TerminalSize.of(9_999)).isEmpty();
    }
  }
}
