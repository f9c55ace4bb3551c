package io.tunnel.stress.rows;

import io.tunnel.model.ChangeKind;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeyColumn;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.model.value.StringValue;
import io.tunnel.sdk.table.HashedKey;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Rows without end, shaped as in the whitepaper: key {@code (hash BINARY, uid STRING, seq INTEGER,
 * kind STRING)}, the first a 4-byte hash of the others, and STRING attributes {@code a0}, {@code
 * a1}, … Equal arguments give equal rows.
 *
 * <p>A key's columns all follow from its id. Values are cut out of one random text, which is much
 * cheaper than to draw every character, and still differs from row to row.
 */
public final class GeneratedRows implements RowSource {

  private static final int TEXT_CHARS = 256 * 1024;
  private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
  private static final PrimaryKeyColumn[] KINDS = {
    kind("order"), kind("visit"), kind("login"), kind("stock")
  };

  private final KeyChooser keys;
  private final RowShape shape;
  private final ChangeMix mix;
  private final SplittableRandom random;
  private final String text;
  private final String[] names;

  /** Rows of the given keys, shape and mix; {@code seed} decides everything else. */
  public GeneratedRows(KeyChooser keys, RowShape shape, ChangeMix mix, long seed) {
    this.keys = keys;
    this.shape = shape;
    this.mix = mix;
    this.random = new SplittableRandom(seed);
    this.text = randomText(random, Math.max(TEXT_CHARS, 2 * shape.valueBytes()));
    this.names = new String[shape.attributes()];
    for (int i = 0; i < names.length; i++) {
      names[i] = "a" + i;
    }
  }

  /** The key with that id. */
  public static PrimaryKey key(long id) {
    PrimaryKeyValue uid = PrimaryKeyValue.fromString(hexOf(Hash64.mix(id)));
    PrimaryKeyValue seq = PrimaryKeyValue.fromLong(id);
    PrimaryKeyColumn kind = KINDS[(int) (id & 3)];
    Bytes hash = HashedKey.hash(List.of(uid, seq, kind.getValue()));
    return PrimaryKey.of(
        new PrimaryKeyColumn(HashedKey.COLUMN, PrimaryKeyValue.fromBinary(hash)),
        new PrimaryKeyColumn(StressTable.UID, uid),
        new PrimaryKeyColumn(StressTable.SEQ, seq),
        kind);
  }

  @Override
  public RowChange next() {
    PrimaryKey key = key(keys.next(random));
    ChangeKind kind = mix.next(random);
    return switch (kind) {
      case PUT -> new RowPutChange(key, columns());
      case UPDATE -> new RowUpdateChange(key, List.of(update()));
      case DELETE -> new RowDeleteChange(key);
    };
  }

  private List<Column> columns() {
    if (names.length == 2) {
      return List.of(column(0), column(1));
    }
    List<Column> columns = new ArrayList<>(names.length);
    for (int i = 0; i < names.length; i++) {
      columns.add(column(i));
    }
    return columns;
  }

  private Column column(int index) {
    return new Column(names[index], value());
  }

  /** Removes a column in one of eight cases, and sets it otherwise. */
  private ColumnUpdate update() {
    int draw = random.nextInt(8 * names.length);
    String name = names[draw >>> 3];
    return (draw & 7) == 0 ? new ColumnUpdate.Delete(name) : new ColumnUpdate.Put(name, value());
  }

  private StringValue value() {
    int from = random.nextInt(text.length() - shape.valueBytes());
    return new StringValue(text.substring(from, from + shape.valueBytes()));
  }

  private static PrimaryKeyColumn kind(String name) {
    return new PrimaryKeyColumn(StressTable.KIND, PrimaryKeyValue.fromString(name));
  }

  private static String hexOf(long number) {
    byte[] digits = new byte[16];
    long rest = number;
    for (int i = digits.length - 1; i >= 0; i--) {
      digits[i] = HEX[(int) (rest & 15)];
      rest >>>= 4;
    }
    return new String(digits, StandardCharsets.ISO_8859_1);
  }

  private static String randomText(SplittableRandom random, int chars) {
    byte[] text = new byte[chars];
    for (int i = 0; i < chars; i++) {
      text[i] = (byte) random.nextInt('0', 'z' + 1);
    }
    return new String(text, StandardCharsets.ISO_8859_1);
  }
}
