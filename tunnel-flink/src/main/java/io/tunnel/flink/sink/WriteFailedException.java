package io.tunnel.flink.sink;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RowChange;
import io.tunnel.sdk.RowResult;
import java.io.IOException;
import java.util.Optional;

/**
 * A row could not be written, which fails the job: the message has the row's key and the reason.
 */
public final class WriteFailedException extends IOException {

  private static final long serialVersionUID = 1L;

  private final String key;

  /** Null without a code from the service. */
  private final ErrorCode code;

  WriteFailedException(String table, RowChange row, RowResult result, String what) {
    super(
        row.kind()
            + " of row "
            + row.primaryKey()
            + " of table '"
            + table
            + "' "
            + what
            + result.error().map(error -> " with " + error).orElse("")
            + ": "
            + result.message());
    this.key = row.primaryKey().toString();
    this.code = result.error().orElse(null);
  }

  /** The key of the row. */
  public String key() {
    return key;
  }

  /** The service's error code, if any. */
  public Optional<ErrorCode> code() {
    return Optional.ofNullable(code);
  }
}
