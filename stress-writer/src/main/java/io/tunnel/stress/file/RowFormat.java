package io.tunnel.stress.file;

import java.util.Locale;
import java.util.Optional;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** The formats that rows are read from. */
public enum RowFormat {
  /** Separated values with quotes (RFC 4180), the first record naming the columns. */
  CSV,
  /** Values between tabs, without quotes, the first line naming the columns. */
  TSV,
  /** JSON Lines: an object a line. */
  JSONL;

  private static final String GZIP = ".gz";

  /** The format that a file's name ends with, in front of an ending that says it is compressed. */
  static Optional<RowFormat> ofName(String fileName) {
    String name = fileName.toLowerCase(Locale.ROOT);
    if (isGzip(name)) {
      name = name.substring(0, name.length() - GZIP.length());
    }
    if (name.endsWith(".csv")) {
      return Optional.of(CSV);
    } else if (name.endsWith(".tsv")) {
      return Optional.of(TSV);
    }
    return name.endsWith(".jsonl") || name.endsWith(".ndjson")
        ? Optional.of(JSONL)
        : Optional.empty();
  }

  static boolean isGzip(String fileName) {
    return fileName.toLowerCase(Locale.ROOT).endsWith(GZIP);
  }

  /** Reads what the help shows. */
  public static final class Converter implements ITypeConverter<RowFormat> {
    /** For picocli. */
    public Converter() {}

    @Override
    public RowFormat convert(String text) {
      return switch (text.toLowerCase(Locale.ROOT)) {
        case "csv" -> CSV;
        case "tsv" -> TSV;
        case "jsonl" -> JSONL;
        default -> throw new TypeConversionException("'" + text + "' is not csv, tsv or jsonl");
      };
    }
  }
}
