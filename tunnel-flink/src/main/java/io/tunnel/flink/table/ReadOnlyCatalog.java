package io.tunnel.flink.table;

import java.util.List;
import org.apache.flink.table.catalog.AbstractCatalog;
import org.apache.flink.table.catalog.CatalogBaseTable;
import org.apache.flink.table.catalog.CatalogDatabase;
import org.apache.flink.table.catalog.CatalogFunction;
import org.apache.flink.table.catalog.CatalogPartition;
import org.apache.flink.table.catalog.CatalogPartitionSpec;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.catalog.exceptions.FunctionNotExistException;
import org.apache.flink.table.catalog.exceptions.PartitionNotExistException;
import org.apache.flink.table.catalog.exceptions.TableNotExistException;
import org.apache.flink.table.catalog.exceptions.TableNotPartitionedException;
import org.apache.flink.table.catalog.stats.CatalogColumnStatistics;
import org.apache.flink.table.catalog.stats.CatalogTableStatistics;
import org.apache.flink.table.expressions.Expression;

/**
 * The parts of a read-only catalog: no views, functions or partitions; refusals name an
 * alternative.
 */
abstract class ReadOnlyCatalog extends AbstractCatalog {

  ReadOnlyCatalog(String name, String defaultDatabase) {
    super(name, defaultDatabase);
  }

  private UnsupportedOperationException refusal(String what, String instead) {
    return new UnsupportedOperationException(
        "catalog '" + getName() + "' shows what the service has, so " + what + "; " + instead);
  }

  private UnsupportedOperationException tableRefusal(ObjectPath path, String what, String command) {
    return refusal(
        "it cannot " + what + " " + path.getFullName(),
        "'./tunnel "
            + command
            + "' does that, or CREATE TEMPORARY TABLE declares one for"
            + " this session");
  }

  // Databases

  @Override
  public void createDatabase(String name, CatalogDatabase database, boolean ignoreIfExists) {
    throw refusal(
        "it cannot create database " + name, "there is one, '" + getDefaultDatabase() + "'");
  }

  @Override
  public void dropDatabase(String name, boolean ignoreIfNotExists, boolean cascade) {
    throw refusal(
        "it cannot drop database " + name, "drop tables one by one with './tunnel tables drop'");
  }

  @Override
  public void alterDatabase(String name, CatalogDatabase database, boolean ignoreIfNotExists) {
    throw refusal("it cannot alter database " + name, "it has no properties");
  }

  // Tables

  @Override
  public void createTable(ObjectPath path, CatalogBaseTable table, boolean ignoreIfExists) {
    throw tableRefusal(path, "create", "tables create");
  }

  @Override
  public void dropTable(ObjectPath path, boolean ignoreIfNotExists) {
    throw tableRefusal(path, "drop", "tables drop");
  }

  @Override
  public void renameTable(ObjectPath path, String newName, boolean ignoreIfNotExists) {
    throw refusal(
        "it cannot rename " + path.getFullName(), "tables of the service keep their names");
  }

  @Override
  public void alterTable(ObjectPath path, CatalogBaseTable table, boolean ignoreIfNotExists) {
    throw tableRefusal(path, "alter", "tables alter");
  }

  @Override
  public List<String> listViews(String database) {
    return List.of();
  }

  // Partitions, as Flink means them

  @Override
  public List<CatalogPartitionSpec> listPartitions(ObjectPath path)
      throws TableNotPartitionedException {
    throw new TableNotPartitionedException(getName(), path);
  }

  @Override
  public List<CatalogPartitionSpec> listPartitions(ObjectPath path, CatalogPartitionSpec spec)
      throws TableNotPartitionedException {
    throw new TableNotPartitionedException(getName(), path);
  }

  @Override
  public List<CatalogPartitionSpec> listPartitionsByFilter(
      ObjectPath path, List<Expression> filters) throws TableNotPartitionedException {
    throw new TableNotPartitionedException(getName(), path);
  }

  @Override
  public CatalogPartition getPartition(ObjectPath path, CatalogPartitionSpec spec)
      throws PartitionNotExistException {
    throw new PartitionNotExistException(getName(), path, spec);
  }

  @Override
  public boolean partitionExists(ObjectPath path, CatalogPartitionSpec spec) {
    return false;
  }

  @Override
  public void createPartition(
      ObjectPath path,
      CatalogPartitionSpec spec,
      CatalogPartition partition,
      boolean ignoreIfExists) {
    throw refusal("it cannot create a partition", "partitions come with their table");
  }

  @Override
  public void dropPartition(ObjectPath path, CatalogPartitionSpec spec, boolean ignoreIfNotExists) {
    throw refusal("it cannot drop a partition", "partitions go with their table");
  }

  @Override
  public void alterPartition(
      ObjectPath path,
      CatalogPartitionSpec spec,
      CatalogPartition partition,
      boolean ignoreIfNotExists) {
    throw refusal("it cannot alter a partition", "partitions come with their table");
  }

  // Functions

  @Override
  public List<String> listFunctions(String database) {
    return List.of();
  }

  @Override
  public CatalogFunction getFunction(ObjectPath path) throws FunctionNotExistException {
    throw new FunctionNotExistException(getName(), path);
  }

  @Override
  public boolean functionExists(ObjectPath path) {
    return false;
  }

  @Override
  public void createFunction(ObjectPath path, CatalogFunction function, boolean ignoreIfExists) {
    throw refusal("it has no functions", "CREATE TEMPORARY FUNCTION makes one for this session");
  }

  @Override
  public void alterFunction(ObjectPath path, CatalogFunction function, boolean ignoreIfNotExists) {
    throw refusal("it has no functions", "CREATE TEMPORARY FUNCTION makes one for this session");
  }

  @Override
  public void dropFunction(ObjectPath path, boolean ignoreIfNotExists) {
    throw refusal("it has no functions", "CREATE TEMPORARY FUNCTION makes one for this session");
  }

  // Statistics: the planner guesses, because counting rows takes long

  @Override
  public CatalogTableStatistics getTableStatistics(ObjectPath path) throws TableNotExistException {
    return CatalogTableStatistics.UNKNOWN;
  }

  @Override
  public CatalogColumnStatistics getTableColumnStatistics(ObjectPath path)
      throws TableNotExistException {
    return CatalogColumnStatistics.UNKNOWN;
  }

  @Override
  public CatalogTableStatistics getPartitionStatistics(ObjectPath path, CatalogPartitionSpec spec) {
    return CatalogTableStatistics.UNKNOWN;
  }

  @Override
  public CatalogColumnStatistics getPartitionColumnStatistics(
      ObjectPath path, CatalogPartitionSpec spec) {
    return CatalogColumnStatistics.UNKNOWN;
  }

  @Override
  public void alterTableStatistics(
      ObjectPath path, CatalogTableStatistics statistics, boolean ignoreIfNotExists) {
    throw refusal("it keeps no statistics", "the planner does without");
  }

  @Override
  public void alterTableColumnStatistics(
      ObjectPath path, CatalogColumnStatistics statistics, boolean ignoreIfNotExists) {
    throw refusal("it keeps no statistics", "the planner does without");
  }

  @Override
  public void alterPartitionStatistics(
      ObjectPath path,
      CatalogPartitionSpec spec,
      CatalogTableStatistics statistics,
      boolean ignoreIfNotExists) {
    throw refusal("it keeps no statistics", "the planner does without");
  }

  @Override
  public void alterPartitionColumnStatistics(
      ObjectPath path,
      CatalogPartitionSpec spec,
      CatalogColumnStatistics statistics,
      boolean ignoreIfNotExists) {
    throw refusal("it keeps no statistics", "the planner does without");
  }
}
