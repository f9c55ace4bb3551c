/** Writes paced load into a table, from generators or from the rows of a file. */
package io.tunnel.stress;
