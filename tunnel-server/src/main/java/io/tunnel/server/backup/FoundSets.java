package io.tunnel.server.backup;

import com.google.gson.Gson;
import com.google.gson.JsonParseException;
import com.google.gson.stream.MalformedJsonException;
import io.tunnel.model.Level;
import io.tunnel.server.catalog.store.StoredForm;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The sets of a directory of backups.
 *
 * @param intact sets whose lists can be read, oldest first
 * @param damaged lists that cannot be read, oldest first
 */
public record FoundSets(List<BackupSet> intact, List<DamagedSet> damaged) {

  private static final Gson GSON = new Gson();
  private static final Pattern LIST = Pattern.compile("(\\d{1,18})\\.json");

  /**
   * A set whose list of files cannot be read.
   *
   * @param number of the set, by the name of its list
   * @param list the file with the list
   * @param why a clause for people
   */
  public record DamagedSet(long number, Path list, String why) {}

  /** Copies the lists. */
  public FoundSets {
    intact = List.copyOf(intact);
    damaged = List.copyOf(damaged);
  }

  /** The name of the list of a set. */
  static String listOf(long number) {
    return String.format(Locale.ROOT, "%08d.json", number);
  }

  /** Reads the lists among these files. A file of another name is no list, also not "12.json". */
  static FoundSets of(List<Path> files) {
    List<BackupSet> intact = new ArrayList<>();
    List<DamagedSet> damaged = new ArrayList<>();
    for (Path list : files) {
      String name = list.getFileName().toString();
      Matcher digits = LIST.matcher(name);
      long number = digits.matches() ? Long.parseLong(digits.group(1)) : 0;
      if (!name.equals(listOf(number))) {
        continue;
      }
      try {
        intact.add(read(list, number));
      } catch (IOException | RuntimeException e) {
        damaged.add(new DamagedSet(number, list, why(e)));
      }
    }
    intact.sort(Comparator.comparingLong(BackupSet::number));
    damaged.sort(Comparator.comparingLong(DamagedSet::number));
    return new FoundSets(intact, damaged);
  }

  private static BackupSet read(Path list, long number) throws IOException {
    String text = Files.readString(list);
    BackupSet set = GSON.fromJson(text, BackupSet.class);
    if (set == null) {
      throw new IOException("the file is empty");
    }
    StoredForm.require("the list", set.format());
    if (set.number() != number || number < 1) {
      throw new IOException("the list in the file is of backup " + set.number());
    }
    if (set.level() < Level.FIRST || set.shards() < 1) {
      throw new IOException("the list has no level, or no shards");
    }
    return set;
  }

  /** The parser's messages name Java's classes, and say nothing to an operator. */
  private static String why(Exception failure) {
    if (failure instanceof JsonParseException) {
      return endsEarly(failure)
          ? "the file ends before its JSON does"
          : "the file is not the JSON of a backup";
    }
    if (failure instanceof CharacterCodingException) {
      return "the file is not text in UTF-8";
    }
    if (failure instanceof AccessDeniedException) {
      return "this user may not read the file";
    }
    // Gson reports a refusal of a record's constructor as a plain RuntimeException.
    return failure instanceof IOException ? failure.getMessage() : "the list lacks a member";
  }

  private static boolean endsEarly(Exception failure) {
    Throwable cause = failure.getCause();
    return cause instanceof EOFException
        || (cause instanceof MalformedJsonException
            && cause.getMessage().startsWith("Unterminated string"));
  }

  /** The largest number of a set, also of a damaged set; 0 without sets. */
  long numberMax() {
    long newestIntact = intact.isEmpty() ? 0 : intact.get(intact.size() - 1).number();
    long newestDamaged = damaged.isEmpty() ? 0 : damaged.get(damaged.size() - 1).number();
    return Math.max(newestIntact, newestDamaged);
  }

  /** The newest set of a service, of which the list can be read. */
  Optional<BackupSet> newest(String service) {
    return intact.stream()
        .filter(set -> set.isOf(service))
        .max(Comparator.comparingLong(BackupSet::number));
  }

  /** The set with that number, or the newest set; see {@link BackupDirectory#set}. */
  BackupSet set(Path directory, Optional<Long> number) throws IOException {
    if (number.isEmpty()) {
      requireOneService(directory);
    }
    long wanted = number.orElse(numberMax());
    for (BackupSet set : intact) {
      if (set.number() == wanted) {
        return set;
      }
    }
    for (DamagedSet set : damaged) {
      if (set.number() == wanted) {
        throw new IOException(
            "%s %d cannot be restored, because its list of files %s is damaged: %s; %s"
                .formatted(
                    number.isPresent() ? "backup" : "the newest backup",
                    wanted,
                    set.list(),
                    set.why(),
                    alternative()));
      }
    }
    throw new IOException(
        directory
            + (number.isPresent() ? " has no backup " + wanted : " has no backup yet")
            + (intact.isEmpty()
                ? ""
                : "; there are "
                    + intact.get(0).number()
                    + " to "
                    + intact.get(intact.size() - 1).number()));
  }

  /** The newest set of all may be of another service than the user thinks. */
  private void requireOneService(Path directory) throws IOException {
    SortedMap<String, Long> newest = new TreeMap<>();
    intact.forEach(set -> newest.put(set.service(), set.number()));
    if (newest.size() > 1) {
      List<String> each = new ArrayList<>();
      newest.forEach((service, number) -> each.add("%d of %s".formatted(number, service)));
      throw new IOException(
          "%s has backups of several services, the newest ones are %s: name a backup with --backup; 'tunnel restore --list' shows all backups"
              .formatted(directory, String.join(", ", each)));
    }
  }

  private String alternative() {
    if (intact.isEmpty()) {
      return "the directory has no other backup: take another copy of the directory";
    }
    BackupSet newest = intact.get(intact.size() - 1);
    return "the newest backup with a list that can be read is %d of %s: restore this backup with --backup %d"
        .formatted(newest.number(), newest.service(), newest.number());
  }
}
