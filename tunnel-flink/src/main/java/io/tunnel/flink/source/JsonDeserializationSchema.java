package io.tunnel.flink.source;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.tunnel.model.PrimaryKeyColumn;
import io.tunnel.model.value.BinaryValue;
import io.tunnel.model.value.BooleanValue;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.DoubleValue;
import io.tunnel.model.value.IntegerValue;
import io.tunnel.model.value.StringValue;
import io.tunnel.sdk.processor.RecordColumn;
import io.tunnel.sdk.processor.StreamRecord;
import java.util.Base64;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.util.Collector;

/**
 * A change as one line of JSON:
 *
 * <pre>{@code
 * {"type":"PUT","partition":7,"position":1000,"commitMicros":1700000000000000,
 *  "key":{"hash":"AP8=","id":42},"columns":{"city":"Köln","note":null}}
 * }</pre>
 *
 * Binary values are Base64; numbers that JSON does not have ("NaN", "Infinity") are text; a column
 * that an UPDATE removes is null. A DELETE that the server made by itself has a member {@code
 * "cause"}: {@code "EXPIRED"} or {@code "SESSION_ENDED"}.
 */
public final class JsonDeserializationSchema implements TunnelDeserializationSchema<String> {

  private static final long serialVersionUID = 1L;

  private transient Gson gson;

  @Override
  public void open(DeserializationSchema.InitializationContext context) {
    gson = new GsonBuilder().serializeNulls().disableHtmlEscaping().create();
  }

  @Override
  public void deserialize(StreamRecord record, Collector<String> out) {
    JsonObject json = new JsonObject();
    json.addProperty("type", record.getRecordType().name());
    record.deletionCause().ifPresent(cause -> json.addProperty("cause", cause.name()));
    json.addProperty("partition", record.partition());
    json.addProperty("position", record.position());
    json.addProperty("commitMicros", record.commitMicros());
    JsonObject key = new JsonObject();
    for (PrimaryKeyColumn column : record.getPrimaryKey().getPrimaryKeyColumns()) {
      key.add(column.getName(), value(column.getValue().toColumnValue()));
    }
    json.add("key", key);
    JsonObject columns = new JsonObject();
    for (RecordColumn column : record.getColumns()) {
      columns.add(
          column.name(),
          column.getColumnType() == RecordColumn.ColumnType.PUT
              ? value(column.getColumn().getValue())
              : JsonNull.INSTANCE);
    }
    json.add("columns", columns);
    out.collect(gson.toJson(json));
  }

  private static JsonElement value(ColumnValue value) {
    if (value instanceof IntegerValue integer) {
      return new JsonPrimitive(integer.value());
    }
    if (value instanceof DoubleValue number) {
      return Double.isFinite(number.value())
          ? new JsonPrimitive(number.value())
          : new JsonPrimitive(Double.toString(number.value()));
    }
    if (value instanceof BooleanValue truth) {
      return new JsonPrimitive(truth.value());
    }
    if (value instanceof StringValue text) {
      return new JsonPrimitive(text.value());
    }
    return new JsonPrimitive(
        Base64.getEncoder().encodeToString(((BinaryValue) value).value().toByteArray()));
  }

  @Override
  public TypeInformation<String> getProducedType() {
    return Types.STRING;
  }
}
