package io.tunnel.it.containers;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.exception.ConflictException;
import com.github.dockerjava.api.exception.NotFoundException;
import com.github.dockerjava.api.model.Bind;
import com.github.dockerjava.api.model.ExposedPort;
import com.github.dockerjava.api.model.Ports;
import com.github.dockerjava.api.model.Volume;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.WaitStrategy;
import org.testcontainers.images.builder.ImageFromDockerfile;
import org.testcontainers.utility.DockerImageName;

/** The Docker engine of this machine, with the image of this build. */
final class Engine {

  private static final String BASE = "eclipse-temurin:17-jre";
  private static final String REPOSITORY = "tunnel/server-under-test";
  private static final List<String> FILES = List.of("Dockerfile", "tunnel");
  private static final List<String> LIBRARIES =
      List.of("tunnel-cli/target/tunnel/lib", "bench/programs/target/tunnel/lib");
  private static final String ADVICE = "; it/containers/prepare.sh provides what is missing";

  /** Hexadecimal digits of the context's digest in the image's name. */
  private static final int DIGITS = 16;

  private static final String LOOPBACK = "127.0.0.1";

  /** A container on a machine of load 20 starts within this time. */
  static final Duration STARTUP_MAX = Duration.ofMinutes(5);

  /** Name of the image; empty before it is there. */
  private static String image = "";

  private Engine() {}

  /** Skips the test unless there is an engine that has, or can pull, these images. */
  static synchronized void require(String... images) {
    skipUnless(
        LIBRARIES.stream().map(projectRoot()::resolve).allMatch(Files::isDirectory),
        "the programs are not packaged: mvn verify does, ./tunnel too");
    skipUnless(
        System.getenv("DOCKER_HOST") != null || Files.exists(Path.of("/var/run/docker.sock")),
        "no Docker engine on this machine" + ADVICE);
    skipUnless(
        DockerClientFactory.instance().isDockerAvailable(),
        "the Docker engine does not answer, or has no image " + BASE + ADVICE);
    for (String needed : images) {
      skipUnless(id(needed).isPresent() || isPulled(needed), "no image " + needed + ADVICE);
    }
    if (image.isEmpty()) {
      image = builtOnce();
    }
  }

  private static void skipUnless(boolean isThere, String reason) {
    if (!isThere) {
      System.err.println("skipped: " + reason);
    }
    Assumptions.assumeTrue(isThere, reason);
  }

  private static boolean isPulled(String name) {
    try {
      client().pullImageCmd(name).start().awaitCompletion();
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } catch (RuntimeException cannot) {
      return false;
    }
  }

  /**
   * Builds the image, unless the engine has an image of the same content. Tests run in several
   * processes: the lock lets one of them build, and no process removes the image that another uses.
   */
  private static String builtOnce() {
    Map<String, Path> context = context();
    String name = REPOSITORY + ":" + digest(context).substring(0, DIGITS);
    Path lock = projectRoot().resolve("it/target/image.lock");
    try (FileChannel file =
        FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      // Until the file is closed.
      FileLock unused = file.lock();
      if (id(name).isEmpty()) {
        build(name, context);
        removeOthers(name);
      }
      return name;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What the Dockerfile copies: its path in the image's context, and the file here. */
  private static Map<String, Path> context() {
    Map<String, Path> context = new TreeMap<>();
    for (String file : FILES) {
      context.put(file, projectRoot().resolve(file));
    }
    for (String libraries : LIBRARIES) {
      for (Path library : librariesOf(projectRoot().resolve(libraries))) {
        context.put(libraries + "/" + library.getFileName(), library);
      }
    }
    return context;
  }

  private static String digest(Map<String, Path> context) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      for (Map.Entry<String, Path> file : context.entrySet()) {
        digest.update(file.getKey().getBytes(StandardCharsets.UTF_8));
        digest.update(Files.readAllBytes(file.getValue()));
      }
      return HexFormat.of().formatHex(digest.digest());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }

  private static void build(String name, Map<String, Path> context) {
    ImageFromDockerfile build = new ImageFromDockerfile(name, false);
    context.forEach(build::withFileFromPath);
    try {
      var unused = build.get();
    } catch (RuntimeException e) {
      throw new AssertionError("the image was not built", e);
    }
  }

  /** Images of earlier builds, which the tests would leave behind one by one. */
  private static void removeOthers(String name) {
    client().listImagesCmd().withReferenceFilter(REPOSITORY).exec().stream()
        .filter(found -> !List.of(found.getRepoTags()).contains(name))
        .forEach(found -> removeImage(found.getId()));
  }

  /** As .dockerignore says: without the broker of the demo. */
  private static List<Path> librariesOf(Path directory) {
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .filter(file -> !file.getFileName().toString().startsWith("kafka-broker-"))
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Optional<String> id(String name) {
    try {
      return Optional.of(client().inspectImageCmd(name).exec().getId());
    } catch (NotFoundException none) {
      return Optional.empty();
    }
  }

  private static void removeImage(String id) {
    try {
      client().removeImageCmd(id).exec();
    } catch (ConflictException isUsed) {
      // By a container that somebody has started by hand; it may go on.
    }
  }

  /** The same wait, as long as a slow machine needs. */
  static WaitStrategy inTime(WaitStrategy ready) {
    return ready.withStartupTimeout(STARTUP_MAX);
  }

  /** A container of our image, which does not run yet. */
  static GenericContainer<?> container() {
    return new GenericContainer<>(DockerImageName.parse(image));
  }

  /** Publishes what a container exposes on loopback alone; to be asked for after the ports. */
  static void publishOnLoopback(GenericContainer<?> container) {
    var unused =
        container.withCreateContainerCmdModifier(
            create -> {
              Ports ports = new Ports();
              for (ExposedPort port : create.getExposedPorts()) {
                ports.bind(port, Ports.Binding.bindIp(LOOPBACK));
              }
              var unusedConfig = create.getHostConfig().withPortBindings(ports);
            });
  }

  /** Where a published port is. */
  static String endpoint(GenericContainer<?> container, int port) {
    return LOOPBACK + ":" + container.getMappedPort(port);
  }

  /** Keeps what the image says is data in a volume of that name. */
  static void keepData(GenericContainer<?> container, String volume) {
    var unused =
        container.withCreateContainerCmdModifier(
            create -> create.getHostConfig().withBinds(new Bind(volume, new Volume("/data"))));
  }

  static void removeVolume(String volume) {
    client().removeVolumeCmd(volume).exec();
  }

  /** Asks a container to end, as {@code docker stop} does, and returns its exit code. */
  static long stop(GenericContainer<?> container, int seconds) {
    client().stopContainerCmd(container.getContainerId()).withTimeout(seconds).exec();
    return client()
        .inspectContainerCmd(container.getContainerId())
        .exec()
        .getState()
        .getExitCodeLong();
  }

  static DockerClient client() {
    return DockerClientFactory.instance().client();
  }

  /** Tests run in the directory of their module, in an editor also in that of the project. */
  private static Path projectRoot() {
    Path here = Path.of("").toAbsolutePath();
    return Files.isDirectory(here.resolve("tunnel-protocol")) ? here : here.getParent();
  }
}
