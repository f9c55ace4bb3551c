package io.tunnel.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.BatchValidator;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.RowCursor;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.server.catalog.LogForm;
import io.tunnel.server.catalog.NewerCatalog;
import io.tunnel.server.engine.NewerDirectory;
import io.tunnel.server.replica.append.NewerAppends;
import io.tunnel.server.replica.snapshot.NewerBlocks;
import io.tunnel.server.table.NewerRows;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Walks the table of docs/reference/compatibility.md: real bytes of each row of the table, given to
 * their readers.
 */
class CompatibilityPageTest {

  private static final Pattern ROW = Pattern.compile("\\| `([a-z-]+)` \\|.*\\| ([a-z ]+) \\|");

  /** Attribute 1000, which may be skipped, and 1001, which must be understood. */
  private static final Bytes EVEN = Bytes.fromHex("e8070101");

  private static final Bytes ODD = Bytes.fromHex("e9070101");

  @TempDir private Path directory;

  private final Map<String, Callable<String>> cases = new LinkedHashMap<>();

  @Test
  void each_row_of_the_page_is_what_the_code_does() throws Exception {
    addBatches();
    addAppends();
    addBlocks();
    addStoredRows();
    NewerCatalog.addTo(cases);
    cases.put(
        "directory-format", () -> refusal(() -> NewerDirectory.open(directory), "has format 3"));
    cases.put("log-form", CompatibilityPageTest::openFormerLog);
    Map<String, String> page = page();
    assertThat(page.keySet()).containsExactlyInAnyOrderElementsOf(cases.keySet());
    Map<String, String> done = new TreeMap<>();
    for (Map.Entry<String, Callable<String>> each : cases.entrySet()) {
      done.put(each.getKey(), each.getValue().call());
    }
    assertThat(done).isEqualTo(new TreeMap<>(page));
  }

  private static Map<String, String> page() throws IOException {
    Map<String, String> rows = new LinkedHashMap<>();
    for (String line : Files.readAllLines(Path.of("../docs/reference/compatibility.md"))) {
      Matcher row = ROW.matcher(line);
      if (row.matches()) {
        assertThat(rows.put(row.group(1), row.group(2))).as(row.group(1)).isNull();
      }
    }
    return rows;
  }

  /** What code does that throws, or returns "skips". */
  private static String refusal(Callable<?> code, String name) throws Exception {
    try {
      Object done = code.call();
      return done instanceof String text ? text : "skips";
    } catch (RuntimeException | IOException e) {
      return e.getMessage().contains(name) ? "refuses" : "is lost: " + e;
    }
  }

  private static String read(ChangeBatch batch, boolean isKept) {
    RowCursor row = batch.rows();
    while (row.next()) {
      var unused = row.columns().next();
    }
    return isKept ? "skips" : "drops";
  }

  private static ChangeBatch plain() {
    return TestRows.batch(1, TestRows.put("a", new Column("c", ColumnValue.fromLong(1))));
  }

  private static String readChanged(int at, int value) {
    byte[] bytes = plain().array().clone();
    bytes[at] = (byte) value;
    BatchBuilder.stamp(bytes, 0, 0, 0);
    return read(ChangeBatch.parse(bytes, 0, bytes.length), true);
  }

  private static String write(ChangeBatch batch) {
    var unused = new BatchValidator(TestRows.SCHEMA).require(batch, Bytes.EMPTY, Bytes.EMPTY);
    return "takes";
  }

  private void addBatches() {
    cases.put("batch-format", () -> refusal(() -> readChanged(8, 2), "a batch of format 2"));
    cases.put("batch-bit", () -> refusal(() -> readChanged(9, 0x82), "attributes bit 1, bit 7"));
    cases.put(
        "batch-even",
        () -> {
          ChangeBatch batch = NewerBatches.batch(1, EVEN, TestRows.put("a"));
          return refusal(() -> read(batch, batch.attributes().equals(EVEN)), "?");
        });
    cases.put(
        "batch-odd",
        () ->
            refusal(
                () -> read(NewerBatches.batch(1, ODD, TestRows.put("a")), true),
                "attribute 1001 of a batch"));
    cases.put("row-bit", () -> refusal(() -> readChanged(41, 0x21), "a row with flags 33"));
    cases.put(
        "row-even",
        () -> {
          ChangeBatch batch = NewerBatches.rows(1, EVEN, TestRows.put("a"));
          RowCursor row = batch.rows();
          return refusal(() -> read(batch, row.next() && row.attributes().equals(EVEN)), "?");
        });
    cases.put(
        "row-odd",
        () ->
            refusal(
                () -> read(NewerBatches.rows(1, ODD, TestRows.put("a")), true),
                "attribute 1001 of a row"));
    cases.put(
        "write-batch-even",
        () ->
            refusal(
                () -> write(NewerBatches.batch(1, EVEN, TestRows.put("a"))),
                "attribute 1000 of a batch"));
    cases.put(
        "write-row-even",
        () ->
            refusal(
                () -> write(NewerBatches.rows(1, EVEN, TestRows.put("a"))),
                "attribute 1000 of a row"));
  }

  private void addAppends() {
    cases.put("append-form", () -> NewerAppends.changed(0, 2));
    cases.put("append-kind", () -> NewerAppends.changed(1, 7));
    cases.put("append-odd", () -> NewerAppends.with(ODD));
    cases.put("append-even", () -> NewerAppends.with(EVEN));
    cases.put("append-member", NewerAppends::withMember);
  }

  private void addBlock(String name, Callable<Integer> entries, String why) {
    cases.put(name, () -> refusal(() -> entries.call() == 1 ? "skips" : "drops", why));
  }

  private void addBlocks() {
    addBlock("block-form", () -> NewerBlocks.ofForm(2), "a block of a snapshot of form 2");
    addBlock("block-odd", () -> NewerBlocks.with(ODD), "attribute 1001 of a block");
    addBlock("block-even", () -> NewerBlocks.with(EVEN), "?");
  }

  /** A node starts on a cluster that a build with a record for each row has founded. */
  private static String openFormerLog() throws Exception {
    return refusal(
        () -> {
          LogForm.APPENDS.require(Map.of("form", "{\"number\":2}"));
          return "takes";
        },
        "a record for each row");
  }

  private void addStored(String name, String head, String why) {
    Bytes value = Bytes.fromHex(head + "00" + "01" + "02" + "0163" + "01" + "000301");
    cases.put(name, () -> refusal(() -> NewerRows.columns(value) == 1 ? "skips" : "drops", why));
  }

  private void addStoredRows() {
    addStored("stored-form", "0200000000000005", "a stored row of form 2");
    addStored("stored-odd", "010000000000000504" + "e9070101", "attribute 1001 of a stored row");
    addStored("stored-even", "010000000000000504" + "e8070101", "attribute 1000 of a stored row");
  }
}
