package io.tunnel.programs.demo;

import java.util.ListResourceBundle;

/** Help texts of shared options that have another meaning in the demo. */
public final class DemoTexts extends ListResourceBundle {

  /** For picocli. */
  public DemoTexts() {}

  @Override
  protected Object[][] getContents() {
    return new Object[][] {
      {
        "from",
        "Write the rows of a .csv or .tsv (with a header) or .jsonl file, which may be a .gz. It is"
            + " read again for the proof, and so cannot be standard input."
      }
    };
  }
}
