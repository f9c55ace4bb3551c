package io.tunnel.flink.source.enumerator;

import io.tunnel.flink.source.split.TunnelSplitSerializer;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/**
 * The bytes of an enumerator in a checkpoint: u8 whether the table is known and i32 its id; then
 * lists as i32 count and elements: known, finished and whole ids, and waiting splits, each as
 * {@link TunnelSplitSerializer} writes it, followed by its parents. Ids are sorted. The version is
 * that of the splits.
 */
public final class EnumeratorStateSerializer implements SimpleVersionedSerializer<EnumeratorState> {

  @Override
  public int getVersion() {
    return TunnelSplitSerializer.VERSION;
  }

  @Override
  public byte[] serialize(EnumeratorState state) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    out.writeBoolean(state.tableId().isPresent());
    out.writeInt(state.tableId().orElse(0));
    writeIds(state.known(), out);
    writeIds(state.finished(), out);
    writeIds(state.whole(), out);
    out.writeInt(state.waiting().size());
    for (WaitingSplit waiting : state.waiting()) {
      TunnelSplitSerializer.write(waiting.split(), out);
      writeIds(waiting.parents(), out);
    }
    return bytes.toByteArray();
  }

  private static void writeIds(Collection<Integer> ids, DataOutputStream out) throws IOException {
    out.writeInt(ids.size());
    for (int id : ids.stream().sorted().toList()) {
      out.writeInt(id);
    }
  }

  @Override
  public EnumeratorState deserialize(int version, byte[] serialized) throws IOException {
    TunnelSplitSerializer.requireVersion("source", version);
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(serialized));
    boolean isKnown = in.readBoolean();
    int tableId = in.readInt();
    List<Integer> known = readIds(in);
    List<Integer> finished = readIds(in);
    List<Integer> whole = readIds(in);
    List<WaitingSplit> waiting = new ArrayList<>();
    for (int left = count(in); left > 0; left--) {
      waiting.add(new WaitingSplit(TunnelSplitSerializer.read(in), readIds(in)));
    }
    TunnelSplitSerializer.requireEnd("source", in);
    return new EnumeratorState(
        isKnown ? Optional.of(tableId) : Optional.empty(),
        new HashSet<>(known),
        new HashSet<>(finished),
        new HashSet<>(whole),
        waiting);
  }

  private static List<Integer> readIds(DataInputStream in) throws IOException {
    List<Integer> ids = new ArrayList<>();
    for (int left = count(in); left > 0; left--) {
      ids.add(in.readInt());
    }
    return ids;
  }

  private static int count(DataInputStream in) throws IOException {
    int count = in.readInt();
    if (count < 0 || count > in.available()) {
      throw new IOException("a list of " + count + " in " + in.available() + " bytes");
    }
    return count;
  }
}
