package io.tunnel.flink.table;

import org.apache.flink.configuration.DescribedEnum;
import org.apache.flink.configuration.description.InlineElement;
import org.apache.flink.configuration.description.TextElement;

/** The rows and changes that a scan reads. */
public enum ScanMode implements DescribedEnum {
  /** The present rows, then every later change, without a gap. */
  BASE_AND_STREAM("base-and-stream", "the rows that exist, then every change since"),
  /** Only changes. */
  STREAM("stream", "changes alone, from 'scan.start' on"),
  /** Only the present rows. */
  BASE("base", "the rows that exist, and no more");

  private final String text;
  private final String description;

  ScanMode(String text, String description) {
    this.text = text;
    this.description = description;
  }

  @Override
  public InlineElement getDescription() {
    return TextElement.text(description);
  }

  @Override
  public String toString() {
    return text;
  }
}
