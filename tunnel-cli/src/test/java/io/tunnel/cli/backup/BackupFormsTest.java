package io.tunnel.cli.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.cli.doctor.TestDirectory;
import io.tunnel.server.backup.BackupDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BackupFormsTest {

  @TempDir private Path directory;

  private Path path(String name) {
    return directory.resolve(name);
  }

  @Test
  void a_first_backup_that_was_interrupted_at_its_beginning_is_repeated() throws IOException {
    Path target = Files.createDirectories(path("backup"));
    for (String made : List.of("BACKUP.next", "files", "sets")) {
      if (made.equals("BACKUP.next")) {
        Files.writeString(target.resolve(made), "{\"for");
      } else {
        Files.createDirectories(target.resolve(made));
      }
      Path again = path("again-" + made);
      TestDirectory.copy(target, again);
      try (BackupDirectory backup = BackupDirectory.create(again)) {
        assertThat(backup.sets()).isEmpty();
      }
      assertThat(again.resolve("BACKUP.next")).doesNotExist();
      assertThat(again.resolve("BACKUP")).hasContent("{\"format\":2}");
    }
    Files.writeString(target.resolve("files").resolve("file"), "of somebody else");
    assertThatThrownBy(() -> BackupDirectory.create(target))
        .hasMessageContaining("holds other files");
  }

  @Test
  void backups_of_another_form_are_refused_by_name() throws IOException {
    Path target = path("backups");
    BackupDirectory.create(target).close();
    Path mark = target.resolve("BACKUP");
    Files.writeString(mark, "{\"format\":1}");
    assertThatThrownBy(() -> BackupDirectory.toRead(target))
        .hasMessageContaining("was written by a build before 0.1.0");
    Files.writeString(mark, "{\"format\":3}");
    assertThatThrownBy(() -> BackupDirectory.create(target))
        .hasMessageContaining("has format 3, and this build reads format 2");
    Files.writeString(mark, "{}");
    assertThatThrownBy(() -> BackupDirectory.create(target))
        .hasMessageContaining("does not know: {}");
  }
}
