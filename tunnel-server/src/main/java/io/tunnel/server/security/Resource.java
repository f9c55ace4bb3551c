package io.tunnel.server.security;

import io.tunnel.model.Names;
import io.tunnel.server.security.index.PermissionIndex.Kind;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The resource of a permission: {@code table:PATTERN}, {@code tunnel:TABLE/PATTERN} or {@code
 * cluster}. A pattern is a name, or the beginning of names and a {@code *}; {@code *} alone matches
 * all names. {@code tunnel:ord*} matches all tunnels of tables whose names begin with {@code ord};
 * {@code tunnel:ord*<b>/</b>sales*}, a pair of patterns, matches the tunnels of these tables whose
 * names begin with {@code sales}.
 *
 * @param kind the kind of resource
 * @param pattern with its {@code *}; empty for the cluster
 */
record Resource(Kind kind, String pattern) {

  /** The cluster itself. */
  public static final Resource CLUSTER = new Resource(Kind.CLUSTER, "");

  /** Characters of a pattern before its {@code *}: two names and the slash. */
  public static final int PATTERN_CHARS_MAX = 511;

  private static final String TABLE = "table:";
  private static final String TUNNEL = "tunnel:";
  private static final String CLUSTER_TEXT = "cluster";
  private static final String ANY = "*";

  /** Refuses a pattern that can match no name. */
  public Resource {
    Objects.requireNonNull(kind, "kind");
    Objects.requireNonNull(pattern, "pattern");
    switch (kind) {
      case TABLE -> requireTablePattern(pattern);
      case TUNNEL -> requireTunnelPattern(pattern);
      case CLUSTER -> {
        if (!pattern.isEmpty()) {
          throw new IllegalArgumentException(
              "the cluster has no pattern, and so not " + Subjects.shown(pattern));
        }
      }
    }
  }

  /**
   * Reads the text form.
   *
   * @throws IllegalArgumentException when the text is invalid; the message says what is valid
   */
  public static Resource parse(String text) {
    if (CLUSTER_TEXT.equals(text)) {
      return CLUSTER;
    }
    if (text != null && text.startsWith(TABLE)) {
      return new Resource(Kind.TABLE, text.substring(TABLE.length()));
    }
    if (text != null && text.startsWith(TUNNEL)) {
      return new Resource(Kind.TUNNEL, text.substring(TUNNEL.length()));
    }
    throw new IllegalArgumentException(
        "a permission is on table:NAME, tunnel:TABLE/NAME or cluster, where a name may end in *,"
            + " not on "
            + Subjects.shown(text));
  }

  /** Whether the pattern is the beginning of names, and not a complete one. */
  public boolean isBeginning() {
    return pattern.endsWith(ANY);
  }

  /** The pattern without its {@code *}. */
  public String stem() {
    return isBeginning() ? pattern.substring(0, pattern.length() - 1) : pattern;
  }

  /** The resources below, to which ADMIN on this resource also applies. */
  List<Resource> below() {
    return switch (kind) {
      case TABLE -> List.of(new Resource(Kind.TUNNEL, isBeginning() ? pattern : pattern + "/*"));
      case TUNNEL -> List.of();
      case CLUSTER -> List.of(new Resource(Kind.TABLE, ANY), new Resource(Kind.TUNNEL, ANY));
    };
  }

  /** A name, or the beginning of names. */
  private record Part(String stem, boolean isBeginning) {

    static final Part EVERY = new Part("", true);

    static Part of(String text) {
      return text.endsWith(ANY)
          ? new Part(text.substring(0, text.length() - 1), true)
          : new Part(text, false);
    }

    boolean matches(String name) {
      return isBeginning ? name.startsWith(stem) : name.equals(stem);
    }

    boolean covers(Part other) {
      return isBeginning ? other.stem.startsWith(stem) : equals(other);
    }

    boolean meets(Part other) {
      return covers(other) || other.covers(this);
    }
  }

  /** The table's part of the pattern. */
  private Part tablePart() {
    int slash = pattern.indexOf('/');
    return Part.of(slash < 0 ? pattern : pattern.substring(0, slash));
  }

  /** The tunnel's part of the pattern; matches all tunnels when the pattern has none. */
  private Part tunnelPart() {
    int slash = pattern.indexOf('/');
    return slash < 0 ? Part.EVERY : Part.of(pattern.substring(slash + 1));
  }

  /**
   * Whether it is {@code tunnel:TABLE_PATTERN/PATTERN}, a pair of patterns, which the index of
   * names and beginnings cannot hold.
   */
  boolean isPair() {
    return pattern.contains(ANY + "/");
  }

  /** Of a pair: the pattern of one table's tunnels; empty when the table does not match. */
  Optional<Resource> ofTable(String table) {
    return tablePart().matches(table)
        ? Optional.of(new Resource(Kind.TUNNEL, table + pattern.substring(pattern.indexOf('/'))))
        : Optional.empty();
  }

  /** Of a pair: whether a tunnel matches. */
  boolean matches(String table, String tunnel) {
    return tablePart().matches(table) && tunnelPart().matches(tunnel);
  }

  /** Whether a name can match both patterns. */
  boolean meets(Resource other) {
    return kind == other.kind
        && tablePart().meets(other.tablePart())
        && tunnelPart().meets(other.tunnelPart());
  }

  /** Whether the pattern matches the names of {@code other}, too. */
  boolean covers(Resource other) {
    return kind == other.kind
        && tablePart().covers(other.tablePart())
        && tunnelPart().covers(other.tunnelPart());
  }

  /** The text form. */
  @Override
  public String toString() {
    return switch (kind) {
      case TABLE -> TABLE + pattern;
      case TUNNEL -> TUNNEL + pattern;
      case CLUSTER -> CLUSTER_TEXT;
    };
  }

  private static void requireTablePattern(String pattern) {
    boolean isBeginning = pattern.endsWith(ANY);
    String stem = isBeginning ? pattern.substring(0, pattern.length() - 1) : pattern;
    if (stem.indexOf('/') >= 0) {
      throw new IllegalArgumentException(
          "table:" + pattern + " has a '/'; tunnels are tunnel:TABLE/NAME");
    }
    requireName("table", stem, isBeginning);
  }

  private static void requireTunnelPattern(String pattern) {
    int slash = pattern.indexOf('/');
    if (slash >= 0) {
      requirePart("table", pattern.substring(0, slash));
      requirePart("tunnel", pattern.substring(slash + 1));
      return;
    }
    if (!pattern.endsWith(ANY)) {
      throw new IllegalArgumentException(
          "tunnel:" + pattern + " names no tunnel; right is tunnel:TABLE/NAME or tunnel:TABLE/*");
    }
    requirePart("table", pattern);
  }

  private static void requirePart(String what, String text) {
    Part part = Part.of(text);
    requireName(what, part.stem(), part.isBeginning());
  }

  /** The beginning of a name is empty or a name itself. */
  private static void requireName(String what, String name, boolean isBeginning) {
    if (name.indexOf('*') >= 0) {
      throw new IllegalArgumentException(
          "a pattern has one '*', at its end, unlike " + Subjects.shown(name));
    }
    if (!name.isEmpty() || !isBeginning) {
      Names.requireResourceName(what, name);
    }
  }
}
