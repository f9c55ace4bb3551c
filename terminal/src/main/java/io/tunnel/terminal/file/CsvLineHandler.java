package io.tunnel.terminal.file;

import de.siegmar.fastcsv.reader.AbstractBaseCsvCallbackHandler;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Makes records that know which of their empty fields had quotes. */
final class CsvLineHandler extends AbstractBaseCsvCallbackHandler<CsvLine> {

  private final List<String> fields = new ArrayList<>();
  private final Set<Integer> quotedEmpty = new HashSet<>();

  @Override
  protected void handleBegin(long startingLineNumber) {
    fields.clear();
    quotedEmpty.clear();
  }

  @Override
  protected void handleField(
      int fieldIdx, char[] buffer, int offset, int length, boolean isQuoted) {
    fields.add(new String(buffer, offset, length));
    if (isQuoted && length == 0) {
      quotedEmpty.add(fieldIdx);
    }
  }

  @Override
  protected CsvLine buildRecord() {
    return new CsvLine(getStartingLineNumber(), fields, quotedEmpty);
  }
}
