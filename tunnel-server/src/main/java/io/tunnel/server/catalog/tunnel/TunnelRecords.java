package io.tunnel.server.catalog.tunnel;

import io.tunnel.codec.MalformedException;
import io.tunnel.codec.NewerFormatException;
import io.tunnel.core.ChannelKey;
import io.tunnel.core.ChannelState;
import io.tunnel.core.FailureTexts;
import io.tunnel.core.StopReason;
import io.tunnel.model.ChannelType;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.store.StoredText;
import io.tunnel.wire.control.Control.TunnelInfo;
import io.tunnel.wire.control.FailureControl.FailedChange;
import io.tunnel.wire.control.FailureControl.Skipped;
import io.tunnel.wire.control.FailureControl.SkippedChange;
import io.tunnel.wire.control.Json;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * Tunnels with the states of their channels, and their texts by name.
 *
 * <p>The names: {@code tunnel/ID}; {@code of/ID}, the table's id, if another store keeps the table;
 * {@code paused/ID} while the tunnel is paused; for each channel {@code checkpoint/ID/CHANNEL}, its
 * progress, and {@code channel/ID/CHANNEL}, its other state, if any. A CHANNEL is a partition, with
 * a suffix for a base channel. So a checkpoint writes a number only. After the number stand fields,
 * each a space and {@code name=value}: {@code k}, the row's key of a base channel, and {@code i},
 * the incarnation of a stream channel's position in hexadecimal, if they are known. A field speaks
 * of its position alone. A reader skips an unknown field whose name begins with a small letter, and
 * refuses one that begins with a capital. {@code skipped/ID/PLACE} is a skipped change, see {@link
 * SkippedRecords}.
 */
public final class TunnelRecords {

  private static final String TUNNEL = "tunnel/";
  private static final String OF = "of/";
  private static final String PAUSED = "paused/";
  private static final String CHECKPOINT = "checkpoint/";
  private static final String CHANNEL = "channel/";
  static final String SKIPPED = "skipped/";

  /** Fields of a checkpoint. */
  private static final String KEY = "k=";

  private static final String INCARNATION = "i=";

  /** Base of an incarnation's text. */
  private static final int HEX = 16;

  /** Groups of the tunnels of a cluster. */
  static final int GROUPS = 16;

  private final Map<String, Entry> entryById = new ConcurrentHashMap<>();
  private final SkippedMemory skipped;
  private final FailureTexts stopped;

  /** While texts are being loaded, the info of a tunnel may be missing. */
  private static final class Entry {
    private final Map<ChannelKey, ChannelState> states = new ConcurrentSkipListMap<>();
    private final SkippedRecords skipped;
    private volatile TunnelInfo info;
    private volatile int tableId;
    private volatile boolean isPaused;

    Entry(SkippedRecords skipped) {
      this.skipped = skipped;
    }

    String owner() {
      return info == null ? "" : TunnelRecords.owner(info);
    }
  }

  /**
   * Tunnels with these texts.
   *
   * @param group of a cluster; empty for all tunnels of a server without a cluster
   */
  public TunnelRecords(Map<String, String> texts, OptionalInt group) {
    this(
        texts,
        new SkippedMemory(SkippedMemory.BYTES_MAX / parts(group)),
        new FailureTexts(FailureTexts.BYTES_MAX / parts(group)));
  }

  /** A node may lead all groups of its cluster, which share what a server has. */
  private static int parts(OptionalInt group) {
    return group.isPresent() ? GROUPS : 1;
  }

  TunnelRecords(Map<String, String> texts, SkippedMemory skipped, FailureTexts stopped) {
    this.skipped = skipped;
    this.stopped = stopped;
    // Tunnels come first: skipped changes and stopped channels ask who created their tunnel.
    applyAll(texts, name -> name.startsWith(TUNNEL));
    applyAll(texts, name -> !name.startsWith(TUNNEL));
  }

  private void applyAll(Map<String, String> texts, Predicate<String> which) {
    texts.forEach(
        (name, text) -> {
          if (which.test(name)) {
            apply(name, Optional.of(text));
          }
        });
  }

  /** Whose share of the memory for skipped changes and failures a tunnel takes. */
  public static String owner(TunnelInfo info) {
    return info.creator().map("principal "::concat).orElse("table " + info.table());
  }

  /** The bytes of the reasons of stopped channels. */
  public FailureTexts stopped() {
    return stopped;
  }

  /** Channels of all tunnels. */
  public long channelCount() {
    return entryById.values().stream().mapToLong(entry -> entry.states.size()).sum();
  }

  /** The state of a channel except its progress. */
  private record Condition(
      Optional<Long> end,
      boolean isFinished,
      boolean isPaused,
      Optional<String> error,
      Optional<FailedChange> failedAt) {

    private static final Condition PLAIN =
        new Condition(Optional.empty(), false, false, Optional.empty(), Optional.empty());

    Condition {
      end = end == null ? Optional.empty() : end;
      error = error == null ? Optional.empty() : error;
      failedAt = failedAt == null ? Optional.empty() : failedAt;
    }

    Optional<StopReason> stop() {
      return error.map(text -> new StopReason(text, failedAt));
    }

    static Condition of(ChannelState state) {
      return new Condition(
          state.end(),
          state.isFinished(),
          state.isPaused(),
          state.error(),
          state.stop().flatMap(StopReason::at));
    }

    Optional<String> text() {
      return equals(PLAIN) ? Optional.empty() : Optional.of(Json.toText(this));
    }
  }

  /** Applies a stored text, or its removal; ignores texts under other names. */
  public void apply(String name, Optional<String> text) {
    if (name.startsWith(TUNNEL)) {
      String id = name.substring(TUNNEL.length());
      text.ifPresentOrElse(
          info -> entry(id).info = StoredText.open(name, info, TunnelInfo.class),
          () -> removed(id));
    } else if (name.startsWith(OF)) {
      text.ifPresent(id -> entry(name.substring(OF.length())).tableId = Integer.parseInt(id));
    } else if (name.startsWith(PAUSED)) {
      applyPause(name.substring(PAUSED.length()), text.isPresent());
    } else if (name.startsWith(CHECKPOINT)) {
      text.ifPresent(progress -> applyProgress(name.substring(CHECKPOINT.length()), progress));
    } else if (name.startsWith(CHANNEL)) {
      applyCondition(name.substring(CHANNEL.length()), text);
    } else if (name.startsWith(SKIPPED)) {
      String id = name.substring(SKIPPED.length(), name.lastIndexOf('/'));
      if (text.isPresent() || entryById.containsKey(id)) {
        entry(id).skipped.apply(name, text, entry(id).owner());
      }
    }
  }

  /** The ids of the tunnels in these names. */
  public static Set<String> tunnelIds(Collection<String> names) {
    Set<String> ids = new LinkedHashSet<>();
    for (String name : names) {
      String id = name.substring(name.indexOf('/') + 1);
      if (name.startsWith(TUNNEL) || name.startsWith(OF) || name.startsWith(PAUSED)) {
        ids.add(id);
      } else if (name.startsWith(CHECKPOINT)
          || name.startsWith(CHANNEL)
          || name.startsWith(SKIPPED)) {
        ids.add(id.substring(0, id.lastIndexOf('/')));
      }
    }
    return ids;
  }

  /**
   * The changes that store the tunnels of other texts, by their new ids.
   *
   * @param texts of a catalog
   * @param newId of a tunnel, by its id there
   */
  public static Map<String, Map<String, Optional<String>>> moved(
      Map<String, String> texts, UnaryOperator<String> newId) {
    Map<String, Map<String, Optional<String>>> changes = new LinkedHashMap<>();
    texts.forEach(
        (name, text) -> {
          for (String id : tunnelIds(Set.of(name))) {
            String to = newId.apply(id);
            int kind = name.indexOf('/') + 1;
            String rest = name.substring(kind + id.length());
            String moved = name.startsWith(TUNNEL) ? renamed(name, text, to) : text;
            changes
                .computeIfAbsent(to, any -> new LinkedHashMap<>())
                .put(name.substring(0, kind) + to + rest, Optional.of(moved));
          }
        });
    return changes;
  }

  /** The change that removes the id of a tunnel's table, which the store of a table has not. */
  public static Map<String, Optional<String>> withoutTable(String tunnelId) {
    return Map.of(OF + tunnelId, Optional.empty());
  }

  private static String renamed(String name, String text, String id) {
    TunnelInfo info = StoredText.open(name, text, TunnelInfo.class);
    TunnelInfo moved =
        new TunnelInfo(
            id,
            info.tunnel(),
            info.table(),
            info.type(),
            info.start(),
            info.createdMs(),
            info.startMs(),
            info.endMs(),
            info.creator());
    return StoredText.with(StoredText.others(name, text, info), moved);
  }

  /** The ids of the tables of tunnels among the texts of a group, by tunnel. */
  public static Map<String, Integer> tableIds(Map<String, String> texts) {
    Map<String, Integer> ids = new LinkedHashMap<>();
    texts.forEach(
        (name, text) -> {
          if (name.startsWith(OF)) {
            ids.put(name.substring(OF.length()), Integer.parseInt(text));
          }
        });
    return ids;
  }

  /** The change that stores the id of a tunnel's table. */
  public static Map<String, Optional<String>> of(String tunnelId, int tableId) {
    return Map.of(OF + tunnelId, Optional.of(String.valueOf(tableId)));
  }

  private void applyPause(String tunnelId, boolean isPaused) {
    if (isPaused || entryById.containsKey(tunnelId)) {
      entry(tunnelId).isPaused = isPaused;
    }
  }

  private void applyProgress(String path, String text) {
    String[] fields = text.split(" ", -1);
    long position = Long.parseLong(fields[0]);
    Bytes key = Bytes.EMPTY;
    Optional<Long> incarnation = Optional.empty();
    for (int i = 1; i < fields.length; i++) {
      String field = fields[i];
      if (field.startsWith(KEY)) {
        key = Bytes.fromHex(field.substring(KEY.length()));
      } else if (field.startsWith(INCARNATION)) {
        incarnation =
            Optional.of(Long.parseUnsignedLong(field.substring(INCARNATION.length()), HEX));
      } else {
        requireSkipped(path, field);
      }
    }
    Bytes keyOfRow = key;
    Optional<Long> seenIn = incarnation;
    apply(path, state -> state.withProgress(position, keyOfRow).seenIn(seenIn));
  }

  private static void requireSkipped(String path, String field) {
    int end = field.indexOf('=');
    if (end < 1) {
      throw new MalformedException(
          "the catalog's text " + CHECKPOINT + path + " has the field '" + field + "' of no name");
    }
    if (!Character.isLowerCase(field.charAt(0))) {
      throw new NewerFormatException(
          "the catalog's text "
              + CHECKPOINT
              + path
              + " with the field '"
              + field.substring(0, end)
              + "'");
    }
  }

  private void applyCondition(String path, Optional<String> text) {
    if (text.isPresent() || entryById.containsKey(path.substring(0, path.lastIndexOf('/')))) {
      Condition condition =
          text.map(stored -> StoredText.whole(CHANNEL + path, stored, Condition.class))
              .orElse(Condition.PLAIN);
      apply(
          path,
          state ->
              state
                  .withEnd(condition.end(), condition.isFinished())
                  .withPause(condition.isPaused())
                  .withStop(condition.stop()));
    }
  }

  private void apply(String path, UnaryOperator<ChannelState> change) {
    int slash = path.lastIndexOf('/');
    Entry entry = entry(path.substring(0, slash));
    ChannelKey key = key(path.substring(slash + 1));
    put(entry, key, change.apply(entry.states.getOrDefault(key, ChannelState.startingAt(0))));
  }

  private void put(Entry entry, ChannelKey key, ChannelState state) {
    ChannelState former = entry.states.put(key, state);
    Optional<StopReason> formerStop = former == null ? Optional.empty() : former.stop();
    stopped.replace(entry.owner(), formerStop, state.stop());
  }

  private Entry entry(String tunnelId) {
    return entryById.computeIfAbsent(tunnelId, id -> newEntry(id));
  }

  private Entry newEntry(String tunnelId) {
    return new Entry(new SkippedRecords(tunnelId, skipped));
  }

  private static ChannelKey key(String text) {
    return text.endsWith(ChannelKey.BASE_SUFFIX)
        ? ChannelKey.base(
            Integer.parseInt(text.substring(0, text.length() - ChannelKey.BASE_SUFFIX.length())))
        : ChannelKey.stream(Integer.parseInt(text));
  }

  private static String path(String tunnelId, ChannelKey key) {
    return tunnelId
        + "/"
        + key.partition()
        + (key.type() == ChannelType.BaseData ? ChannelKey.BASE_SUFFIX : "");
  }

  /** All tunnels. */
  public Collection<TunnelInfo> tunnels() {
    return entryById.values().stream().map(entry -> entry.info).filter(Objects::nonNull).toList();
  }

  /** The tunnel of that id. */
  public Optional<TunnelInfo> tunnel(String tunnelId) {
    return Optional.ofNullable(entryById.get(tunnelId)).map(entry -> entry.info);
  }

  /** The id of the tunnel's table, if it is stored with the tunnel. */
  public OptionalInt tableId(String tunnelId) {
    Entry entry = entryById.get(tunnelId);
    return entry == null || entry.tableId == 0
        ? OptionalInt.empty()
        : OptionalInt.of(entry.tableId);
  }

  /** Whether the complete tunnel is paused. */
  public boolean isPaused(String tunnelId) {
    Entry entry = entryById.get(tunnelId);
    return entry != null && entry.isPaused;
  }

  /** The channel's state; the state of a new channel when none is stored. */
  public ChannelState state(String tunnelId, ChannelKey key) {
    Entry entry = entryById.get(tunnelId);
    ChannelState state = entry == null ? null : entry.states.get(key);
    return state == null ? ChannelState.startingAt(0) : state;
  }

  /** The changes that store a new tunnel, with or without the id of its table. */
  public static Map<String, Optional<String>> creation(
      TunnelInfo info, OptionalInt tableId, Map<ChannelKey, ChannelState> states) {
    Map<String, Optional<String>> changes = new LinkedHashMap<>();
    changes.put(TUNNEL + info.tunnelId(), Optional.of(Json.toText(info)));
    tableId.ifPresent(id -> changes.put(OF + info.tunnelId(), Optional.of(String.valueOf(id))));
    states.forEach(
        (key, state) -> {
          String path = path(info.tunnelId(), key);
          changes.put(CHECKPOINT + path, Optional.of(progress(state)));
          if (Condition.of(state).text().isPresent()) {
            changes.put(CHANNEL + path, Condition.of(state).text());
          }
        });
    return changes;
  }

  /** Adds a tunnel. */
  public void created(TunnelInfo info, OptionalInt tableId, Map<ChannelKey, ChannelState> states) {
    Entry entry = newEntry(info.tunnelId());
    entry.info = info;
    entry.tableId = tableId.orElse(0);
    states.forEach((key, state) -> put(entry, key, state));
    entryById.put(info.tunnelId(), entry);
  }

  /** The changes that remove a tunnel. */
  public Map<String, Optional<String>> removal(String tunnelId) {
    Map<String, Optional<String>> changes = new LinkedHashMap<>();
    changes.put(TUNNEL + tunnelId, Optional.empty());
    changes.put(PAUSED + tunnelId, Optional.empty());
    if (tableId(tunnelId).isPresent()) {
      changes.put(OF + tunnelId, Optional.empty());
    }
    for (ChannelKey key : List.copyOf(entry(tunnelId).states.keySet())) {
      changes.put(CHECKPOINT + path(tunnelId, key), Optional.empty());
      changes.put(CHANNEL + path(tunnelId, key), Optional.empty());
    }
    entry(tunnelId).skipped.names().forEach(name -> changes.put(name, Optional.empty()));
    return changes;
  }

  /** Removes a tunnel. */
  public void removed(String tunnelId) {
    Entry gone = entryById.remove(tunnelId);
    if (gone != null) {
      gone.skipped.clear();
      gone.states
          .values()
          .forEach(state -> stopped.replace(gone.owner(), state.stop(), Optional.empty()));
    }
  }

  /** The changes that store {@code states}, without states that are stored already. */
  public Map<String, Optional<String>> update(
      String tunnelId, Map<ChannelKey, ChannelState> states) {
    Map<String, Optional<String>> changes = new LinkedHashMap<>();
    states.forEach(
        (key, state) -> {
          ChannelState now = state(tunnelId, key);
          if (!progress(state).equals(progress(now))) {
            changes.put(CHECKPOINT + path(tunnelId, key), Optional.of(progress(state)));
          }
          if (!Condition.of(state).equals(Condition.of(now))) {
            changes.put(CHANNEL + path(tunnelId, key), Condition.of(state).text());
          }
        });
    return changes;
  }

  private static String progress(ChannelState state) {
    String key = state.key().equals(Bytes.EMPTY) ? "" : " " + KEY + state.key();
    String incarnation =
        state.incarnation().map(Long::toHexString).map(hex -> " " + INCARNATION + hex).orElse("");
    return state.checkpointed() + key + incarnation;
  }

  /** Replaces states of channels. */
  public void updated(String tunnelId, Map<ChannelKey, ChannelState> states) {
    Entry entry = entry(tunnelId);
    states.forEach((key, state) -> put(entry, key, state));
  }

  /** The changes that a tunnel's workers skipped. */
  public Skipped skipped(String tunnelId) {
    Entry entry = entryById.get(tunnelId);
    return entry == null ? Skipped.NONE : entry.skipped.now();
  }

  /** The changes that add these skipped changes, and remove those without space. */
  public Map<String, Optional<String>> skip(String tunnelId, List<SkippedChange> skipped) {
    return entry(tunnelId).skipped.additions(skipped);
  }

  /** The change that pauses or resumes a complete tunnel. */
  public static Map<String, Optional<String>> pause(String tunnelId, boolean isPaused) {
    return Map.of(PAUSED + tunnelId, isPaused ? Optional.of("true") : Optional.empty());
  }

  /** Pauses or resumes a complete tunnel. */
  public void paused(String tunnelId, boolean isPaused) {
    entry(tunnelId).isPaused = isPaused;
  }
}
