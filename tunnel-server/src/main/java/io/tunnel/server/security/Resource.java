package io.tunnel.server.security;

import io.tunnel.model.Names;
import java.util.List;
import java.util.Objects;

/**
 * What a permission is on: {@code table:PATTERN}, {@code tunnel:TABLE/PATTERN} or {@code cluster}.
 * A pattern is a name, or the beginning of names with one {@code *} behind it; {@code *} alone is
 * all of them. That of tunnels is matched with {@code TABLE/TUNNEL} as a whole, so {@code
 * tunnel:ord*} is all tunnels of all tables that begin so.
 *
 * @param kind of what
 * @param pattern with its {@code *}; empty for the cluster
 */
record Resource(Kind kind, String pattern) {

  /** The cluster as a whole. */
  public static final Resource CLUSTER = new Resource(Kind.CLUSTER, "");

  /** Characters of a pattern in front of its {@code *}: two names and what is between them. */
  public static final int PATTERN_CHARS_MAX = 511;

  private static final String TABLE = "table:";
  private static final String TUNNEL = "tunnel:";
  private static final String CLUSTER_TEXT = "cluster";
  private static final String ANY = "*";

  /** Of what. */
  public enum Kind {
    /** Tables. */
    TABLE,
    /** Tunnels. */
    TUNNEL,
    /** The cluster as a whole: what is of no table, and for its administrators everything. */
    CLUSTER
  }

  /** Refuses a pattern that matches nothing that can exist. */
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
   * @throws IllegalArgumentException when it is none, with what would be right
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

  /** Whether the pattern is the beginning of names, and not a whole one. */
  public boolean isBeginning() {
    return pattern.endsWith(ANY);
  }

  /** The pattern without its {@code *}. */
  public String stem() {
    return isBeginning() ? pattern.substring(0, pattern.length() - 1) : pattern;
  }

  /** What ADMIN on this resource is also about. */
  List<Resource> below() {
    return switch (kind) {
      case TABLE -> List.of(new Resource(Kind.TUNNEL, isBeginning() ? pattern : pattern + "/*"));
      case TUNNEL -> List.of();
      case CLUSTER -> List.of(new Resource(Kind.TABLE, ANY), new Resource(Kind.TUNNEL, ANY));
    };
  }

  /** Whether something can be of both patterns. */
  boolean meets(Resource other) {
    return kind == other.kind
        && (covers(other)
            || other.covers(this)
            || (isBeginning() && other.isBeginning() && other.stem().startsWith(stem())));
  }

  /** Whether everything of the other pattern is of this one. */
  boolean covers(Resource other) {
    return kind == other.kind
        && (isBeginning() ? other.stem().startsWith(stem()) : pattern.equals(other.pattern));
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
    boolean isBeginning = pattern.endsWith(ANY);
    String stem = isBeginning ? pattern.substring(0, pattern.length() - 1) : pattern;
    int slash = stem.indexOf('/');
    if (slash < 0 && !isBeginning) {
      throw new IllegalArgumentException(
          "tunnel:" + pattern + " names no tunnel; right is tunnel:TABLE/NAME or tunnel:TABLE/*");
    }
    requireName("table", slash < 0 ? stem : stem.substring(0, slash), slash < 0);
    if (slash >= 0) {
      requireName("tunnel", stem.substring(slash + 1), isBeginning);
    }
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
