/** Rows on the command line: their keys as they are typed, and the commands that write them. */
package io.tunnel.cli.rows;
