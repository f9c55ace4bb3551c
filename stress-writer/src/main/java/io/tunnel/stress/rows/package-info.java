/** Rows to be written: where they come from, and rows that are made up. */
package io.tunnel.stress.rows;
