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
 * @param meta the name, the key and the options of the table
 * @param splitPoints values of the first key column in rising order; the table gets one partition
 *     more
 */
public record CreateTableRequest(TableMeta meta, List<PrimaryKeyValue> splitPoints) {

  /** Refuses null. */
  public CreateTableRequest {
    Objects.requireNonNull(meta, "meta");
    splitPoints = List.copyOf(splitPoints);
  }

  /** Starts a request: no key yet, one partition, default options. */
  public static Builder builder(String table) {
    return new Builder(table);
  }

  /** Collects the properties of a table. */
  public static final class Builder {

    private final String table;
    private final List<PrimaryKeySchema> key = new ArrayList<>();
    private final List<PrimaryKeyValue> splitPoints = new ArrayList<>();
    private TableOptions options = TableOptions.DEFAULT;

    private Builder(String table) {
      this.table = table;
    }

    /** Adds a column to the key; the first column decides a row's partition. */
    public Builder key(String column, PrimaryKeyType type) {
      key.add(new PrimaryKeySchema(column, type));
      return this;
    }

    /**
     * Adds an INTEGER column to the key that the server numbers where a PUT has {@link
     * PrimaryKeyValue#auto}. One column behind the first can be numbered.
     */
    public Builder autoKey(String column) {
      key.add(PrimaryKeySchema.auto(column));
      return this;
    }

    /** Sets the failures that an acknowledged write survives; default {@link Durability#FSYNC}. */
    public Builder durability(Durability level) {
      options = options.withDurability(level);
      return this;
    }

    /** Sets how long changes are kept at least; default for ever. */
    public Builder retention(Duration time) {
      options = options.withRetention(time);
      return this;
    }

    /** Sets how many bytes of changes are kept at least; default no limit. */
    public Builder retentionBytes(long bytes) {
      options = options.withRetentionBytes(bytes);
      return this;
    }

    /** How long a row lives after its last write; zero, the default, for ever. */
    public Builder ttl(Duration time) {
      options = options.withTtl(time);
      return this;
    }

    /** Splits the table at this value of the first key column. */
    public Builder splitPoint(PrimaryKeyValue value) {
      splitPoints.add(value);
      return this;
    }

    /** As {@link #splitPoint(PrimaryKeyValue)}, for an INTEGER column. */
    public Builder splitPoint(long value) {
      return splitPoint(PrimaryKeyValue.fromLong(value));
    }

    /** As {@link #splitPoint(PrimaryKeyValue)}, for a STRING column. */
    public Builder splitPoint(String value) {
      return splitPoint(PrimaryKeyValue.fromString(value));
    }

    /** As {@link #splitPoint(PrimaryKeyValue)}, for several points. */
    public Builder splitPoints(List<PrimaryKeyValue> values) {
      splitPoints.addAll(values);
      return this;
    }

    /**
     * The request.
     *
     * @throws IllegalArgumentException for a bad name, a key without columns or with too many, or
     *     one whose first column, or more than one, is to be numbered
     */
    public CreateTableRequest build() {
      return new CreateTableRequest(new TableMeta(table, key, options), splitPoints);
    }
  }
}
