package io.tunnel.wire;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tunnel.codec.MalformedException;
import io.tunnel.model.value.Bytes;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Answers to writes that no server gives. */
class WriteResultTest {

  @ParameterizedTest
  @CsvSource({
    // first position, rows applied, rows rejected, index and code of each
    "0000000000000001 ffffffff 00000000, -1 and 0 rows",
    "0000000000000001 00000000 ffffffff, 0 and -1 rows",
    "0000000000000001 00010000 00000001 00000000 000f, 65536 and 1 rows",
    "0000000000000001 00000000 00000001 00000001 000f, rejects row 1 after -1",
    "0000000000000001 00000000 00000002 00000001 000f 00000001 000f, rejects row 1 after 1",
    "0000000000000001 00000001 00000001 ffffffff 000f, rejects row -1 after -1",
    "0000000000000001 00000001 00000002 00000001 000f 00000000 000f, rejects row 0 after 1",
    // bits, and a first number
    "0000000000000001 00000003 00000000 00000000, bits 0 and 0 bytes",
    "0000000000000001 00000003 00000000 00000001 0000000000000009, bits 1 and 8 bytes",
    "0000000000000001 00000003 00000000 80000001 0000000000000009, bits 80000001 and 8 bytes",
    "0000000000000001 00000003 00000000 80000000 00000000000000, is cut off",
    // what rows return: rows between, kind, columns
    "0000000000000001 00000003 00000000 00000000 0302, row 3 of 3",
    "0000000000000001 00000003 00000000 00000000 0005, a row returns 5",
    "0000000000000001 00000003 00000000 00000000 0000, a row returns 0",
    "0000000000000001 00000003 00000000 00000000 000100, row 0 returns are cut off",
    "0000000000000001 00000003 00000000 00000000 00010201, row 0 returns are cut off",
    "0000000000000001 00000003 00000000 00000000 000103010006, returns column 0 after column -1",
    "0000000000000001 00000003 00000000 00000000 00010702000301000301, column 0 after column 0"
  })
  void a_write_result_that_contradicts_itself_is_refused(String hex, String message) {
    byte[] payload = Bytes.fromHex(hex.replace(" ", "")).toByteArray();
    assertThatExceptionOfType(MalformedException.class)
        .isThrownBy(() -> WriteResult.decode(payload))
        .withMessageContaining(message);
  }
}
