package io.tunnel.programs.torture;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A disk whose power can be cut: an ext4 in a file, mounted by a loop device, and the file lies in
 * an XFS that can copy it in an instant (reflink). The copy is what the disk holds at that instant;
 * what the kernel had not written to it yet is not there.
 *
 * <p>The kernel is told to write back late ({@code commit=300}), so what was not synced is mostly
 * lost.
 */
final class PowerDisk implements AutoCloseable {

  private static final long HOST_BYTES = 6L << 30;
  private static final long DISK_BYTES = 2L << 30;
  private static final int FILL_TRIES_MAX = 20;
  private static final String HOST = "host.xfs";

  private final Path hostFile;
  private final Path host;
  private final Path disk;
  private final Path copy;
  private final Path mount;
  private boolean isHostMounted;
  private boolean isMounted;

  private PowerDisk(Path work) {
    hostFile = work.resolve(HOST);
    host = work.resolve("host");
    disk = host.resolve("disk");
    copy = host.resolve("copy");
    mount = work.resolve("disk");
  }

  /** Why this machine cannot have such a disk; empty when it can. */
  static Optional<String> lack() {
    if (!System.getProperty("user.name").equals("root")) {
      return Optional.of("only root may mount file systems");
    }
    for (String program : new String[] {"mkfs.xfs", "mkfs.ext4", "mount", "umount", "cp"}) {
      if (!SystemProgram.exists(program)) {
        return Optional.of("there is no " + program);
      }
    }
    return Files.exists(Path.of("/dev/loop-control"))
        ? Optional.empty()
        : Optional.of("there are no loop devices");
  }

  /** Whether a file holds the disks of a run; worth nothing after the run. */
  static boolean isHost(Path file) {
    return file.endsWith(HOST);
  }

  /** Makes a disk, with all its files in {@code work}. */
  static PowerDisk make(Path work) throws IOException, InterruptedException {
    PowerDisk made = new PowerDisk(work);
    try {
      made.make();
      return made;
    } catch (IOException | InterruptedException | RuntimeException e) {
      made.close();
      throw e;
    }
  }

  private void make() throws IOException, InterruptedException {
    sparse(hostFile, HOST_BYTES);
    SystemProgram.run("mkfs.xfs", "-q", "-f", "-m", "reflink=1", hostFile.toString());
    Files.createDirectories(host);
    SystemProgram.run("mount", "-o", "loop", hostFile.toString(), host.toString());
    isHostMounted = true;
    Files.createDirectories(mount);
    format();
  }

  private static void sparse(Path file, long bytes) throws IOException {
    try (RandomAccessFile made = new RandomAccessFile(file.toFile(), "rw")) {
      made.setLength(bytes);
    }
  }

  /** Begins anew with an empty disk. */
  void format() throws IOException, InterruptedException {
    unmount();
    Files.deleteIfExists(disk);
    sparse(disk, DISK_BYTES);
    SystemProgram.run("mkfs.ext4", "-q", "-F", "-m", "0", disk.toString());
    mount();
  }

  private void mount() throws IOException, InterruptedException {
    SystemProgram.run("mount", "-o", "loop,commit=300", disk.toString(), mount.toString());
    isMounted = true;
  }

  private void unmount() throws IOException, InterruptedException {
    if (isMounted) {
      SystemProgram.run("umount", mount.toString());
      isMounted = false;
    }
  }

  /** Where files are kept on it. */
  Path path() {
    return mount;
  }

  /** Writes what was written until now; a loss of power takes nothing of it. */
  void sync() throws IOException, InterruptedException {
    SystemProgram.run("sync", "-f", mount.toString());
  }

  /** From this instant on nothing more reaches the disk that {@link #restore} brings back. */
  void cut() throws IOException, InterruptedException {
    Files.deleteIfExists(copy);
    SystemProgram.run("cp", "--reflink=always", disk.toString(), copy.toString());
  }

  /** Restores the disk of the moment of the power cut; no process may have a file of it open. */
  void restore() throws IOException, InterruptedException {
    unmount();
    Files.delete(disk);
    Files.move(copy, disk);
    mount();
  }

  private Path filler() {
    return mount.resolve("filler");
  }

  /**
   * Fills the disk up to {@code leftBytes}. Retries when the server takes room in between.
   *
   * @throws IOException when more room than {@code leftBytes} is left after some tries
   */
  void fill(long leftBytes) throws IOException, InterruptedException {
    long excess = room() - leftBytes;
    for (int tries = 1; excess > 0; tries++) {
      long filled = Files.exists(filler()) ? Files.size(filler()) : 0;
      try {
        SystemProgram.run("fallocate", "-o", "" + filled, "-l", "" + excess, filler().toString());
      } catch (IOException e) {
        if (tries == FILL_TRIES_MAX) {
          throw e;
        }
      }
      excess = room() - leftBytes;
    }
  }

  private long room() {
    return mount.toFile().getUsableSpace();
  }

  /** Gives the room back. */
  void free() throws IOException {
    Files.deleteIfExists(filler());
  }

  /** Takes down what was mounted, also what is still in use. */
  @Override
  public void close() {
    if (isMounted) {
      detach(mount);
      isMounted = false;
    }
    if (isHostMounted) {
      detach(host);
      isHostMounted = false;
    }
  }

  private static void detach(Path path) {
    try {
      SystemProgram.run("umount", "-l", path.toString());
    } catch (IOException e) {
      System.err.println("tunnel torture: still mounted: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
