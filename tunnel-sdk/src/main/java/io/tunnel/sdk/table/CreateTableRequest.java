package io.tunnel.sdk.table;

import io.tunnel.model.Durability;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TableOptions;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.model.value.PrimaryKeyValue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Asks for a new table.
 *
 * @param meta its name, its key, its options
 * @param splitPoints values of the first key column in rising order: the table has a partition more
 *     than these
 */
public record CreateTableRequest(TableMeta meta, List<PrimaryKeyValue> splitPoints) {

  /** Refuses null. */
  public CreateTableRequest {
    Objects.requireNonNull(meta, "meta");
    splitPoints = List.copyOf(splitPoints);
  }

  /** Starts a table of that name: without more it has no key, one partition, default options. */
  public static Builder builder(String table) {
    return new Builder(table);
  }

  /** Collects what a table is to be. */
  public static final class Builder {

    private final String table;
    private final List<PrimaryKeySchema> key = new ArrayList<>();
    private final List<PrimaryKeyValue> splitPoints = new ArrayList<>();
    private TableOptions options = TableOptions.DEFAULT;

    private Builder(String table) {
      this.table = table;
    }

    /** The next column of the key; the first one decides which partition holds a row. */
    public Builder key(String column, PrimaryKeyType type) {
      key.add(new PrimaryKeySchema(column, type));
      return this;
    }

    /** What an acknowledged write survives; default {@link Durability#FSYNC}. */
    public Builder durability(Durability level) {
      options = options.withDurability(level);
      return this;
    }

    /** How long changes are kept at least; default for ever. */
    public Builder retention(Duration time) {
      options = options.withRetention(time);
      return this;
    }

    /** Bytes of changes that are kept at least; default any number. */
    public Builder retentionBytes(long bytes) {
      options = options.withRetentionBytes(bytes);
      return this;
    }

    /** Another partition begins at this value of the first key column. */
    public Builder splitPoint(PrimaryKeyValue value) {
      splitPoints.add(value);
      return this;
    }

    /** {@link #splitPoint(PrimaryKeyValue)} of an INTEGER column. */
    public Builder splitPoint(long value) {
      return splitPoint(PrimaryKeyValue.fromLong(value));
    }

    /** {@link #splitPoint(PrimaryKeyValue)} of a STRING column. */
    public Builder splitPoint(String value) {
      return splitPoint(PrimaryKeyValue.fromString(value));
    }

    /** Several of {@link #splitPoint(PrimaryKeyValue)}. */
    public Builder splitPoints(List<PrimaryKeyValue> values) {
      splitPoints.addAll(values);
      return this;
    }

    /**
     * The request.
     *
     * @throws IllegalArgumentException for a bad name, and for a key of no column or too many
     */
    public CreateTableRequest build() {
      return new CreateTableRequest(new TableMeta(table, key, options), splitPoints);
    }
  }
}
