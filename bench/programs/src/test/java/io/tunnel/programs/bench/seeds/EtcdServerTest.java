package io.tunnel.programs.bench.seeds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.stress.SystemClock;
import io.tunnel.terminal.CommandFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EtcdServerTest {

  @TempDir Path directory;

  private Path program(String script) throws IOException {
    Path program = Files.writeString(directory.resolve("etcd"), "#!/bin/sh\n" + script + "\n");
    return Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  @Test
  void the_program_is_looked_for_in_the_directories_of_the_path() throws IOException {
    String path = "/nowhere::" + directory;
    assertThat(EtcdServer.installed(path)).isEmpty();
    Files.writeString(directory.resolve("etcd"), "not a program");
    assertThat(EtcdServer.installed(path)).isEmpty();
    Path program = program("exit 0");
    assertThat(EtcdServer.installed(path)).contains(program);
  }

  @Test
  void an_etcd_that_does_not_start_is_explained_by_the_end_of_its_log() throws IOException {
    Path program = program("echo \"the disk is full\"; exit 1");
    assertThatThrownBy(
            () ->
                EtcdServer.start(program, directory.resolve("server"), 3, new SystemClock())
                    .close())
        .isInstanceOf(CommandFailure.class)
        .hasMessageContaining("etcd did not start:")
        .hasMessageContaining("the disk is full");
  }
}
