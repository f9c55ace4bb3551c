/** Rows from the files of people, CSV and JSON Lines, and what is wrong with lines of them. */
package io.tunnel.stress.file;
