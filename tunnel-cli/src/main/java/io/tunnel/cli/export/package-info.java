/**
 * {@code tunnel tables export} and {@code import}: the rows of a table as files, and back.
 *
 * <p>An export is a directory. {@code part-00000.jsonl} and its siblings have the rows of one
 * partition each, one {@link io.tunnel.stress.file.TypedJson} a line, in the order of the keys.
 * {@code export.json} has the definition of the table, and rows, bytes and checksum of each part
 * ({@link io.tunnel.cli.export.ExportFile}). The file appears when the export is complete; until
 * then {@code export.partial.json} says how far each part is durable.
 */
package io.tunnel.cli.export;
