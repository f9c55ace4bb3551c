package io.tunnel.sdk;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.PrimaryKey;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.sdk.checkpoint.CheckpointSet;
import io.tunnel.sdk.cluster.ClusterInfo;
import io.tunnel.sdk.processor.IChannelProcessor;
import io.tunnel.sdk.table.TableInfo;
import io.tunnel.sdk.tunnel.TunnelInfo;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Accessors are named by one rule, which the package doc says. */
class AccessorNamesTest {

  /** What Tablestore's tunnel SDK, and the values of its records, name so. */
  private static final Set<String> OF_TABLESTORE =
      Set.of(
          "ChannelInfo.getChannelId",
          "ChannelInfo.getChannelRpo",
          "ChannelInfo.getChannelStatus",
          "ChannelInfo.getChannelType",
          "ChannelInfo.getClientId",
          "Column.getName",
          "Column.getValue",
          "CreateTunnelResponse.getTunnelId",
          "DescribeTunnelResponse.getChannelInfos",
          "DescribeTunnelResponse.getTunnelInfo",
          "DescribeTunnelResponse.getTunnelRpo",
          "ListTunnelResponse.getTunnelInfos",
          "PrimaryKey.getPrimaryKeyColumns",
          "PrimaryKeyColumn.getName",
          "PrimaryKeyColumn.getValue",
          "ProcessRecordsInput.getChannelId",
          "ProcessRecordsInput.getNextToken",
          "ProcessRecordsInput.getPartitionId",
          "ProcessRecordsInput.getRecords",
          "ProcessRecordsInput.getTraceId",
          "RecordColumn.getColumn",
          "RecordColumn.getColumnType",
          "RecordSequenceInfo.getTimestamp",
          "StreamRecord.getColumns",
          "StreamRecord.getOriginColumns",
          "StreamRecord.getPrimaryKey",
          "StreamRecord.getRecordType",
          "StreamRecord.getSequenceInfo",
          "TunnelInfo.getCreateTime",
          "TunnelInfo.getStreamTunnelConfig",
          "TunnelInfo.getTableName",
          "TunnelInfo.getTunnelId",
          "TunnelInfo.getTunnelName",
          "TunnelInfo.getTunnelType",
          "TunnelWorkerConfig.getChannelProcessor",
          "TunnelWorkerConfig.getCheckpointIntervalInMillis",
          "TunnelWorkerConfig.getClientTag",
          "TunnelWorkerConfig.getHeartbeatIntervalInSec",
          "TunnelWorkerConfig.getHeartbeatTimeoutInSec",
          "TunnelWorkerConfig.getMaxChannelParallel",
          "TunnelWorkerConfig.getMaxRetryIntervalInMillis");

  /** A type of each public package. */
  private static final List<Class<?>> PUBLIC_PACKAGES =
      List.of(
          TableClient.class,
          TableInfo.class,
          TunnelInfo.class,
          CheckpointSet.class,
          ClusterInfo.class,
          IChannelProcessor.class,
          PrimaryKey.class,
          PrimaryKeyValue.class);

  @Test
  void getters_are_those_of_tablestore_and_all_else_is_named_without_get() throws Exception {
    Set<String> getters = new TreeSet<>();
    for (Method method : accessors()) {
      if (method.getName().matches("get[A-Z].*")) {
        getters.add(nameOf(method));
      }
    }
    assertThat(getters).containsExactlyInAnyOrderElementsOf(OF_TABLESTORE);
  }

  @Test
  void nothing_has_two_names() throws Exception {
    Set<String> names = new TreeSet<>();
    for (Method method : accessors()) {
      String plain = method.getName().replaceFirst("^get(?=[A-Z])", "").toLowerCase(Locale.ROOT);
      assertThat(names.add(method.getDeclaringClass().getName() + "." + plain))
          .as("%s has a second name", nameOf(method))
          .isTrue();
    }
    assertThat(names).hasSizeGreaterThan(200);
  }

  private static String nameOf(Method method) {
    return method.getDeclaringClass().getSimpleName() + "." + method.getName();
  }

  /** Methods without parameters that say something, of all public types. */
  private static List<Method> accessors() throws Exception {
    List<Method> accessors = new ArrayList<>();
    for (Class<?> type : publicTypes()) {
      for (Method method : type.getDeclaredMethods()) {
        boolean isAccessor =
            Modifier.isPublic(method.getModifiers())
                && !method.isSynthetic()
                && method.getParameterCount() == 0
                && !Modifier.isStatic(method.getModifiers())
                && method.getReturnType() != void.class;
        if (isAccessor) {
          accessors.add(method);
        }
      }
    }
    return accessors;
  }

  private static List<Class<?>> publicTypes() throws Exception {
    List<Class<?>> types = new ArrayList<>();
    for (Class<?> known : PUBLIC_PACKAGES) {
      Path classes = Path.of(known.getProtectionDomain().getCodeSource().getLocation().toURI());
      if (Files.isDirectory(classes)) {
        addPublicTypes(known.getPackageName(), classes, types);
      } else {
        try (FileSystem jar = FileSystems.newFileSystem(classes)) {
          addPublicTypes(known.getPackageName(), jar.getPath("/"), types);
        }
      }
    }
    return types;
  }

  private static void addPublicTypes(String ofPackage, Path classes, List<Class<?>> types)
      throws Exception {
    try (Stream<Path> files = Files.list(classes.resolve(ofPackage.replace('.', '/')))) {
      for (Path file : files.sorted().toList()) {
        String name = file.getFileName().toString();
        if (name.endsWith(".class") && !name.equals("package-info.class")) {
          Class<?> type = Class.forName(ofPackage + "." + name.replace(".class", ""));
          if (Modifier.isPublic(type.getModifiers())) {
            types.add(type);
          }
        }
      }
    }
  }
}
