package io.tunnel.stress.file;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.DictionaryEntries;
import com.code_intelligence.jazzer.junit.FuzzTest;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.stress.rows.BadLineException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** Files of rows that somebody gives to a command: rows, or a reason with a line. */
@Tag("proof-fuzz")
class RowFilesFuzzTest {

  private static final FileRows.Binding BINDING =
      new FileRows.Binding(
          List.of(new PrimaryKeySchema("id", PrimaryKeyType.INTEGER)),
          List.of(),
          Map.of(),
          false,
          true);

  @TempDir private Path directory;

  @FuzzTest(maxDuration = "")
  @DictionaryEntries({
    "id,name",
    "1,a",
    "{\\x22id\\x22:1}",
    "{\\x22id\\x22:1,\\x22n\\x22:{\\x22add\\x22:1}}",
    "\\x22\\x22",
    "\\x0d\\x0a",
    "\\xef\\xbb\\xbf"
  })
  void a_file_gives_rows_or_a_reason(FuzzedDataProvider data) throws IOException {
    String ending = data.pickValue(List.of("csv", "tsv", "jsonl"));
    boolean skips = data.consumeBoolean();
    Path file = directory.resolve("rows." + ending);
    byte[] bytes = data.consumeRemainingAsBytes();
    Files.write(file, bytes);

    BadLines badLines =
        new BadLines(skips ? BadLines.Policy.SKIP : BadLines.Policy.FAIL, line -> {});
    long rows = 0;
    try (FileRows read = FileRows.open(new RowFile(file, Optional.empty()), BINDING, badLines)) {
      while (read.next() != null) {
        rows++;
      }
    } catch (IllegalArgumentException | BadLineException | UnreadableFileException e) {
      assertThat(e.getMessage()).isNotBlank();
    }
    assertThat(rows).isLessThanOrEqualTo(bytes.length);
  }
}
