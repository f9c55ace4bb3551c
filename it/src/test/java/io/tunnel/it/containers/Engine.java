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
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.images.builder.ImageFromDockerfile;
import org.testcontainers.utility.DockerImageName;

/** The Docker engine of this machine, with the image of this build. */
final class Engine {

  private static final String BASE = "eclipse-temurin:17-jre";
  private static final String IMAGE = "tunnel/server:0.1.0-SNAPSHOT";
  private static final List<String> LIBRARIES =
      List.of("tunnel-cli/target/tunnel/lib", "bench/programs/target/tunnel/lib");
  private static final String ADVICE = "; it/containers/prepare.sh provides what is missing";

  private static final String LOOPBACK = "127.0.0.1";

  private static boolean isBuilt;

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
    for (String image : images) {
      skipUnless(id(image).isPresent() || isPulled(image), "no image " + image + ADVICE);
    }
    if (!isBuilt) {
      build();
      isBuilt = true;
    }
  }

  private static void skipUnless(boolean isThere, String reason) {
    if (!isThere) {
      System.err.println("skipped: " + reason);
    }
    Assumptions.assumeTrue(isThere, reason);
  }

  private static boolean isPulled(String image) {
    try {
      client().pullImageCmd(image).start().awaitCompletion();
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } catch (RuntimeException cannot) {
      return false;
    }
  }

  /** What the Dockerfile makes of the libraries that this build has packaged. */
  private static void build() {
    ImageFromDockerfile image = new ImageFromDockerfile(IMAGE, false);
    for (String file : List.of("Dockerfile", "tunnel")) {
      image.withFileFromPath(file, projectRoot().resolve(file));
    }
    for (String libraries : LIBRARIES) {
      for (Path library : librariesOf(projectRoot().resolve(libraries))) {
        image.withFileFromPath(libraries + "/" + library.getFileName(), library);
      }
    }
    Optional<String> before = id(IMAGE);
    try {
      var unused = image.get();
    } catch (RuntimeException e) {
      throw new AssertionError("the image was not built", e);
    }
    before.filter(old -> !id(IMAGE).equals(before)).ifPresent(Engine::removeImage);
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

  private static Optional<String> id(String image) {
    try {
      return Optional.of(client().inspectImageCmd(image).exec().getId());
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

  /** A container of our image, which does not run yet. */
  static GenericContainer<?> container() {
    return new GenericContainer<>(DockerImageName.parse(IMAGE));
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
