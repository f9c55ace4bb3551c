package io.tunnel.programs.bench.beside;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.programs.bench.beside.CeilingRows.Sums;
import io.tunnel.programs.bench.peer.RowSource;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import org.junit.jupiter.api.Test;

class CeilingRowsTest {

  /** Two chunks and a bit. */
  private static final int ROWS = 2_800;

  private final ByteArrayOutputStream file = new ByteArrayOutputStream();

  private Sums write(int rows) throws IOException {
    return CeilingRows.write(rows, Channels.newChannel(file));
  }

  @Test
  void what_was_written_is_read_whatever_pieces_it_comes_in() throws IOException {
    Sums written = write(ROWS);
    byte[] bytes = file.toByteArray();
    assertThat(bytes.length).isGreaterThan(2 * CeilingRows.CHUNK_BYTES);
    for (int piece : new int[] {1_000, 65_536, bytes.length}) {
      ByteBuffer buffer = ByteBuffer.allocate(bytes.length);
      Sums read = Sums.NONE;
      for (int at = 0; at < bytes.length; at += piece) {
        buffer.put(bytes, at, Math.min(piece, bytes.length - at)).flip();
        read = read.plus(CeilingRows.read(buffer));
        buffer.compact();
      }
      assertThat(read).as("in pieces of " + piece).isEqualTo(written);
      assertThat(buffer.position()).isZero();
    }
  }

  @Test
  void the_rows_are_those_of_the_benchmarks() throws IOException {
    Sums written = write(ROWS);
    RowSource source = new RowSource(0);
    long amounts = 0;
    for (int i = 0; i < ROWS; i++) {
      amounts += source.next().amount();
    }
    assertThat(written.rows()).isEqualTo(ROWS);
    assertThat(written.amounts()).isEqualTo(amounts);
    assertThat(written.hashes()).isNotZero();
    assertThat(file.size() / ROWS).isBetween(200, 230);
  }

  @Test
  void a_bit_that_flips_is_found() throws IOException {
    var unused = write(10);
    byte[] bytes = file.toByteArray();
    for (int at = CeilingRows.HEADER_BYTES; at < bytes.length; at += 97) {
      bytes[at] ^= 4;
      assertThatThrownBy(() -> CeilingRows.read(ByteBuffer.wrap(bytes)))
          .isInstanceOf(IOException.class)
          .hasMessage("a chunk is not what its checksum says");
      bytes[at] ^= 4;
    }
  }
}
