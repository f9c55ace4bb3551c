package io.tunnel.wire.control;

import com.google.gson.JsonParseException;
import com.google.gson.TypeAdapter;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonWriter;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeyColumn;
import io.tunnel.model.value.PrimaryKeyValue;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * A key as {@code {"columns":[{"name":…,"value":…},…]}}. Reads a key through its constructors, as
 * records are read, so that an invalid key is refused here.
 */
final class KeyAdapter extends TypeAdapter<PrimaryKey> {

  private final TypeAdapter<PrimaryKeyValue> values;

  KeyAdapter(TypeAdapter<PrimaryKeyValue> values) {
    this.values = values;
  }

  @Override
  public void write(JsonWriter out, PrimaryKey key) throws IOException {
    out.beginObject().name("columns").beginArray();
    for (PrimaryKeyColumn column : key.getPrimaryKeyColumns()) {
      out.beginObject().name("name").value(column.getName()).name("value");
      values.write(out, column.getValue());
      out.endObject();
    }
    out.endArray().endObject();
  }

  @Override
  public PrimaryKey read(JsonReader in) throws IOException {
    List<PrimaryKeyColumn> columns = new ArrayList<>();
    in.beginObject();
    while (in.hasNext()) {
      if (in.nextName().equals("columns")) {
        in.beginArray();
        while (in.hasNext()) {
          columns.add(column(in));
        }
        in.endArray();
      } else {
        in.skipValue();
      }
    }
    in.endObject();
    try {
      return new PrimaryKey(columns);
    } catch (IllegalArgumentException e) {
      throw new JsonParseException(e.getMessage(), e);
    }
  }

  private PrimaryKeyColumn column(JsonReader in) throws IOException {
    String name = null;
    PrimaryKeyValue value = null;
    in.beginObject();
    while (in.hasNext()) {
      switch (in.nextName()) {
        case "name" -> name = in.nextString();
        case "value" -> value = values.read(in);
        default -> in.skipValue();
      }
    }
    in.endObject();
    if (value == null) {
      throw new JsonParseException("a key column '" + name + "' without a value");
    }
    try {
      return new PrimaryKeyColumn(name, value);
    } catch (IllegalArgumentException e) {
      throw new JsonParseException(e.getMessage(), e);
    }
  }
}
