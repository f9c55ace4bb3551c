package io.tunnel.it.releases;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;

/** A directory in one file. */
final class Packed {

  private Packed() {}

  /** Packs a directory, without the files that RocksDB writes for people to read. */
  static void pack(Path directory, Path zip) throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.walk(directory)) {
      files = all.sorted().toList();
    }
    try (OutputStream out = Files.newOutputStream(zip);
        ZipOutputStream entries = new ZipOutputStream(out)) {
      for (Path file : files) {
        String name = directory.relativize(file).toString();
        if (name.isEmpty() || file.getFileName().toString().matches("LOG(\\.old.*)?")) {
          continue;
        }
        ZipEntry entry = new ZipEntry(Files.isDirectory(file) ? name + "/" : name);
        entry.setTime(0);
        entries.putNextEntry(entry);
        if (!entry.isDirectory()) {
          Files.copy(file, entries);
        }
        entries.closeEntry();
      }
    }
  }

  static void unpack(Path zip, Path directory) throws IOException {
    try (InputStream in = Files.newInputStream(zip);
        ZipInputStream entries = new ZipInputStream(in)) {
      for (ZipEntry entry = entries.getNextEntry(); entry != null; entry = entries.getNextEntry()) {
        Path file = directory.resolve(entry.getName());
        if (entry.isDirectory()) {
          Files.createDirectories(file);
        } else {
          Files.createDirectories(file.getParent());
          Files.copy(entries, file);
        }
      }
    }
  }
}
