/** The commands that write rows: {@code tunnel tables put}, {@code update} and {@code delete}. */
package io.tunnel.cli.rows;
